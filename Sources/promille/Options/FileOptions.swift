import ArgumentParser
import Reporting

/// Where a command writes that has only one format.
struct FileOptions: ParsableArguments {
  @Option(
    name: [.short, .long],
    help: ArgumentHelp("Write to FILE; no partial file is left.", valueName: "file"))
  var output: String?

  @Flag(name: .shortAndLong, help: "No warnings on standard error.")
  var quiet = false

  var console: Console { Console(isQuiet: quiet) }

  /// Writes a text to the file or to standard output.
  func write(_ text: String) throws {
    try Destination(console: console).write(text, to: output, option: "-o")
  }

  /// Writes files into the folder that is named.
  func write(_ files: [StudyNotebook.File]) throws {
    try Destination(console: console).write(
      files.map { ($0.path, $0.text) }, into: output ?? ".", option: "-o")
  }
}
