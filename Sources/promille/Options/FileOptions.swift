import ArgumentParser

/// Where a command writes that has only one format.
struct FileOptions: ParsableArguments {
  @Option(
    name: [.short, .long],
    help: ArgumentHelp("Write to FILE, whole or not at all.", valueName: "file"))
  var output: String?

  @Flag(name: .shortAndLong, help: "No warnings on standard error.")
  var quiet = false

  var console: Console { Console(isQuiet: quiet) }

  /// Writes a text to the file or to standard output.
  func write(_ text: String) throws {
    try Destination(console: console).write(text, to: output, option: "-o")
  }
}
