import AlcoholKinetics
import DayDatabase
import Foundation
@_spi(StudyDay) import StudyFiles
@_spi(StudyDay) import StudyStore
import TestSupport
import Testing

@testable import HealthData

/// Reading a damaged database gives a study or a ``StoreError``, and no crash.
@Suite struct SpoiltVitalsTests {
  private let folder: TemporaryFolder
  private let whole: [UInt8]

  init() throws {
    folder = try TemporaryFolder()
    try StudyStore.changeDay(folder("whole.sqlite")) { store in
      _ = try store.add(
        health: HealthText.stream(HealthText.export(HealthText.evening)), file: "export.xml",
        HealthOptions(subject: "ann"))
    }
    whole = Array(try Data(contentsOf: URL(filePath: folder("whole.sqlite"))))
  }

  @Test(arguments: 0..<6 as Range<UInt64>)
  func spoiltBytesAreReadOrRefused(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<25 {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...30, using: &generator) {
        let index = Int.random(in: 100..<bytes.count, using: &generator)
        bytes[index] = UInt8.random(in: 0...255, using: &generator)
      }
      try folder.write(Data(bytes), to: "spoilt.sqlite")
      do throws(StoreError) {
        let store = try StudyStore.day(folder("spoilt.sqlite"), for: .reading)
        _ = try store.study()
        _ = try store.vitalDays()
        _ = try store.vitalCrossings()
        _ = try store.vitalEntries()
      } catch {
        #expect(!error.message.isEmpty)
      }
      do throws(StoreError) {
        let store = try StudyStore.day(folder("spoilt.sqlite"), for: .changing)
        _ = try store.add(
          vitals: [
            VitalEntry(
              subject: "ann", kind: "HeartRate", start: "2024-05-01 20:15:00 +0200", value: 60)
          ], from: "vitals.csv")
      } catch {
        #expect(!error.message.isEmpty)
      }
    }
  }
}
