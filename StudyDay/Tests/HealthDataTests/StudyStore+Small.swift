import DayDatabase
import StoreSupport
import StudyData
@_spi(StudyDay) import StudyFiles
@_spi(StudyDay) import StudyStore

@testable import HealthData

extension StudyStore {
  /// Adds the small study, then vital signs.
  @discardableResult
  func addSmall(
    vitals: [VitalEntry], selection: ImportSelection = ImportSelection()
  ) throws -> (counts: ImportCounts, refusals: [Diagnostic]) {
    try add(SmallStudy.study(), selection: selection)
    return try add(vitals: vitals, from: "small", selection: selection)
  }
}
