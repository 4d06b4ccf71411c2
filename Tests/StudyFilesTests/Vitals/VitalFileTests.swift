import Foundation
import StudySupport
import TestSupport
import Testing

@testable import StudyData
@_spi(StudyDay) @testable import StudyFiles

/// `vitals.csv`: what is read, what is refused, and that it comes back.
@Suite struct VitalFileTests {
  private static let header = "subject,kind,start,end,value,unit,source,uuid\n"

  private func read(_ text: String) throws(StudyError) -> VitalFile {
    try VitalFile.read(InputFile(path: "study/vitals.csv", bytes: Data(text.utf8)))
  }

  @Test func vitalSignsAreRead() throws {
    let file = try read(
      Self.header + """
        ann,HeartRate,2024-05-01,,61.5,,,
        "b, c",BodyTemperature,2024-05-01T20:15Z,2024-05-01 20:20:00 +0000,98.6,degF,Ear,\
        5D3B6F8E-0B1C-4C8E-9A55-9E6F3C1D2B40

        """)
    #expect(file.diagnostics.isEmpty)
    #expect(
      file.entries == [
        VitalEntry(
          subject: "ann", kind: "HeartRate", start: "2024-05-01", value: 61.5,
          location: SourceLocation(file: "study/vitals.csv", line: 2)),
        VitalEntry(
          subject: "b, c", kind: "BodyTemperature", start: "2024-05-01T20:15Z",
          end: "2024-05-01 20:20:00 +0000", value: 98.6, unit: "degF", source: "Ear",
          uuid: UUID(uuidString: "5d3b6f8e-0b1c-4c8e-9a55-9e6f3c1d2b40"),
          location: SourceLocation(file: "study/vitals.csv", line: 3)),
      ])
    var again = try read(VitalFile.text(of: file.entries))
    #expect(again == file)
    again.entries.removeLast()
    #expect(!VitalFile.text(of: again.entries).contains("uuid"))
  }

  @Test(arguments: [
    ("ann,HeartRate,2024-05-01,,6O,,,", DiagnosticCode.number, 27),
    ("ann,HeartRate,2024-05-01,,,,,", .vitalIncomplete, 1),
    ("ann,,2024-05-01,,60,,,", .vitalIncomplete, 1),
    ("ann,HeartRate,.,,60,,,", .vitalIncomplete, 1),
    (",HeartRate,2024-05-01,,60,,,", .subject, 1),
    ("ann,HeartRate,2024-05-01,,60,,,5d3b", .uuid, 32),
  ])
  func badVitalRowsAreReported(row: String, code: DiagnosticCode, column: Int) throws {
    let file = try read(Self.header + "ann,StepCount,2024-05-01,,1,,,\n" + row + "\n")
    let finding = try #require(file.diagnostics.first)
    #expect(file.diagnostics.count == 1)
    #expect(finding.code == code)
    #expect(
      finding.location == SourceLocation(file: "study/vitals.csv", line: 3, column: column))
    #expect(file.entries.count == (code == .uuid ? 2 : 1))
  }

  @Test func badVitalFilesAreRefused() {
    for (text, code) in [
      ("subject,kind,value\n", DiagnosticCode.columnMissing), ("", .emptyFile),
      (Self.header + "ann\n", .csv),
    ] {
      let error = #expect(throws: StudyError.self) { try read(text) }
      #expect(error?.diagnostics.first?.code == code)
    }
  }

  @Test func studyWithoutVitalFileHasNoVitals() throws {
    let folder = try TemporaryFolder()
    try folder.write(StudySample())
    #expect(try VitalFile.read(inFolder: folder.path) == nil)
    #expect(try VitalFile.read(inFolder: folder("drinks.csv")) == nil)
    try folder.write(Self.header, to: "vitals.csv")
    #expect(try VitalFile.read(inFolder: folder.path)?.entries.isEmpty == true)
  }
}
