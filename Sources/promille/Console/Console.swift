import Foundation
import StudyData

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

  /// Says what was found in a study's files.
  func tell(_ diagnostics: [Diagnostic]) {
    for diagnostic in diagnostics {
      switch diagnostic.severity {
      case .error: error(diagnostic.description)
      case .warning: warning(diagnostic.description)
      }
    }
  }

  private func write(_ message: String) {
    // If standard error is closed, there is nobody left to tell.
    try? FileHandle.standardError.write(contentsOf: Data((message + "\n").utf8))
  }
}
