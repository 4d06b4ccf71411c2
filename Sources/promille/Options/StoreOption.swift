import ArgumentParser
import Estimation
import Reporting
import StudyStore

/// Where a run is kept.
struct StoreOption: ParsableArguments {
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
  ///   - report: What is printed of it.
  ///   - fits: The fits behind its rows, in the same order, if there are any.
  func record(
    _ report: @autoclosure () -> Report, fits: [StudyFit] = [], _ console: Console
  ) throws {
    guard let store else { return }
    let report = report()
    do {
      try DatabaseOutput.change(store) { try $0.record(StoredRun(report, fits: fits)) }
    } catch let error as StoreError {
      throw console.end(error)
    }
  }
}
