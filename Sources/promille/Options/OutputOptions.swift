public import ArgumentParser
import Foundation
public import Reporting

/// Where results go and what they look like.
struct OutputOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Format of the results.",
      discussion: """
        Default: json or csv by the extension of the -o file; otherwise table on a terminal and csv \
        in a pipe.
        """)
  )
  var format: ReportFormat?

  @Option(
    name: [.short, .long],
    help: ArgumentHelp("Write the results to FILE; no partial file is left.", valueName: "file"))
  var output: String?

  @Flag(name: .shortAndLong, help: "No warnings on standard error.")
  var quiet = false

  var console: Console { Console(isQuiet: quiet) }

  /// Prints a report, and what is to follow it.
  func print(_ report: Report, followedBy rest: [String] = []) throws {
    try write(
      report.rendered(as: resolvedFormat) + rest.joined(), to: output, option: "-o")
  }

  /// Writes a text to a file, whole or not at all, or to standard output.
  ///
  /// - Parameter option: The option that names the file.
  func write(_ text: String, to file: String?, option: String) throws {
    try Destination(console: console).write(text, to: file, option: option)
  }

  /// Ends the command with 1 if some rows have no result, and says so.
  func endIfFailed(_ failed: Int, of rows: Int) throws {
    try console.endIfFailed(failed, of: rows)
  }

  /// The format that was asked for, or the one that fits the destination.
  var resolvedFormat: ReportFormat {
    if let format { return format }
    guard let output else {
      return isatty(STDOUT_FILENO) == 1 ? .table : .csv
    }
    return output.lowercased().hasSuffix(".json") ? .json : .csv
  }
}

extension ReportFormat: ExpressibleByArgument {}
