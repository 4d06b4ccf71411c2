import AlcoholKinetics
import DayDatabase
import Foundation
import StoreSupport
import StudyData
@_spi(StudyDay) import StudyFiles
@_spi(StudyDay) import StudyStore
import TestSupport
import Testing

@testable import HealthData

/// No value of any type in a field of the tables of vital signs crashes or hangs the process.
@Suite(.timeLimit(.minutes(10))) struct MutationTests {
  private let folder: TemporaryFolder
  private let whole: String

  init() throws {
    folder = try TemporaryFolder()
    whole = folder("whole.sqlite")
    try StudyStore.changeDay(whole) { store in
      try store.addSmall(
        vitals: [
          VitalEntry(
            subject: "ann", kind: "HeartRate", start: "2024-05-01 20:15:00 +0200", value: 60)
        ])
    }
  }

  @Test func mutatedVitalFieldsAreReadOrRefused() throws {
    let bytes = try Data(contentsOf: URL(filePath: whole))
    var generator = SeededGenerator(seed: 12)
    let fields = try StoredField.all(of: ["vital_kinds", "settings", "vitals"], in: whole)
    let all = fields.flatMap { field in StoredField.values.map { (field, $0) } }
    var tally = (refused: 0, taken: 0)
    for (field, value) in all.shuffled(using: &generator).prefix(120) {
      let path = folder("mutated.sqlite")
      try folder.write(bytes, to: "mutated.sqlite")
      guard try field.set(value, in: path) else { continue }
      let name = "\(field.table).\(field.column) = \(value)"
      do throws(StoreError) {
        let store = try StudyStore.day(path, for: .reading)
        _ = try (store.vitalDays(), store.vitalCrossings(), store.vitalEntries())
        _ = try store.study(excludingDaysWith: [
          DayRule(kind: "HeartRate", side: .above, value: 100)
        ])
        tally.taken += 1
      } catch {
        tally.refused += 1
        #expect(
          [.corrupt, .foreign, .newer, .older, .missing].contains(error.code),
          "\(name): \(error)")
      }
      do throws(StoreError) {
        let store = try StudyStore.day(path, for: .changing)
        try store.add(SmallStudy.study())
        try store.changeVitalSettings(spanDays: 3) { $0.importance = 4 }
      } catch {
        #expect(error.code != .failed, "\(name): \(error)")
      }
    }
    #expect(tally.refused > 10 && tally.taken > 10, "\(tally)")
  }
}
