import AlcoholKinetics
import StudySupport
import Testing

@testable import StudyData
@testable import StudyFiles

/// Columns of a table of events that nothing reads: marks of readings, remarks, and names of sessions.
@Suite struct EventDescriptionTests {
  private static func table(_ header: String, _ cells: [String]) -> EventSample {
    let rows = ["0,40,.", "0.5,.,0.4", "1,.,0.5", "2,.,0.35", "3,.,0.2"]
    return EventSample(
      "ID,TIME,AMT,DV,SEX,AGE,HT,WT,\(header)\n"
        + zip(rows, cells).map { "1,\($0),m,30,178,80,\($1)" }.joined(separator: "\n"))
  }

  @Test(arguments: [
    ("Outlier", "0", "1", "exclude"), ("Valid", "yes", "no", "include"),
    ("Quality", "good", "bad", "exclude_remark"), ("Use", "Y", "N", "include"),
    ("Bemerkung", "", "Probe verworfen", "exclude_remark"),
    ("Sample", "ok", "haemolysed", "exclude_remark"),
    ("Comment", ".", "invalid", "exclude_remark"), ("Flag", "", "x", "exclude"),
  ])
  func markedReadingIsQueried(_ header: String, _ fine: String, _ mark: String, _ name: String) {
    let found = Self.table(header, [fine, fine, fine, mark, fine]).findings
    let asked = found.filter { $0.severity == .error }
    #expect(asked.map(\.code) == [.columnUnit])
    #expect(asked.first?.location.line == 5)
    #expect(asked.first?.statements == ["\(header)=\(name)", "\(header)=ignore"])
  }

  @Test func markInTheFirstRowIsQueried() {
    let found = Self.table("Sample", ["", "haemolysed", "", "", ""]).findings
    #expect(found.filter { $0.severity == .error }.map(\.code) == [.columnUnit])
  }

  @Test(arguments: [
    ("EXCLUDE", ["", "0", "0", "1", "0"]), ("include", ["", "yes", "yes", "no", "ok"]),
    ("exclude_remark", ["", "", "fine", "discarded", ""]),
  ])
  func exclusionColumnLeavesReadingsOut(_ header: String, _ cells: [String]) throws {
    let study = try Self.table(header, cells).read()
    #expect(study.series[0].readings.map(\.isExcluded) == [false, false, true, false])
    #expect(study.series[0].subject.covariates.isEmpty)
    #expect(study.allDiagnostics.isEmpty)
  }

  @Test func constantWordIsNoMark() {
    #expect(Self.table("Metaboliser", Array(repeating: "poor", count: 5)).findings.isEmpty)
    #expect(Self.table("Outlier", Array(repeating: "0", count: 5)).findings.isEmpty)
  }

  @Test func remarksAreNoCovariates() throws {
    let study = try Self.table("Remark", ["thirsty", "", "", "", ""]).read()
    #expect(study.series[0].subject.covariates.isEmpty)
    #expect(study.allDiagnostics.map(\.code) == [.columnIgnored])
    let other = try Self.table("Mood", ["", "", "cheerful", "", ""]).read()
    #expect(other.allDiagnostics.map(\.code) == [.descriptionChanges])
    #expect(other.allDiagnostics.first?.message.contains("a remark of the row") == true)
  }

  private static func sessions(_ header: String, _ names: [String]) -> EventSample {
    EventSample(
      "ID,TIME,AMT,DV,SEX,AGE,HT,WT\(header.isEmpty ? "" : ",\(header)")\n"
        + names.flatMap { name in
          ["0,40,.", "0.5,.,0.4", "1,.,0.5", "2,.,0.35", "3,.,0.2"].map {
            "1,\($0),m,30,178,80\(header.isEmpty ? "" : ",\(name)")"
          }
        }.joined(separator: "\n"))
  }

  @Test(arguments: ["Week", "Arm", "Session", "Treatment"])
  func sessionsAreQueried(_ header: String) {
    let asked = Self.sessions(header, ["1", "2"]).findings.filter { $0.severity == .error }
    #expect(asked.map(\.code) == [.columnAmbiguous])
    #expect(asked.first?.location.line == 8)
    #expect(asked.first?.statements == ["\(header)=occasion", "\(header)=ignore"])
  }

  @Test func restartingTimesNeedAnOccasion() throws {
    var twice = Self.sessions("", ["1", "2"])
    twice.text = twice.text.replacing("1,1,.,0.5,m", with: "1,0.5,.,0.5,m")
    #expect(try twice.read().series[0].firstError?.code == .time)
    let refused = try Self.sessions("", ["1", "2"]).read()
    #expect(refused.series[0].firstError?.code == .time)
    #expect(refused.series[0].firstError?.remedy.contains("OCC") == true)
    #expect(try Self.sessions("OCC", ["1", "2"]).read().series.count == 2)
  }

  @Test func restartingTimesInAFolderMayBeTwoInstruments() {
    let found = StudySample(
      readings:
        "subject,time_min,bac_g_per_kg\nann,60,.4\nann,120,.3\nann,180,.2\nann,60,.41\nann,120,.31\nann,180,.2\n"
    ).findings.filter { $0.code == .timeOrder }
    #expect(found.map(\.location.line) == [5])
    #expect(found.first?.remedy.contains("column occasion") == true)
  }
}
