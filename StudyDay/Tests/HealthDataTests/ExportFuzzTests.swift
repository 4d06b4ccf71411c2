@_spi(StudyDay) import AlcoholKinetics
import DayDatabase
import Foundation
import HealthData
import StoreSupport
@_spi(StudyDay) import StudyData
@_spi(StudyDay) import StudyFiles
@_spi(StudyDay) import StudyStore
import TestSupport
import Testing

/// Exports and tables with something wrong anywhere are refused, or what is taken from them is what
/// they say.
@Suite struct ExportFuzzTests {
  private static let pieces =
    [
      "<", ">", "\"", "'", "&", "&amp;", "&#0;", "&#x10FFFF;", "<!--", "]]>", "<![CDATA[", "<?",
      "\0",
      "-", "-0", "1e400", "nan", "99", "2024-02-30", "0001-01-01", " +9999", "\n", ",", "\u{E4}",
      "\u{202E}", "HeartRate", "BodyMass", "%",
    ].map { Array($0.utf8) } + [[0xCB], [0xFF, 0xFE], [0xE6, 0x9D], [0xED, 0xA0, 0x80]]

  /// The bytes with one to three changes: something put in, taken out, doubled, or cut off.
  private static func mutated(
    _ bytes: [UInt8], _ generator: inout SeededGenerator
  ) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<Int.random(in: 1...3, using: &generator) {
      let start = Int.random(in: 0..<max(1, bytes.count), using: &generator)
      let end = min(bytes.count, start + Int.random(in: 0...6, using: &generator))
      switch Int.random(in: 0..<10, using: &generator) {
      case 0: bytes.removeSubrange(start..<end)
      case 1: bytes.insert(contentsOf: bytes[start..<end], at: start)
      case 2 where Int.random(in: 0..<4, using: &generator) == 0: bytes.removeSubrange(start...)
      case 2...5:
        // A digit for another, which is still a number.
        let digits = bytes.indices.filter { 0x30...0x39 ~= bytes[$0] }
        guard let digit = digits.randomElement(using: &generator) else { continue }
        bytes[digit] = UInt8.random(in: 0x30...0x39, using: &generator)
      default:
        let piece = pieces.randomElement(using: &generator) ?? []
        bytes.replaceSubrange(start..<end, with: piece)
      }
    }
    return bytes
  }

  private func expectOnlyWhatIsSaid(_ store: StudyStore, in bytes: [UInt8]) throws {
    let text = String(decoding: bytes, as: UTF8.self)
    let ranges = try store.vitalSettings().kinds.reduce(into: [:]) { ranges, setting in
      ranges[setting.kind.rawValue] = setting.range
    }
    for entry in try store.vitalEntries() {
      // A day that is not in the text has been made up.
      #expect(text.contains(entry.start.prefix(10)), "\(entry)")
      #expect(ranges[entry.kind] != nil && entry.value.isFinite)
    }
    for day in try store.vitalDays() {
      #expect(ranges[day.kind.rawValue]?.contains(day.mean) == true)
    }
    for series in try store.study().series {
      for reading in series.readings where series.subject.id == "ann" {
        let blood = reading.bloodConcentration(using: ConversionFactors()).value
        #expect((0...4.75).contains(blood))
      }
      #expect(series.readings.allSatisfy { (0...36).contains($0.time.value) })
    }
  }

  @Test(arguments: 0..<4 as Range<UInt64>)
  func mutatedExports(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let vitals = [
      HealthText.record("HeartRate", "80", "count/min", at: "2024-02-29 20:45:00 +0200"),
      HealthText.record("BloodAlcoholContent", "0.004", "%", at: "2024-05-02 02:40:00 +0200"),
    ]
    let whole = Array(HealthText.export(HealthText.evening + vitals).utf8)
    var read = 0
    for _ in 0..<75 {
      let bytes = Self.mutated(whole, &generator)
      let folder = try TemporaryFolder()
      let store = try StudyStore.day(folder("study.sqlite"), for: .writing)
      do {
        let (counts, findings) = try store.add(
          health: InputStream(data: Data(bytes)), file: "export.xml", HealthOptions(subject: "ann"))
        read += 1
        #expect(counts.total.refused >= findings.count)
      } catch let finding as HealthFinding {
        #expect(!finding.isAboutRecord, "\(finding)")
        #expect(try store.study().series.isEmpty && store.vitalEntries().isEmpty)
      }
      try expectOnlyWhatIsSaid(store, in: bytes)
    }
    // Were all of them refused, nothing would have been tested.
    #expect(read > 15 && read < 75)
  }

  @Test(arguments: 10..<14 as Range<UInt64>)
  func mutatedTablesOfVitals(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let whole = Array(
      """
      subject,kind,start,end,value,unit,source
      ann,HeartRate,2024-02-29 20:45:00 +0200,2024-02-29 20:50:00 +0200,80,count/min,Watch
      ann,BodyMass,2024-05-01,,70,kg,
      ann,HeartRate,2024-12-31T23:59:59Z,,-0,,"a, b"
      ann,BodyTemperature,2024-05-01T20:15+02:00,,98.6,degF,x

      """.utf8)
    var read = 0
    for _ in 0..<75 {
      let bytes = Self.mutated(whole, &generator)
      let folder = try TemporaryFolder()
      try folder.write(Data(bytes), to: VitalFile.name)
      let file: VitalFile
      do throws(StudyError) {
        guard let exported = try VitalFile.read(inFolder: folder.path) else { continue }
        file = exported
      } catch {
        #expect(error.kind == .badData)
        continue
      }
      read += 1
      let store = try StudyStore.day(folder("study.sqlite"), for: .writing)
      let (counts, refusals) = try store.addSmall(vitals: file.entries)
      #expect(counts[.vitals].refused == refusals.count)
      try expectOnlyWhatIsSaid(store, in: bytes)
      // What is written is what comes back.
      let written = try store.vitalEntries()
      try folder.write(VitalFile.text(of: written), to: VitalFile.name)
      let again = try VitalFile.read(inFolder: folder.path)?.entries ?? []
      let back = try store.addSmall(vitals: again).counts[.vitals]
      #expect(back.unchanged == written.count && back.added == 0 && back.refused == 0)
    }
    #expect(read > 15)
  }
}
