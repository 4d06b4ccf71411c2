import AlcoholKinetics
import StudyFiles
import Testing

@testable import Spreadsheets
@testable import StudyData

/// Headers of doses, strengths and times: understood or asked about, and never offered with a wrong meaning.
@Suite struct HeaderMeaningTests {
  private static func sheet(_ headers: String, _ cells: String) -> String {
    """
    Participant|Weight (kg)|Time (min)|\(headers)|BAC (g/kg)
    P1|80|0|\(cells)|
    P1|80|60|\(cells.map { $0 == "|" ? "|" : "" }.joined())|0.5
    P1|80|120|\(cells.map { $0 == "|" ? "|" : "" }.joined())|0.4
    """
  }

  private static func grams(_ sheet: String, map: String? = nil) throws -> Double {
    let drinks = try SheetText.study(sheet, map: map).series[0].drinks
    return drinks.reduce(0) { $0 + ($1.ethanol.mass(forBodyWeight: 80)?.value ?? .nan) }
  }

  @Test(arguments: [
    ("mL of ethanol", "50", 39.45), ("Dose (ml EtOH)", "50", 39.45), ("Ethanol (cc)", "50", 39.45),
    ("cc of alcohol", "50", 39.45), ("Reinalkohol (ml)", "50", 39.45),
    ("Reiner Alkohol (ml)", "50", 39.45), ("Pure ethanol (cl)", "5", 39.45),
    ("Absolute alcohol (ml)", "50", 39.45), ("Ethanol 100% (ml)", "50", 39.45),
    ("Reinalkohol (g)", "40", 40), ("g ethanol", "40", 40), ("Grams of ethanol", "40", 40),
    ("Ren alkohol (g)", "40", 40), ("Units (8 g)", "5", 40), ("TE (10 g)", "4", 40),
    ("Standard drinks (10 g)", "4", 40), ("Standard drinks (14 g)", "3", 42),
    ("Drinks (US)", "3", 42), ("Wodka 37,5 Vol.-% (ml)", "100", 29.5875),
  ])
  func doseHeadersGiveTheUnit(_ header: String, _ cell: String, _ grams: Double) throws {
    #expect(abs(try Self.grams(Self.sheet(header, cell)) - grams) < 1e-9)
  }

  @Test(arguments: [
    ("Size (ml)", "500"), ("Drink size (ml)", "500"), ("Glass size (cl)", "50"),
    ("Volume (cc)", "500"), ("Liter", "0.5"), ("ml drunk", "500"),
  ])
  func volumeHeadersGiveTheUnit(_ header: String, _ cell: String) throws {
    #expect(abs(try Self.grams(Self.sheet("\(header)|ABV (%)", "\(cell)|8")) - 31.56) < 1e-9)
  }

  @Test(arguments: [
    ("Degré (%)", "8"), ("Degré alcoolique", "8"), ("Titre alcoométrique (% vol)", "8"),
    ("Grado alcohólico (%)", "8"), ("Graduación alcohólica (% vol)", "8"),
    ("Alkoholhalt (%)", "8"), ("Volymprocent", "8"), ("Alk. %", "8"), ("% alc/vol", "8"),
    ("Alc/vol", "8"), ("Prozent", "8"), ("% alcohol", "8"), ("ethanol_percent", "8"),
    ("Alcohol (g/L)", "63.12"), ("Alcohol (mg/ml)", "63.12"),
  ])
  func strengthHeadersAreRead(_ header: String, _ cell: String) throws {
    let sheet = Self.sheet("Volume (ml)|\(header)", "500|\(cell)")
    #expect(abs(try Self.grams(sheet) - 31.56) < 1e-9)
  }

  @Test(arguments: ["Alkohol (Mass.-%)", "Alcohol (m/m %)"])
  func strengthsByWeightAreConvertedToVolume(_ header: String) throws {
    let sheet = Self.sheet("Volume (ml)|\(header)", "500|6.4")
    #expect(abs(try Self.grams(sheet) - 31.6) < 0.1)
  }

  /// A column that may be the strength is named where none is known.
  @Test(arguments: ["Stupňovitost (%)", "Kraft", "Potency"])
  func possibleStrengthColumnIsQueried(_ header: String) throws {
    let sheet = Self.sheet("Volume (ml)|\(header)", "500|8.2")
    let found = SheetText.findings(sheet)
    #expect(found.map(\.code) == [.columnUnit])
    #expect(found[0].statements == ["\(header)=abv_percent"])
    let grams = try Self.grams(sheet, map: found[0].statements[0])
    #expect(abs(grams - 500 * 0.082 * 0.789) < 1e-9)
  }

  /// Only meanings in the unit of the header are offered.
  @Test(arguments: [
    ("Ethanol (µl)", "50000", ["ignore"]), ("Amount (g)", "40", ["ethanol_g", "ignore"]),
    ("Ethanol 96% (ml)", "50", ["ignore"]),
    ("Alcohol intake total (cl)", "5", ["ethanol_cl", "volume_cl", "covariate", "ignore"]),
  ])
  func onlyPossibleUnitsAreOffered(_ header: String, _ cell: String, _ names: [String]) {
    let found = SheetText.findings(Self.sheet(header, cell))
    #expect(found.map(\.code) == [.columnUnit])
    #expect(found.first?.statements == names.map { "\(header)=\($0)" })
  }

  /// If no column states the drinks, columns of drinks in words and of amounts are named as such.
  @Test func unknownDrinkColumnIsOffered() throws {
    let sheet = Self.sheet("Since last time?", "2 beers (0.5 l 5%)")
    let found = SheetText.findings(sheet)
    #expect(found.map(\.code) == [.columnMissing])
    #expect(found[0].statements == ["Since last time?=drink"])
    #expect(abs(try Self.grams(sheet, map: found[0].statements[0]) - 39.45) < 1e-9)
    let amount = SheetText.findings(Self.sheet("Quantum (cl)", "5"))
    #expect(amount.first?.statements == ["Quantum (cl)=ethanol_cl", "Quantum (cl)=volume_cl"])
  }

  @Test(arguments: [
    "Čas po dopití (min)", "Tid efter avslutat drickande (min)", "Time after 2nd drink (min)",
    "Time after end of drinking (min)", "Zeit nach Trinkende (min)", "Minutes since last drink",
  ])
  func timesFromEndOfDrinkingAreRefused(_ header: String) {
    let sheet = """
      Participant|Weight (kg)|Ethanol (g)|\(header)|BAC (g/kg)
      P1|80|40|30|0.5
      P1|80||60|0.4
      """
    #expect(SheetText.findings(sheet).contains { $0.statements == ["\(header)=ignore"] })
  }

  @Test(arguments: [
    "BAC (g/kg) at minutes after end of drinking", "BAK (‰) Minuten nach Trinkende",
    "BAC (g/kg), min after last drink", "Alcoolémie (g/kg), minutes après la fin",
  ])
  func timesFromEndOfDrinkingAboveColumnsAreRefused(_ header: String) {
    let sheet = """
      Participant|Weight (kg)|Ethanol (g)|\(header)||
      |||30|60|120
      P1|80|40|0.5|0.4|0.3
      """
    let found = SheetText.findings(sheet)
    #expect(found.first?.code == .columnUnit)
    #expect(found.first?.message.contains("counts from the end") == true)
    let wide = sheet.replacing(
      "\(header)||", with: "30 min after end|60 min after end|2 h after end"
    )
    .replacing("|||30|60|120\n", with: "")
    #expect(SheetText.findings(wide).first?.message.contains("counts from the end") == true)
  }

  @Test(arguments: ["30'|60'|120'", "T30|T60|T120", "30 min|1 h|2 h"])
  func timesInASecondHeaderRowAreRead(_ times: String) throws {
    let sheet = """
      Participant|Weight (kg)|Ethanol (g)|BAC (g/kg)||
      |||\(times)
      P1|80|40|0.5|0.4|0.3
      """
    let readings = try SheetText.study(sheet).series[0].readings
    #expect(readings.map(\.time.minutes) == [30, 60, 120])
    let wide = "Participant|Weight (kg)|Ethanol (g)|\(times)\nP1|80|40|0.5|0.4|0.3"
    let study = try SheetText.study(
      wide, map: times.hasPrefix("T") ? "*=bac_g_per_kg,*=time_min" : "*=bac_g_per_kg")
    #expect(study.series[0].readings.map(\.time.minutes) == [30, 60, 120])
  }

  @Test func breathBesideBloodInTwoHeaderRowsIsQueried() {
    let sheet = """
      Participant|Weight (kg)|Ethanol (g)|BrAC (mg/L) at minutes||BAC (g/kg) at minutes|
      |||30|60|30|60
      P1|80|40|0.25|0.2|0.5|0.4
      """
    #expect(SheetText.findings(sheet).map(\.code) == [.columnAmbiguous])
  }

  @Test func aStatementAboutNoWideColumnIsRefused() {
    let sheet = Self.sheet("Ethanol (g)", "40")
    #expect(SheetText.findings(sheet, map: "*=bac_g_per_kg").map(\.code) == [.columnMap])
  }

  @Test(arguments: [
    ("Units", "2", "1"), ("No. of", "2", "1"), ("Anything", "3", "1"), ("x", "2", "2"),
  ])
  func onlyWholeNumbersBesideDrinksMayBeCounts(_ header: String, _ one: String, _ two: String) {
    let sheet = """
      Participant|Weight (kg)|Time (min)|Volume (ml)|ABV (%)|\(header)|BAC (g/kg)
      P1|80|0|500|5|\(one)|
      P1|80|30|500|5|\(two)|
      P1|80|60||||0.5
      P1|80|120||||0.4
      """
    let found = SheetText.findings(sheet)
    #expect(found.map(\.code) == [.columnUnit])
    #expect(found.first?.statements == ["\(header)=drink_count", "\(header)=ignore"])
  }

  @Test(arguments: [("Male", "1"), ("is_male", "yes"), ("Female", "0")])
  func sexMayBeTheHeader(_ header: String, _ cell: String) throws {
    let sheet = Self.sheet("Ethanol (g)", "40").replacing(
      "Weight (kg)", with: "\(header)|Weight (kg)"
    )
    .replacing("P1|80", with: "P1|\(cell)|80")
    #expect(try SheetText.study(sheet).series[0].subject.sex == .male)
  }

  @Test(arguments: [("Geslacht", "vrouw"), ("Sesso", "donna"), ("Sexo", "mulher")])
  func moreWordsForSexAreRead(_ header: String, _ cell: String) throws {
    let sheet = Self.sheet("Ethanol (g)", "40").replacing(
      "Weight (kg)", with: "\(header)|Weight (kg)"
    )
    .replacing("P1|80", with: "P1|\(cell)|80")
    #expect(try SheetText.study(sheet).series[0].subject.sex == .female)
  }

  @Test func unknownSexIsReportedForItsColumn() {
    let sheet = Self.sheet("Ethanol (g)", "40").replacing(
      "Weight (kg)", with: "Geschlecht|Weight (kg)"
    )
    .replacing("P1|80", with: "P1|D|80")
    let found = SheetText.findings(sheet)
    #expect(found.map(\.code) == [.sex])
    #expect(found[0].message.contains("Geschlecht") && found[0].statements.isEmpty)
    #expect(!found[0].remedy.contains("--map"))
  }
}
