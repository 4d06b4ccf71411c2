import StudySupport
import Testing

@testable import StudyData
@testable import StudyFiles

@Suite struct FindingLogTests {
  @Test func findingsOfAMillionBadRowsAreLimited() throws {
    let rows = (0..<5000).map { "ann,\($0),x\n" }.joined()
    let study = try StudySample(readings: "subject,time_min,bac_g_per_kg\n" + rows).read()
    #expect(study.series.first?.diagnostics.count == FindingLog.limit)
    let note = try #require(study.diagnostics.first)
    #expect(note.code == .moreFindings)
    #expect(note.message.hasPrefix("4900 more"))
    #expect(note.location == SourceLocation(file: "study/readings.csv"))
  }

  @Test func findingsOfBrokenRowsAreLimited() throws {
    let rows = String(repeating: "ann\n", count: 300)
    let sample = StudySample(readings: "subject,time_min,bac_g_per_kg\n" + rows)
    #expect(sample.findings.count == FindingLog.limit + 1)
    #expect(sample.findings.last?.code == .moreFindings)
  }

  @Test func everyBadSeriesKeepsAnError() throws {
    let ids = (0..<300).map { "s\($0)" }
    let study = try StudySample(
      subjects: "subject,sex,age_y,height_cm,weight_kg\n"
        + ids.map { "\($0),f,30,165,60\n" }.joined(),
      drinks: "subject,time_min,ethanol_g\n" + ids.map { "\($0),0,x\n\($0),1,x\n" }.joined(),
      readings: nil
    ).read()
    #expect(study.series.allSatisfy { $0.firstError != nil })
    #expect(study.allDiagnostics.count <= ids.count + FindingLog.limit)
  }

  @Test func errorAfterAHundredWarningsIsKept() {
    let columns = (0..<200).map { ",extra\($0)" }.joined()
    let fields = String(repeating: ",", count: 200)
    let sample = StudySample(
      drinks: "subject,time_min,ethanol_g\(columns)\nann,0,40\(fields)\n,0,40\(fields)x\n")
    #expect(sample.findings.contains { $0.code == .subject })
    #expect(throws: StudyError.self) { try sample.read() }
  }
}
