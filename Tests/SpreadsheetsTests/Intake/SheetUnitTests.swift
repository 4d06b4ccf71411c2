import AlcoholKinetics
import StudyFiles
import TestSupport
import Testing

@testable import Spreadsheets
@testable import StudyData

/// Units of doses, strengths, readings and times: those that exist, and questions that offer only what fits.
@Suite struct SheetUnitTests {
  private static func sheet(_ header: String, _ value: String = "30") -> String {
    "Name|Weight (kg)|\(header)|Time (min)|BAC (g/L)\nA|75|\(value)|0|\nA|75||60|0.33\nA|75||120|0.2"
  }

  private static func grams(_ sheet: String, map: String? = nil) throws -> Double {
    let series = try SheetText.study(sheet, map: map).series[0]
    let grams = series.drinks[0].ethanol.mass(forBodyWeight: series.subject.weight)?.value ?? 0
    return (grams * 100).rounded() / 100
  }

  @Test(arguments: [
    ("Ethanol (ml)", "30", 23.67), ("Pure alcohol (ml)", "30", 23.67),
    ("Dose (mL ethanol)", "30", 23.67), ("Ethanol (ml/kg)", "0.4", 23.67),
    ("Ethanol (cl)", "3", 23.67),
    ("Ethanol (UK units)", "3", 24), ("Ethanol (US fl oz)", "1", 23.33),
  ])
  func pureAlcoholInOtherUnitsIsRead(_ header: String, _ value: String, _ grams: Double) throws {
    #expect(try Self.grams(Self.sheet(header, value)) == grams)
  }

  @Test(arguments: [
    ("Dose (ml)", ["ethanol_ml", "volume_ml"]), ("Alcohol (ml)", ["ethanol_ml", "volume_ml"]),
    ("Ethanol (units)", ["ethanol_uk_units", "ethanol_eu_drinks", "ethanol_us_drinks"]),
    ("Ethanol (standard drinks)", ["ethanol_uk_units", "ethanol_eu_drinks", "ethanol_us_drinks"]),
    ("Ethanol (oz)", ["ethanol_oz", "ethanol_us_fl_oz", "ethanol_uk_fl_oz"]),
    ("Ethanol (fl oz)", ["ethanol_us_fl_oz", "ethanol_uk_fl_oz"]),
  ])
  func ambiguousUnitsAreQueried(_ header: String, _ names: [String]) {
    let found = SheetText.findings(Self.sheet(header))
    #expect(found.map(\.code) == [.columnUnit])
    #expect(found.first?.statements == names.map { "\(header)=\($0)" })
  }

  /// An unsupported unit has to be converted: no wrong unit is offered.
  @Test(arguments: ["Ethanol (lb)", "Weight (cm)", "Height (kg)", "Time (mg)"])
  func unsupportedUnitHasToBeConverted(_ header: String) {
    let sheet =
      "Name|\(header)|Ethanol (g)|Drink time (min)|Reading time (min)|BAC (g/L)\nA|75|30|0||\nA|75|||60|0.33"
    let found = SheetText.findings(sheet)
    #expect(found.first?.code == .columnUnit)
    #expect(found.first?.statements == ["\(header)=ignore"])
    #expect(found.first?.remedy.contains("convert it") == true)
  }

  @Test(arguments: [
    "Alcohol (%)", "Alkohol (Vol.-%)", "Alkohol (vol%)", "Alkohol (% vol)", "Alcool (% vol)",
    "Alkohol (obj. %)", "Alkoholgehalt (Vol.-%)", "Alcohol (% v/v)", "Vol.-%", "% obj.",
  ])
  func strengthBesideAVolumeIsRead(_ header: String) throws {
    let sheet = """
      Subject|Weight (kg)|Volume (ml)|\(header)|Time (min)|BAC (g/L)
      A|80|500|8|0|
      A|80|||30|0.35
      A|80|||60|0.50
      """
    #expect(try Self.grams(sheet) == 31.56)
  }

  @Test(arguments: ["Alcohol (% w/w)", "Alkohol (Gew.-%)", "ABW (% by weight)"])
  func strengthByWeightIsConverted(_ header: String) throws {
    let sheet = """
      Subject|Weight (kg)|Volume (ml)|\(header)|Time (min)|BAC (g/L)
      A|80|500|4|0|
      A|80|||60|0.50
      """
    let map = header.hasPrefix("ABW") ? "\(header)=abw_percent" : nil
    let grams = try Self.grams(sheet, map: map)
    #expect(abs(grams - 19.83) < 0.05)
  }

  @Test func imperialVolumesAreRead() throws {
    let sheet = """
      Name|Weight (kg)|Volume (UK fl oz)|ABV (%)|Time (min)|BAC (g/L)
      A|60|20|4|0|
      A|60|||60|0.3
      """
    #expect(try Self.grams(sheet) == 17.93)
    #expect(
      try Self.grams(sheet.replacing("(UK fl oz)|", with: "(dl)|").replacing("|20|", with: "|5|"))
        == 15.78)
    let pints = SheetText.findings(sheet.replacing("(UK fl oz)", with: "(pints)"))
    #expect(
      pints.first?.statements == ["Volume (pints)=volume_us_pint", "Volume (pints)=volume_uk_pint"])
  }

  @Test func readingsInMilligramsPer210LitresAreRead() throws {
    let sheet = "Name|Weight (kg)|Ethanol (g)|Time (min)|BrAC (mg/210L)\nA|75|30|0|\nA|75||60|50"
    let reading = try SheetText.study(sheet).series[0].readings[0]
    #expect(reading.unit == .breathGramsPer210Litres && reading.value == 0.05)
  }

  @Test func urineIsRefused() {
    let sheet =
      "Name|Weight (kg)|Ethanol (g)|Time (min)|BAC (g/L)|Urine alcohol (g/L)\nA|75|30|0||\nA|75||60|0.3|0.5"
    let found = SheetText.findings(sheet)
    #expect(found.map(\.code) == [.columnUnit])
    #expect(found.first?.statements == ["Urine alcohol (g/L)=ignore"])
  }

  @Test(arguments: [
    ("Hours after", "1"), ("TAD (h)", "1"), ("Hours after drinking", "1"),
    ("Minutes since start", "60"), ("Time since drinking started (min)", "60"),
    ("Stunden nach Trinkbeginn", "1"),
  ])
  func timesFromStartOfDrinkingAreRead(_ header: String, _ time: String) throws {
    let sheet = "Name|Weight (kg)|Ethanol (g)|\(header)|BAC (g/L)\nA|75|30|0|\nA|75||\(time)|0.33"
    #expect(try SheetText.study(sheet).series[0].readings[0].time == 1)
  }

  @Test func timesFromEndOfDrinkingAreRefused() {
    let sheet = """
      Name|Weight (kg)|Ethanol (g)|Time since end of drinking (min)|BAC (g/L)
      A|75|30|60|0.33
      """
    #expect(SheetText.findings(sheet).first?.code == .columnUnit)
  }

  @Test func fractionsAsStrengthAreQueried() throws {
    let sheet = """
      Name|Weight (kg)|Volume (ml)|ABV (%)|Time (min)|BAC (g/L)
      A|80|500|0.05|0|
      A|80|||60|0.3
      """
    let found = SheetText.findings(sheet)
    #expect(found.first?.statements == ["ABV (%)=abv_fraction", "ABV (%)=abv_percent"])
    #expect(try Self.grams(sheet, map: "ABV (%)=abv_fraction") == 19.73)
    let days = """
      Name|Weight (kg)|Ethanol (g)|Time (min)|BAC (g/L)
      A|80|40|0|
      A|80||0.0208333333|0.3
      A|80||0.0416666667|0.5
      """
    #expect(
      SheetText.findings(days).first?.statements == ["Time (min)=time_d", "Time (min)=time_min"])
    let times = try SheetText.study(days, map: "Time (min)=time_d").series[0].readings.map(
      \.time.minutes)
    #expect(times.map { $0.rounded() } == [30, 60])
  }

  @Test func yearOfBirthIsNoAge() throws {
    let sheet = """
      Name|Weight (kg)|Age|Date|Ethanol (g)|Time (min)|BAC (g/L)
      A|80|1990|2024-05-01|40|0|
      A|80|1990|2024-05-01||60|0.3
      """
    #expect(SheetText.findings(sheet).first?.statements.first == "Age=birth_date")
    let born = sheet.replacing("|Age|", with: "|Year of birth|")
    #expect(try SheetText.study(born).series[0].subject.age == 33)
  }

  @Test(arguments: [
    ("Poèet", "drink_count"), ("Grš§e (cm)", "height_cm"), ("GrÃ¶ÃŸe (cm)", "height_cm"),
    ("Vìk", "age_y"),
    ("Tìlesná hmotnost (kg)", "weight_kg"), ("Gr\u{FFFD}\u{FFFD}e (cm)", "height_cm"),
  ])
  func headersOfAnotherCodePageAreRead(_ header: String, _ name: String) throws {
    let isCount = name == "drink_count"
    let value = isCount ? "2" : name == "age_y" ? "30" : "180"
    let sheet = """
      Name|\(header)|Objem (ml)|Obsah alkoholu (%)|Time (min)|BAC (g/L)
      A|\(isCount ? "2" : value)|330|5|0|
      A|\(isCount ? "" : value)|||60|0.3
      """
    #expect(try SheetText.taken(sheet)[header] == name)
  }
}
