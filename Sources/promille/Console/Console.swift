import ArgumentParser
import Foundation
import Reporting
import StudyData
import StudyStore

/// Standard error: where everything goes that is not a result.
///
/// Messages hold names from files, which may hold anything: what would break a line, be obeyed by a
/// terminal or turn the line round is shown as an escape, here and nowhere else.
struct Console {
  /// Whether warnings are left out. Errors never are.
  let isQuiet: Bool

  /// Says something that ends the command or a part of it, in a line.
  func error(_ message: String) {
    write(message.printable)
  }

  /// Says something worth knowing, in a line.
  func warning(_ message: String) {
    if !isQuiet { write(message.printable) }
  }

  /// Says how the command is used, in lines.
  func usage(_ message: String) {
    write(message.printableLines)
  }

  /// Says why a database could not be used, and ends the command.
  func end(_ failure: StoreError) -> ExitCode {
    error(failure.description)
    return failure.exitCode
  }

  /// Makes the folder for temporary files, or says why there is none and ends the command.
  func temporaryFolder() throws -> PrivateFolder {
    do throws(PrivateFolder.Failure) {
      return try PrivateFolder(caretaker: Drafts.caretaker)
    } catch {
      self.error("promille: error \(error.code): \(error)")
      throw ExitStatus.cannotCreate
    }
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
