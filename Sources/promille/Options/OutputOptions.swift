public import ArgumentParser
import Foundation
public import Reporting

/// Where results go and what they look like.
struct OutputOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Format of the results.",
      discussion: """
        Default: json or csv by the ending of the -o file; otherwise table on a terminal and csv \
        in a pipe.
        """)
  )
  var format: ReportFormat?

  @Option(
    name: [.short, .long],
    help: ArgumentHelp("Write the results to FILE, whole or not at all.", valueName: "file"))
  var output: String?

  @Flag(name: .shortAndLong, help: "No warnings on standard error.")
  var quiet = false

  var console: Console { Console(isQuiet: quiet) }

  /// Prints a report.
  func print(_ report: Report) throws {
    let destination = output.map(OutputFile.file) ?? .standardOutput
    do {
      try destination.write(report.rendered(as: resolvedFormat))
    } catch {
      console.error(
        "promille: error E_OUTPUT: cannot write \(output ?? "standard output"): "
          + "\(error.localizedDescription); choose another place with -o")
      throw ExitStatus.cannotCreate
    }
  }

  /// Ends the command with 1 if some rows have no result, and says so.
  func endIfFailed(_ failed: Int, of rows: Int) throws {
    guard failed > 0 else { return }
    console.warning("promille: \(failed) of \(rows) rows have no result; see the column reason")
    throw ExitStatus.someFailed
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
