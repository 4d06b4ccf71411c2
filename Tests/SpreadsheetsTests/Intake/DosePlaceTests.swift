import AlcoholKinetics
import StudyFiles
import TestSupport
import Testing

@testable import Spreadsheets
@testable import StudyData

/// The time of a dose that stands beside a reading: before it, unless a column says otherwise.
@Suite struct DosePlaceTests {
  private static func times(_ sheet: String, map: String? = nil) throws -> [[Double]] {
    try SheetText.study(sheet, map: map).series.map { $0.drinks.map(\.time.minutes) }
  }

  @Test(arguments: [
    "Time after dose (min)", "Time since dose (min)", "Time (min)", "Minutes after dose",
    "Minutes after", "Time post dose (min)", "min post dose",
  ])
  func singleDoseBesideFirstReadingIsAtZero(_ header: String) throws {
    let sheet = """
      Name|Weight (kg)|Ethanol (g)|\(header)|BAC (g/L)
      A|80|40|15|0.000
      A|80||30|0.361
      A|80||60|0.564
      B|62|30|15|0.000
      B|62||30|0.345
      """
    #expect(try Self.times(sheet) == [[0], [0]])
    #expect(try SheetText.notes(sheet)["Ethanol (g)"]?.contains("at 0 min") == true)
    #expect(try SheetText.study(sheet).series[0].readings.first?.time.minutes == 15)
    let each = try Self.times(sheet, map: "Ethanol (g)=ethanol_g_each")
    #expect(each == [[15], [15]])
  }

  @Test func doseIsAtZeroForAnyNumberOfRows() throws {
    let header = "Subject|Weight (kg)|Ethanol (g)|Time (min)|BAC (g/kg)"
    let one = "\(header)\nA|80|40|60|0.60\nB|60|25|60|0.55\nC|85|40|90|0.48"
    #expect(try Self.times(one) == [[0], [0], [0]])
    let mixed = "\(header)\nA|80|40|60|0.60\nA|80|40|120|0.45\nB|60|25|60|0.55"
    #expect(try Self.times(mixed) == [[0], [0]])
  }

  /// The cell of the dose is merged over all rows of a person.
  @Test func mergedDoseIsOneDrinkAtZero() throws {
    let sheet = """
      Participant|Weight (kg)|Ethanol (g)|Time (min)|BrAC (mg/L)
      P1|80|48|30|0.34
      |||60|0.31
      |||90|0.27
      """
    #expect(try Self.times(sheet) == [[0]])
  }

  /// A first sample without a reading leaves open whether its row is the drink's; a word in its place does not.
  @Test func doseBesideAnEmptyFirstReadingIsQueried() throws {
    let sheet = """
      Participant|Weight (kg)|Ethanol (g)|Time (min)|BrAC (mg/L)
      P1|80|48|30|
      |||60|0.31
      |||90|0.27
      """
    let found = SheetText.findings(sheet)
    #expect(found.map(\.code) == [.ambiguous])
    #expect(found[0].statements == ["Ethanol (g)=ethanol_g_each", "Ethanol (g)=ethanol_g"])
    #expect(try Self.times(sheet, map: "Ethanol (g)=ethanol_g") == [[0]])
    #expect(try Self.times(sheet, map: "Ethanol (g)=ethanol_g_each") == [[30]])
    #expect(try Self.times(sheet.replacing("|30|", with: "|30|NA")) == [[0]])
    let study = try SheetText.study(sheet.replacing("|30|", with: "|30|NA"))
    #expect(study.series[0].readings.map(\.time.minutes) == [60, 90])
  }

  @Test func doseBesideALaterReadingIsQueried() throws {
    let sheet = """
      Name|Weight (kg)|Ethanol (g)|Time (min)|BAC (g/L)
      A|80||0|0.0
      A|80|40|15|0.2
      A|80||60|0.5
      """
    let found = SheetText.findings(sheet)
    #expect(found.map(\.code) == [.ambiguous])
    #expect(found[0].statements == ["Ethanol (g)=ethanol_g_each", "Ethanol (g)=ethanol_g"])
    #expect(try Self.times(sheet, map: found[0].statements[0]) == [[15]])
    #expect(try Self.times(sheet, map: found[0].statements[1]) == [[0]])
    // Nothing was in the blood yet.
    #expect(try Self.times(sheet.replacing("|0.2", with: "|0.0")) == [[15]])
  }

  @Test func clockTimeOfDoseIsQueried() throws {
    let sheet = """
      Name|Weight (kg)|Ethanol (g)|Time|BAC (g/L)
      A|80|40|20:15|0.2
      A|80||20:30|0.361
      A|80||21:00|0.564
      """
    #expect(SheetText.findings(sheet).map(\.code) == [.columnMissing])
    let baseline = sheet.replacing("|0.2", with: "|0.0")
    #expect(try Self.times(baseline) == [[0]])
  }

  @Test func doseInItsOwnRowKeepsItsTime() throws {
    let sheet = """
      Name|Weight (kg)|Ethanol (g)|Time (min)|BAC (g/L)
      A|80|20|10|
      A|80|20|40|
      A|80||60|0.5
      """
    #expect(try Self.times(sheet) == [[10, 40]])
    #expect(
      try SheetText.notes(sheet)["Ethanol (g)"]?.contains("at the time in Time (min)") == true)
    #expect(try SheetText.opened(sheet).summary == "drinks: 2 at 10 to 40 min")
  }
}
