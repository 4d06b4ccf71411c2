import AlcoholKinetics
import Testing

@testable import StudyData
@testable import StudyFiles

@Suite struct PEtabWriterTests {
  @Test(arguments: ["a\tb", "a\nb", "a\rb", "a\r\nb", "a\t\u{301}b"])
  func namesBreakNoLine(_ name: String) throws {
    let series = Series(
      subject: Subject(id: name, weight: 80), drinks: [Drink(time: 0, ethanol: .mass(40))],
      readings: [])
    let files = PEtabWriter.files(of: Study(name: "study", series: [series]))
    let conditions = try #require(files.first { $0.name == "conditions.tsv" }).text
    let lines = conditions.unicodeScalars.split(
      omittingEmptySubsequences: false, whereSeparator: { $0 == "\n" || $0 == "\r" })
    #expect(lines.count == 3)
    #expect(lines.prefix(2).allSatisfy { $0.count { $0 == "\t" } == 11 })
  }
}
