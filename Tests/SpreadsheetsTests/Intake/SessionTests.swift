import AlcoholKinetics
import StudyFiles
import TestSupport
import Testing

@testable import Spreadsheets
@testable import StudyData

/// Times of a person that begin again are another session, under any header.
@Suite struct SessionTests {
  private static func sheet(_ header: String, _ names: [String]) -> String {
    let rows = names.flatMap { name in
      [
        "A|80|40|0||\(name)", "A|80||30|0.4|\(name)", "A|80||60|0.5|\(name)",
        "A|80||120|0.3|\(name)",
      ]
    }
    return (["Name|Weight (kg)|Ethanol (g)|Time (min)|BAC (g/kg)|\(header)"] + rows).joined(
      separator: "\n")
  }

  @Test(arguments: [
    "Week", "Arm", "Block", "Run", "Episode", "Condition", "Treatment", "Týden", "Bedingung",
  ])
  func columnSeparatingSessionsIsQueried(_ header: String) throws {
    let sheet = Self.sheet(header, ["one", "two"])
    let found = SheetText.findings(sheet)
    #expect(found.map(\.code) == [.columnAmbiguous])
    #expect(found[0].location.line == 7)
    #expect(found[0].statements == ["\(header)=occasion", "\(header)=ignore"])
    let study = try SheetText.study(sheet, map: found[0].statements[0])
    #expect(study.series.map(\.readings.count) == [3, 3])
    #expect(study.series.map(\.drinks.count) == [1, 1])
  }

  @Test func interleavedSessionsAreSeparated() throws {
    let rows = [0, 30, 60].flatMap { time in
      ["x", "y"].map { "A|80|\(time == 0 ? "40" : "")|\(time)|\(time == 0 ? "0" : "0.4")|\($0)" }
    }
    let sheet = (["Name|Weight (kg)|Ethanol (g)|Time (min)|BAC (g/kg)|Arm"] + rows).joined(
      separator: "\n")
    #expect(SheetText.findings(sheet).first?.statements.first == "Arm=occasion")
  }

  @Test func sessionsWithoutSeparatingColumnAreRefused() {
    let sheet = Self.sheet("Device", ["d", "d"])
    #expect(SheetText.findings(sheet).map(\.code) == [.time])
  }

  @Test func unorderedRowsAreNoSessions() throws {
    let sheet = """
      Name|Weight (kg)|Ethanol (g)|Time (min)|BAC (g/kg)|Operator
      A|80|40|0||x
      A|80||30|0.4|x
      A|80||20|0.3|y
      A|80||60|0.5|x
      A|80||60|0.52|y
      A|80||90|0.4|y
      """
    #expect(!SheetText.findings(sheet).contains { $0.severity == .error })
    #expect(
      try SheetText.opened(sheet).summary.hasSuffix(
        "not used, though rows of a subject differ in it: Operator"))
  }
}
