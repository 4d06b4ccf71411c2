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
          + "\(error.localizedDescription); check that its folder exists and can be written to")
      throw ExitStatus.cannotCreate
    }
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
