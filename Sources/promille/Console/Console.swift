import ArgumentParser
import Foundation
import StudyData
import StudyStore

/// Standard error: where everything goes that is not a result.
struct Console {
  /// Whether warnings are left out. Errors never are.
  let isQuiet: Bool

  /// Says something that ends the command or a part of it.
  func error(_ message: String) {
    write(message)
  }

  /// Says something worth knowing.
  func warning(_ message: String) {
    if !isQuiet { write(message) }
  }

  /// Says why a database could not be used, and ends the command.
  func end(_ failure: StoreError) -> ExitCode {
    error(failure.description)
    return failure.exitCode
  }

  /// Says what was found in a study's files.
  func tell(_ diagnostics: [Diagnostic]) {
    for diagnostic in diagnostics {
      switch diagnostic.severity {
      case .error: error(diagnostic.description)
      case .warning: warning(diagnostic.description)
      }
    }
  }

  /// Ends the command with 1 if some rows have no result, and says so.
  func endIfFailed(_ failed: Int, of rows: Int) throws {
    guard failed > 0 else { return }
    warning("promille: \(failed) of \(rows) rows have no result; see the column reason")
    throw ExitStatus.someFailed
  }

  /// Says how long something took that people waited for.
  func tellTime(_ what: String, since start: ContinuousClock.Instant) {
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    if seconds > 0.2 { warning("promille: \(what) in \(String(format: "%.2f", seconds)) s") }
  }

  private func write(_ message: String) {
    // If standard error is closed, there is nobody left to tell.
    try? FileHandle.standardError.write(contentsOf: Data((message + "\n").utf8))
  }
}
