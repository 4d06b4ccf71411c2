import AlcoholKinetics
import Foundation

@testable import StudyData

/// A small table of events in memory.
struct EventSample {
  var text: String
  var unit = ConcentrationUnit.bloodGramsPerKilogram

  init(_ text: String) {
    self.text = text
  }

  /// Opens the table without touching the disk.
  func input(blockSize: Int = InputFile.defaultBlockSize) -> StudyInput {
    let file = InputFile(path: "events.csv", bytes: Data(text.utf8), blockSize: blockSize)
    return .events(EventFile(file: file, unit: unit))
  }

  /// Reads the study without touching the disk.
  func read() throws(StudyError) -> Study {
    try StudyReader.read(input())
  }

  /// All that is found, whether reading it throws or not.
  var findings: [Diagnostic] {
    do throws(StudyError) {
      return try read().allDiagnostics
    } catch {
      return error.diagnostics
    }
  }
}
