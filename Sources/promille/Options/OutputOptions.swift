public import ArgumentParser
import Estimation
import Foundation
public import Reporting
import StudyStore

/// Options that name where a result goes.
protocol ResultOptions: DeliveryOptions {
  /// The file or folder; nil for standard output.
  var path: String? { get }
  var quiet: Bool { get }
}

extension ResultOptions {
  var console: Console { Console(isQuiet: quiet) }

  /// Writes a text to the file or to standard output.
  func write(_ text: String) throws {
    try console.write(text.utf8, to: path, option: "-o")
  }
}

/// Where results go and what they look like.
struct OutputOptions: ResultOptions {
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

  var path: String? { output }

  /// Prints a report, and what is to follow it.
  func print(_ report: Report, followedBy rest: [String] = []) throws {
    try write(report.rendered(as: resolvedFormat) + rest.joined())
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

/// Where a command writes that has only one format.
struct FileOptions: ResultOptions {
  @Option(
    name: [.short, .long],
    help: ArgumentHelp("Write to FILE; no partial file is left.", valueName: "file"))
  var output: String?

  @Flag(name: .shortAndLong, help: "No warnings on standard error.")
  var quiet = false

  var path: String? { output }
}

/// Where a command writes its only result, a page or a figure.
struct PageOptions: ResultOptions {
  @Option(
    name: [.short, .long],
    help: ArgumentHelp("Write to FILE; no partial file is left.", valueName: "file"))
  var output: String

  @Flag(name: .shortAndLong, help: "No warnings on standard error.")
  var quiet = false

  var path: String? { output }

  /// The ending of the file's name.
  var ending: String { URL(filePath: output).pathExtension.lowercased() }
}

/// How many threads work at once; no result depends on it.
struct JobsOption: DeliveryOptions {
  @Option(
    help: "Number of threads; results are identical for any number. (default: one per processor)")
  var jobs: Int?

  func validate() throws {
    guard let jobs, !(1...1024).contains(jobs) else { return }
    throw ValidationError("--jobs is \(jobs); it must be from 1 to 1024.")
  }

  var count: Int { jobs ?? ProcessInfo.processInfo.activeProcessorCount }
}

/// Where a run is kept.
struct StoreOption: DeliveryOptions {
  @Option(
    help: ArgumentHelp(
      "Also keep the run, with its options and inputs, in a database; see promille runs.",
      valueName: "database"))
  var store: String?

  /// Whether the run is to be kept.
  var isWanted: Bool { store != nil }

  /// Keeps a run, if it was asked for.
  ///
  /// - Parameters:
  ///   - results: What came out of it.
  ///   - provenance: How it was made.
  func record(
    _ results: @autoclosure () -> [any StorableResult], _ provenance: Provenance,
    _ console: Console
  ) throws {
    guard let store else { return }
    do {
      try DatabaseOutput.change(store) { try $0.record(StoredRun(results(), provenance)) }
    } catch let error as StoreError {
      throw console.end(error)
    }
  }
}
