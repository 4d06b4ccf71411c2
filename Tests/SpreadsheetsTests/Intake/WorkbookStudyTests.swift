import AlcoholKinetics
import Foundation
import TestSupport
import Testing

@testable import Spreadsheets
@testable import StudyData
@testable import StudyFiles

/// A study is the same from a workbook and from its sheet saved as CSV.
@Suite struct WorkbookStudyTests {
  private static let sheet = """
    <row r="1">\(cells("A1", "Participant", "Sex", "Weight (kg)", "Time", "Ethanol (g)", "BrAC (mg/L)"))</row>
    <row r="2">\(cells("A2", "ann", "f", "60", "19:30", "30", ""))</row>
    <row r="3">\(cells("A3", "ann", "", "", "20:30", "", "0.31"))</row>
    <row r="4">\(cells("A4", "ann", "", "", "00:10", "", "0.05"))</row>
    """

  private static func cells(_ first: String, _ texts: String...) -> String {
    let row = first.dropFirst()
    return texts.enumerated().map { index, text in
      let letter = String(UnicodeScalar(UInt8(ascii: "A") + UInt8(index)))
      return "<c r=\"\(letter)\(row)\" t=\"inlineStr\"><is><t>\(text)</t></is></c>"
    }.joined()
  }

  @Test func workbookGivesTheSameStudyAsCSV() throws {
    let folder = try TemporaryFolder()
    let book = folder("study.xlsx")
    try folder.write(Data(Zip.workbook(sheet: Self.sheet).bytes), to: "study.xlsx")
    let text = """
      Participant,Sex,Weight (kg),Time,Ethanol (g),BrAC (mg/L)
      ann,f,60,19:30,30,
      ann,,,20:30,,0.31
      ann,,,00:10,,0.05

      """
    try folder.write(text, to: "study.csv")
    let csv = folder("study.csv")
    let (one, other) = (try StudyReader(sheet: book).study(), try StudyReader(sheet: csv).study())
    #expect(one.series.map(\.readings) == other.series.map(\.readings))
    #expect(one.series.map(\.drinks) == other.series.map(\.drinks))
    #expect(one.series.first?.readings.map { $0.time.minutes.rounded() } == [60, 280])
    #expect(one.inputs.first?.file == book && one.inputs.first?.sha256.count == 64)
    #expect(
      try StudyReader(sheet: book).taken.map(\.takenAs)
        == StudyReader(sheet: csv).taken.map(\.takenAs))
  }

  @Test func emptyAndOldWorkbooksAreReported() throws {
    let folder = try TemporaryFolder()
    try folder.write(
      Data(Zip.workbook(sheet: "<row><c><v>1</v></c></row>").bytes), to: "empty.xlsx")
    try folder.write("\u{0}", to: "old.xls")
    for path in [folder("empty.xlsx"), folder("old.xls")] {
      let error = #expect(throws: StudyError.self) { try StudyReader(sheet: path) }
      #expect(error?.diagnostics.map(\.code) == [.fileFormat])
    }
  }
}
