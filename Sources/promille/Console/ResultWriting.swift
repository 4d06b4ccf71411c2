/// A command that writes what the options of its output name.
protocol ResultWriting: InputProtecting {
  associatedtype Output: OutputNaming
  var output: Output { get }
}

extension ResultWriting {
  var outputPaths: [(option: String, path: String?)] { [("-o", output.output)] }
  var console: Console { output.console }
}
