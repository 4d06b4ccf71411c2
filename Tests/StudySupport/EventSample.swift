package import AlcoholKinetics
import Foundation
package import StudyData
package import StudyFiles

/// A small table of events in memory.
package struct EventSample {
  package var text: String
  package var unit = ConcentrationUnit.bloodGramsPerKilogram

  package init(_ text: String) {
    self.text = text
  }

  /// Opens the table without touching the disk.
  package func input(blockSize: Int = InputFile.defaultBlockSize) -> StudyInput {
    let file = InputFile(path: "events.csv", bytes: Data(text.utf8), blockSize: blockSize)
    return StudyInput(events: file, dvUnit: unit)
  }

  /// Reads the study without touching the disk.
  package func read() throws(StudyError) -> Study {
    try input().study()
  }

  /// All that is found, whether reading it throws or not.
  package var findings: [Diagnostic] {
    do throws(StudyError) {
      return try read().allDiagnostics
    } catch {
      return error.diagnostics
    }
  }
}
