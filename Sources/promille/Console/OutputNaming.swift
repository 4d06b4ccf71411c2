/// Options that name where results go; nil is standard output.
protocol OutputNaming {
  var output: String? { get }
  var console: Console { get }
}

extension OutputOptions: OutputNaming {}
extension FileOptions: OutputNaming {}
