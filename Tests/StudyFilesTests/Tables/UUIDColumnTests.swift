import AlcoholKinetics
import Foundation
import StudySupport
import TestSupport
import Testing

@testable import StudyData
@testable import StudyFiles

/// UUIDs that a study gives stay with their drinks and readings.
@Suite struct UUIDColumnTests {
  private static let uuids = (0..<4).map { index in
    UUID(uuidString: "5D3B6F8E-0B1C-4C8E-9A55-9E6F3C1D2B4\(index)")
  }

  private static let sample = StudySample(
    drinks: """
      subject,uuid,time_min,ethanol_g
      ann,5d3b6f8e-0b1c-4c8e-9a55-9e6f3c1d2b40,30,10
      ann,,0,40
      """,
    readings: """
      subject,time_min,bac_g_per_kg,UUID
      ann,60,0.4,5d3b6f8e-0b1c-4c8e-9a55-9e6f3c1d2b41
      ann,30,0.5,5D3B6F8E-0B1C-4C8E-9A55-9E6F3C1D2B42
      ann,90,0.3,NA
      ann,80,,5d3b6f8e-0b1c-4c8e-9a55-9e6f3c1d2b43
      """)

  @Test func uuidsAreSortedWithTheirRecords() throws {
    let series = try Self.sample.onlySeries()
    #expect(series.readings.map(\.value) == [0.5, 0.4, 0.3])
    #expect(series.uuids.drinks == [nil, Self.uuids[0]])
    #expect(series.uuids.readings == [Self.uuids[2], Self.uuids[1]])
    #expect(series.uuids.reading(2) == nil && series.uuids.reading(99) == nil)
    #expect(series.firstError == nil)
  }

  @Test func uuidsAreTheSameInAStream() throws {
    var stream = try StudyStream(Self.sample.folder())
    let series = try #require(try stream.next())
    #expect(series == (try Self.sample.onlySeries()))
  }

  @Test func uuidsAreReadFromEventTables() throws {
    let text = """
      ID,TIME,AMT,DV,UUID
      ann,0,40,.,5d3b6f8e-0b1c-4c8e-9a55-9e6f3c1d2b40
      ann,0.5,.,0.5,.
      ann,1,.,0.4,5d3b6f8e-0b1c-4c8e-9a55-9e6f3c1d2b41

      """
    let series = try #require(try EventSample(text).read().series.first)
    #expect(series.uuids == GivenUUIDs(drinks: [Self.uuids[0]], readings: [nil, Self.uuids[1]]))
    #expect(series.subject.covariates.isEmpty)
  }

  @Test(arguments: 0..<3 as Range<UInt64>)
  func canonicalUUIDsAreParsedExactly(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for case let uuid? in (0..<200).map({ _ in generator.maybeUUID() }) {
      for text in [uuid.text, uuid.uuidString] {
        #expect(Array(text.utf8).withUnsafeBytes { UUID(canonical: $0) } == uuid)
      }
    }
  }

  @Test(arguments: [
    "5d3b6f8e0b1c4c8e9a559e6f3c1d2b40", "{5d3b6f8e-0b1c-4c8e-9a55-9e6f3c1d2b4}",
    "5d3b6f8e-0b1c-4c8e-9a55-9e6f3c1d2b4 ", "5d3b6f8e-0b1c-4c8e-9a55-9e6f3c1d2b4g",
    "+d3b6f8e-0b1c-4c8e-9a55-9e6f3c1d2b40", "5d3b6f8e-0b1c4-c8e-9a55-9e6f3c1d2b40",
    "urn:uuid:5d3b6f8e-0b1c-4c8e-9a55-9e6f3c1d2b40",
  ])
  func invalidTextsAreNoUUIDs(_ text: String) {
    #expect(Array(text.utf8).withUnsafeBytes { UUID(canonical: $0) } == nil)
  }

  @Test func uuidSharedByDrinkAndReadingIsAnError() throws {
    var sample = StudySample()
    sample.drinks = "subject,time_min,ethanol_g,uuid\nann,0,40,\(Self.uuids[0]?.text ?? "")\n"
    sample.readings =
      "subject,time_min,bac_g_per_kg,uuid\nann,30,0.5,\(Self.uuids[0]?.text ?? "")\n"
    let finding = try #require(sample.findings.first)
    #expect(finding.code == .duplicate)
    #expect(finding.location == SourceLocation(file: "study/readings.csv", line: 2, column: 12))
    #expect(finding.message.contains("line 2 of drinks.csv"))
  }

  @Test func uuidSharedByTwoSubjectsIsAnError() throws {
    var sample = StudySample()
    sample.subjects += "bob,male,30,180,80\n"
    sample.drinks = """
      subject,time_min,ethanol_g,uuid
      ann,0,40,5d3b6f8e-0b1c-4c8e-9a55-9e6f3c1d2b40
      bob,0,40,5d3b6f8e-0b1c-4c8e-9a55-9e6f3c1d2b40

      """
    sample.readings = nil
    let whole = try sample.read()
    #expect(whole.series.map(\.firstError?.code) == [nil, .duplicate])
    var stream = try StudyStream(sample.folder())
    #expect(try stream.next() == whole.series[0])
    #expect(try stream.next() == whole.series[1])
  }
}
