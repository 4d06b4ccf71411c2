import AlcoholKinetics
import TestSupport
import Testing

@testable import StudyData
@testable import StudyFiles

/// Tables with a column per time, whose headers differ in units.
@Suite struct WideUnitTests {
  private static func sheet(_ headers: [String], _ cells: [String]) -> String {
    """
    Participant|Weight (kg)|Ethanol (g)|\(headers.joined(separator: "|"))
    1|80|40|\(cells.joined(separator: "|"))
    """
  }

  private static func readings(_ headers: [String], _ cells: [String]) throws -> [Reading] {
    try SheetText.study(sheet(headers, cells)).series[0].readings
  }

  @Test func wideColumnsHaveTheirOwnUnits() throws {
    let readings = try Self.readings(
      ["BAC 30 min (g/L)", "BAC 60 min (mg/100 ml)", "BAC 90 min (g/L)"], ["0.5", "45", "0.4"])
    #expect(readings.map(\.unit) == Array(repeating: .bloodGramsPerLitre, count: 3))
    #expect(zip(readings.map(\.value), [0.5, 0.45, 0.4]).allSatisfy { agree($0, $1) })
  }

  /// Ethanol at times is no dose where its cells are in a unit of readings.
  @Test func ethanolWithReadingUnitsIsNoDose() throws {
    let headers = ["Ethanol 30 min", "Ethanol 60 min", "Ethanol 90 min"]
    let text = Self.sheet(headers, ["23.6 mmol/L", "28 mmol/L", "27.2 mmol/L"])
    #expect(SheetText.findings(text).map(\.code) == [.columnUnit])
    let readings = try SheetText.study(text, map: "*=serum_mmol_per_l").series[0].readings
    #expect(readings.map(\.time.minutes) == [30, 60, 90])
  }

  /// A dose per kg beside readings at times is no reading without a time.
  @Test func dosePerKilogramBesideWideReadingsIsRead() throws {
    let text = """
      Participant|Weight (kg)|Alcohol [g/kg]|BrAC 30 min (mg/L)|BrAC 60 min (mg/L)|BrAC 90 min (mg/L)
      1|80|0.5|0.2|0.25|0.2
      """
    let series = try SheetText.study(text).series[0]
    #expect(series.drinks.count == 1 && series.readings.count == 3)
  }

  @Test func breathAndBloodAreRefused() {
    let headers = [
      "BrAC 30 min (mg/L)", "BAC 45 min (g/L)", "BrAC 60 min (mg/L)", "BAC 75 min (g/L)",
    ]
    let text = Self.sheet(headers, [".25", ".53", ".26", ".5"])
    let findings = SheetText.findings(text)
    #expect(findings.map(\.code) == [.columnAmbiguous])
    let map = "BAC 45 min (g/L)=ignore,BAC 75 min (g/L)=ignore"
    #expect(findings[0].statements == [map])
    // One unit for all of them would be wrong for some.
    #expect(SheetText.findings(text, map: "*=brac_mg_per_l").map(\.code) == [.columnAmbiguous])
  }

  @Test func columnWithoutUnitSharesThatOfTheOthers() throws {
    let readings = try Self.readings(
      ["BAC 30 min (g/L)", "BAC 60 min", "BAC 90 min"], ["0.5", "0.45", "0.4"])
    #expect(readings.map(\.unit) == Array(repeating: .bloodGramsPerLitre, count: 3))
    let mixed = ["BAC 30 min (g/L)", "BAC 60 min (mg/dl)", "BAC 90 min"]
    #expect(
      SheetText.findings(Self.sheet(mixed, ["0.5", "45", "0.4"])).map(\.code) == [.columnUnit])
  }

  /// A time without unit among times with one may be in minutes or hours.
  @Test func timeWithoutUnitBesideOthersIsQueried() throws {
    let text = Self.sheet(
      ["BAC 0", "BAC 20 min", "BAC 1 h", "BAC 2 h", "BAC 5"], ["0", ".5", ".45", ".3", ".1"])
    for _ in 0..<20 {
      let findings = SheetText.findings(text, map: "*=bac_g_per_kg")
      #expect(findings.map(\.code) == [.columnUnit])
      #expect(findings[0].location.column == 8)
    }
    let hours = try SheetText.study(text, map: "*=bac_g_per_kg,*=time_h").series[0].readings
    #expect(hours.map(\.time.minutes) == [0, 20, 60, 120, 300])
    // 0 needs none.
    let zero = try Self.readings(
      ["BAC 0 (g/kg)", "BAC 20 min (g/kg)", "BAC 60 min (g/kg)"], ["0", ".5", ".4"])
    #expect(zero.map(\.time.minutes) == [0, 20, 60])
  }

  @Test func cellsMayCarryTheUnit() throws {
    let readings = try Self.readings(
      ["BrAC 30 min", "BrAC 60 min", "BrAC 90 min"], ["0.46 mg/l", "< 0.03", "0.37 mg/l"])
    #expect(readings.map(\.unit) == Array(repeating: .breathMilligramsPerLitre, count: 3))
    #expect(agree(readings[2].value, 0.37) && readings[1].limitOfDetection == 0.03)
  }

  @Test(arguments: [
    ["BAC 0,5 h (g/L)", "BAC 1 h (g/L)", "BAC 2,5 h (g/L)"],
    ["BAC (g/L) 0.5 h", "BAC (g/L) 1 h", "BAC (g/L) 2.5 h"],
    ["BAC (g/L) 30 min", "BAC (g/L) 60 min", "BAC (g/L) 150 min"],
    ["Ethanol 30 min (g/L)", "Ethanol 60 min (g/L)", "Ethanol 150 min (g/L)"],
  ])
  func timesMayPrecedeOrFollowUnits(_ headers: [String]) throws {
    let text = Self.sheet(headers, ["0.5", "0.45", "0.3"])
    let map = headers[0].hasPrefix("Ethanol") ? "*=bac_g_per_l" : nil
    let readings = try SheetText.study(text, map: map).series[0].readings
    #expect(readings.map(\.time.minutes) == [30, 60, 150])
    #expect(readings.map(\.unit) == Array(repeating: .bloodGramsPerLitre, count: 3))
  }
}
