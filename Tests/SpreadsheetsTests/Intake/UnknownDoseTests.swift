import AlcoholKinetics
import StudyFiles
import TestSupport
import Testing

@testable import Spreadsheets
@testable import StudyData

/// A dose that is not known is no drink that was not taken.
@Suite struct UnknownDoseTests {
  private static let words = ["NA", "-", "n/a", "NULL", ".", "#N/A", "–", "missing", "k.A."]

  @Test(arguments: words) func wordInADrinkRowIsAnUnknownDose(_ word: String) {
    let sheet = """
      Participant|Weight (kg)|Time (min)|Ethanol (g)|BrAC (mg/L)
      P1|80|0|\(word)|
      P1|80|20|28|
      P1|80|60||0.44
      P1|80|90||0.40
      """
    let found = SheetText.findings(sheet)
    #expect(found.map(\.code) == [.doseMissing])
    #expect(found[0].location.line == 2 && found[0].location.column == 4)
    // The name stands in the first row only.
    let merged = sheet.replacing("P1|80|20", with: "||20").replacing("P1|80|60", with: "||60")
      .replacing("P1|80|90", with: "||90")
    #expect(SheetText.findings(merged).map(\.code).contains(.doseMissing))
    let second = merged.replacing("P1|80|0|\(word)", with: "P1|80|0|28").replacing(
      "||20|28", with: "||20|\(word)")
    #expect(SheetText.findings(second).map(\.code).contains(.doseMissing))
  }

  /// Tables written by R have NA in every empty cell.
  @Test func wordBesideAReadingIsNoDrink() throws {
    let sheet = """
      Participant|Weight (kg)|Time (min)|Ethanol (g)|BrAC (mg/L)
      P1|80|0|28|NA
      P1|80|60|NA|0.44
      P1|80|75|NA|NA
      P1|80|90|NA|0.40
      P2|80|0|28|NA
      P2|80|60|NA|0.44
      """
    #expect(try SheetText.study(sheet).series.map(\.drinks.count) == [1, 1])
    #expect(SheetText.findings(sheet).isEmpty)
    let unknown = sheet.replacing("P2|80|0|28|NA", with: "P2|80|0|NA|NA\nP2|80|20|28|NA")
    #expect(SheetText.findings(unknown).map(\.code) == [.doseMissing])
  }

  @Test(arguments: words + [""]) func wordInADrinkTableIsAnUnknownDose(_ word: String) throws {
    let drinks = SheetText.table("Person|Time (min)|Ethanol (g)\nP1|0|\(word)\nP1|20|28")
    let readings = SheetText.table("Person|Time (min)|BrAC (mg/L)\nP1|60|0.44\nP1|90|0.4")
    let sheet = try #require(try SheetStudy([drinks, readings], path: "book"))
    let study = try sheet.folder.study()
    #expect(study.allDiagnostics.map(\.code).contains(.doseMissing))
  }

  @Test func emptySecondDrinkIsNoDrink() throws {
    let sheet = """
      Participant|Weight (kg)|Time (min)|Beer (ml)|Wine (ml)|BAC (g/kg)
      P1|80|0|500|-|
      P1|80|60|||0.3
      P2|80|0|-|200|
      P2|80|60|||0.3
      """
    #expect(try SheetText.study(sheet).series.map(\.drinks.count) == [1, 1])
  }

  @Test func unknownFirstDrinkIsAnUnknownDose() throws {
    let sheet = """
      Participant|Weight (kg)|Time (min)|Ethanol (g)|Ethanol 2 (g)|BAC (g/kg)
      P1|80|0|NA|30|
      P1|80|60|||0.3
      """
    #expect(SheetText.findings(sheet).map(\.code).contains(.doseMissing))
    let second = sheet.replacing("|NA|30|", with: "|30|-|")
    #expect(try SheetText.study(second).series[0].drinks.count == 1)
  }

  /// A letter says that something is not known, and so does a time of its own.
  @Test(arguments: ["NA", "n/a", "missing"]) func unknownSecondDrinkIsAnUnknownDose(_ word: String)
  {
    let sheet = """
      Participant|Weight (kg)|Time (min)|Beer (ml)|Wine (ml)|BAC (g/kg)
      P1|80|0|500|\(word)|
      P1|80|60|||0.3
      """
    #expect(SheetText.findings(sheet).map(\.code).contains(.doseMissing))
    for doses in ["Ethanol (g)|Ethanol 2 (g)", "Drink|Drink 2"] {
      let wide = """
        Participant|Weight (kg)|\(doses)|Drink 2 time (min)|30 min|60 min|90 min
        P1|80|0.5 l beer 5%|-|15|0.5|0.4|0.3
        """
      let map = "*=bac_g_per_kg"
      let one = wide.replacing(
        "0.5 l beer 5%", with: doses.hasPrefix("Drink") ? "0.5 l beer 5%" : "20")
      #expect(SheetText.findings(one, map: map).map(\.code).contains(.doseMissing))
    }
  }

  @Test func strengthWithoutVolumeIsAnUnknownDose() {
    let sheet = """
      Participant|Weight (kg)|Time (min)|Volume (ml)|ABV (%)|BAC (g/kg)
      P1|80|0||5|
      P1|80|20|500|5|
      P1|80|60|||0.3
      """
    let found = SheetText.findings(sheet)
    #expect(found.map(\.code) == [.doseMissing])
    #expect(found[0].location.line == 2)
    // Filled down beside readings it is none.
    let filled = sheet.replacing("0||5|", with: "0|300|5|").replacing("60|||", with: "60||5|")
    #expect(!SheetText.findings(filled).map(\.code).contains(.doseMissing))
  }

  @Test(arguments: ["?", "unknown", "tbd", "fehlt", "n.b.", "#VALUE!", "nan"])
  func anyWordInADrinkRowIsAnUnknownDose(_ word: String) {
    let sheet = """
      Participant|Weight (kg)|Time (min)|Ethanol (g)|BrAC (mg/L)
      P1|80|0|\(word)|
      P1|80|20|28|
      P1|80|60||0.44
      """
    let found = SheetText.findings(sheet)
    #expect(found.map(\.code) == [.doseMissing])
    #expect(found[0].location.line == 2 && !found[0].remedy.contains("empty"))
  }

  @Test(arguments: ["NA", "?"]) func unknownDrinkCountIsRefused(_ word: String) {
    let sheet = """
      Participant|Weight (kg)|Time (min)|Drink|Quantity|BAC (g/kg)
      P1|80|0|500 ml beer 5%|\(word)|
      P1|80|60|||0.3
      """
    let found = SheetText.findings(sheet)
    #expect(found.map(\.code) == [.number])
    #expect(found[0].message.contains("no number of drinks"))
  }

  @Test(arguments: ["Duration (min)", "Drinking end (min)"])
  func unknownDurationIsWarnedOf(_ header: String) throws {
    let sheet = """
      Participant|Weight (kg)|Time (min)|Ethanol (g)|\(header)|BAC (g/kg)
      P1|80|0|40|NA|
      P1|80|60|||0.3
      """
    let found = SheetText.findings(sheet)
    #expect(found.map(\.code) == [.doseAtOnce])
    #expect(found[0].location.column == 5)
    #expect(SheetText.findings(sheet.replacing("NA", with: "")).isEmpty)
  }
}
