import AlcoholKinetics
import TestSupport
import Testing

@testable import StudyData
@testable import StudyFiles

/// Headers as people write them.
@Suite struct SheetColumnTests {
  /// A sheet of two people with one column of another header or other values.
  private static func sheet(
    weight: String = "Weight (kg)", weights: (String, String) = ("62", "80"),
    height: String = "Height (cm)", heights: (String, String) = ("168", "180"), sex: String = "Sex",
    sexes: (String, String) = ("f", "m"), reading: String = "BrAC (mg/L)",
    values: (String, String) = ("0.25", "0.2"), subject: String = "Participant"
  ) -> String {
    """
    \(subject)|\(sex)|\(weight)|\(height)|Time (min)|Ethanol (g)|\(reading)
    eve|\(sexes.0)|\(weights.0)|\(heights.0)|0|30|
    eve|\(sexes.0)|\(weights.0)|\(heights.0)|60||\(values.0)
    bob|\(sexes.1)|\(weights.1)|\(heights.1)|0|30|
    bob|\(sexes.1)|\(weights.1)|\(heights.1)|60||\(values.1)
    """
  }

  @Test(arguments: [
    ("BrAC (mg/L)", "brac_mg_per_l"), ("BrAC [mg/l]", "brac_mg_per_l"),
    ("brac mg/l", "brac_mg_per_l"),
    ("BrAC (µg/100 ml)", "brac_ug_per_100ml"), ("BrAC (g/210 L)", "brac_g_per_210l"),
    ("g/210 L", "brac_g_per_210l"), ("BAC (%)", "bac_g_per_100ml"),
    ("BAC (g/100 mL)", "bac_g_per_100ml"),
    ("BAC (g/kg)", "bac_g_per_kg"), ("BAC (‰)", "bac_g_per_kg"), ("BAK (Promille)", "bac_g_per_kg"),
    ("Promille", "bac_g_per_kg"), ("per mille", "bac_g_per_kg"), ("‰", "bac_g_per_kg"),
    ("BAC, mg/100 ml", "bac_mg_per_100ml"), ("BAC (mg/dL)", "bac_mg_per_100ml"),
    ("Blood alcohol (g/L)", "bac_g_per_l"), ("Serum (g/L)", "serum_g_per_l"),
    ("bac_g_per_kg", "bac_g_per_kg"), ("Breath alcohol concentration (mg/l)", "brac_mg_per_l"),
  ])
  func recognisesUnitsOfReadings(_ header: String, _ unit: String) throws {
    #expect(try SheetText.taken(Self.sheet(reading: header))[header] == unit)
  }

  @Test(arguments: ["BAC", "BrAC", "BAC (furlongs)", "Alcohol (mg/L)", "Result"])
  func asksForTheUnitOfReadings(_ header: String) throws {
    let findings = SheetText.findings(Self.sheet(reading: header))
    #expect(findings.map(\.code) == [.columnUnit])
    #expect(findings[0].location == SourceLocation(file: "sheet", line: 1, column: 7))
    #expect(findings[0].statements.contains { $0.hasPrefix("\(header)=") }, "\(findings)")
    let study = try SheetText.study(Self.sheet(reading: header), map: "\(header)=bac_g_per_l")
    #expect(study.series[0].readings[0].unit == .bloodGramsPerLitre)
  }

  @Test(arguments: [
    ("Participant", "subject"), ("ID", "subject"), ("Name", "subject"), ("Subject ID", "subject"),
    ("Proband", "subject"), ("participant_no", "subject"),
  ])
  func recognisesSubjectColumns(_ header: String, _ meaning: String) throws {
    #expect(try SheetText.taken(Self.sheet(subject: header))[header] == meaning)
  }

  @Test(arguments: [
    ("Weight (kg)", "62", 62.0), ("Weight (lb)", "100", 45.359237), ("Weight", "62", 62.0),
    ("Weight in lbs", "100", 45.359237), ("Weight", "62 kg", 62.0), ("Gewicht [kg]", "62", 62.0),
    ("weight_kg", "62", 62.0), ("Body mass (kg)", "62", 62.0),
  ])
  func recognisesWeightColumns(_ header: String, _ text: String, _ kilograms: Double) throws {
    let study = try SheetText.study(Self.sheet(weight: header, weights: (text, text)))
    let weight = try #require(study.series[0].subject.weight)
    #expect(abs(weight.value - kilograms) < 1e-9)
  }

  @Test func asksWhetherWeightsArePounds() {
    let findings = SheetText.findings(Self.sheet(weight: "Weight", weights: ("140", "190")))
    #expect(findings.map(\.code) == [.columnUnit])
    #expect(findings[0].statements.contains("Weight=weight_lb"))
  }

  @Test(arguments: [
    ("Height (cm)", "168", 168.0), ("Height (m)", "1.68", 168.0), ("Height", "1.68", 168.0),
    ("Height", "168", 168.0), ("Height", "5'6\"", 167.64), ("Height (ft in)", "5'6\"", 167.64),
    ("Height (in)", "66", 167.64), ("Größe (cm)", "168", 168.0),
  ])
  func recognisesHeightColumns(_ header: String, _ text: String, _ centimetres: Double) throws {
    let study = try SheetText.study(Self.sheet(height: header, heights: (text, text)))
    let height = try #require(study.series[0].subject.height)
    #expect(abs(height.centimetres - centimetres) < 1e-9)
  }

  @Test(arguments: [
    ("f", "m"), ("w", "m"), ("Female", "MALE"), ("weiblich", "männlich"), ("2", "1"),
  ])
  func recognisesSexColumns(_ first: String, _ second: String) throws {
    let sheet = Self.sheet(sex: "Gender", sexes: (first, second))
    #expect(try SheetText.study(sheet).series.map(\.subject.sex) == [.female, .male])
    let note = try #require(SheetText.notes(sheet)["Gender"])
    #expect(note.contains("\(first) = female"))
  }

  @Test func sexCodesZeroAndOneAreQueried() throws {
    let sheet = Self.sheet(sexes: ("0", "1"))
    #expect(SheetText.findings(sheet).map(\.code) == [.sex])
    let study = try SheetText.study(sheet, map: "Sex=sex_0f1m")
    #expect(study.series.map(\.subject.sex) == [.female, .male])
  }

  @Test(arguments: [
    ("Sex (1=female; 2=male)", "1", "2"), ("Sex (0 = f, 1 = m)", "0", "1"),
    ("Gender (male: 0, female: 1)", "1", "0"), ("Geschlecht (w=1/m=2)", "1", "2"),
  ])
  func headerDefinesSexCodes(_ header: String, _ first: String, _ second: String) throws {
    let sheet = Self.sheet(sex: header, sexes: (first, second))
    #expect(try SheetText.study(sheet).series.map(\.subject.sex) == [.female, .male])
    #expect(try SheetText.notes(sheet)[header]?.contains("as the header says") == true)
  }

  /// A header that explains only some of the numbers leaves the others open.
  @Test func undefinedSexCodesAreQueried() {
    let sheet = Self.sheet(sex: "Sex (2=male)", sexes: ("1", "2"))
    #expect(SheetText.findings(sheet).map(\.code) == [.sex])
  }

  @Test func drinkCountsMultiplyDoses() throws {
    func sheet(_ drink: String, _ count: String, _ volume: String) -> String {
      """
      ID|Weight (kg)|Time (min)|Drink|Quantity|Volume (ml)|BAC (g/kg)
      eve|62|0|\(drink)|\(count)|\(volume)|
      eve|62|60||||0.4
      """
    }
    func grams(_ text: String) throws -> Double? {
      try SheetText.study(text).series[0].drinks.first?.ethanol.mass(forBodyWeight: 62)?.value
    }
    let one = try #require(try grams(sheet("lager", "1", "500")))
    #expect(agree(try grams(sheet("lager", "3", "500")), 3 * one))
    #expect(agree(try grams(sheet("lager", "1.5", "500")), 1.5 * one))
    #expect(
      try SheetText.notes(sheet("lager", "3", "500"))["Quantity"]
        == "so many of the drink in the row")
    #expect(SheetText.findings(sheet("lager", "x", "500")).map(\.code).contains(.number))
  }

  @Test func readsAStrengthByWeight() throws {
    let sheet = """
      ID|Weight (kg)|Time (min)|Volume (ml)|ABV (% w/w)|BAC (g/kg)
      eve|62|0|500|4|
      eve|62|60|||0.4
      """
    let grams = try SheetText.study(sheet).series[0].drinks[0].ethanol.mass(forBodyWeight: nil)
    // 500 ml of 0.991 kg/l, 4 % of them.
    #expect(abs((grams?.value ?? 0) - 19.83) < 0.05)
  }

  @Test func readsAgesFromDatesOfBirth() throws {
    let sheet = """
      ID|Sex|Date of birth|Weight (kg)|Height (cm)|DateTime|Ethanol (g)|BAC (g/kg)
      eve|f|22.11.1990|62|168|2026-11-21 19:00|30|
      eve|f|22.11.1990|62|168|2026-11-21 20:00||0.4
      """
    #expect(try SheetText.study(sheet).series[0].subject.age == 35)
  }

  @Test func duplicateMeaningsAreQueried() throws {
    let sheet = """
      ID|Weight (kg)|Weight (lb)|Time (min)|Ethanol (g)|BAC (g/kg)
      eve|62|137|0|30|
      eve|62|137|60||0.4
      """
    let findings = SheetText.findings(sheet)
    #expect(findings.map(\.code) == [.columnAmbiguous])
    #expect(findings[0].statements.contains("Weight (lb)=ignore"))
    #expect(try SheetText.study(sheet, map: "Weight (lb)=ignore").series[0].subject.weight == 62)
    let both = sheet.replacing("Weight (lb)", with: "BrAC (mg/L)")
    #expect(SheetText.findings(both).map(\.code) == [.columnAmbiguous])
    let same = sheet.replacing("Weight (lb)", with: "Weight (kg)")
    #expect(SheetText.findings(same).map(\.code) == [.columnAmbiguous])
  }

  /// An identifier counts more than a name, which is kept.
  @Test func namesBesideIdentifiersAreCovariates() throws {
    let sheet = """
      ID|Name|Time (min)|Ethanol (g)|BAC (g/kg)|Group|Comment
      1|Eve|0|30||A|late
      1|Eve|60||0.4|A|
      1|Eve|90||0.3|A|early
      """
    let study = try SheetText.study(sheet)
    #expect(study.series[0].subject.id == "1")
    #expect(study.series[0].subject.covariates == ["Name": "Eve", "Group": "A"])
    #expect(try SheetText.taken(sheet)["Comment"] == "not used")
  }

  @Test func statementsMustNameColumns() throws {
    #expect(SheetText.findings(Self.sheet(), map: "Wieght=weight_kg").map(\.code) == [.columnMap])
    for text in ["Weight=weight_stones", "", "=subject", "Weight", "Weight="] {
      #expect(throws: Problem.self) { try ColumnMap(text) }
    }
    let map = try ColumnMap("Weight, kg=weight_kg,a=b=ignore")
    #expect(map.target(of: "weight, KG") == "weight_kg")
    #expect(map.target(of: "a=b") == "ignore")
  }

  /// Findings name the row and the column of the sheet, and what it calls the column.
  @Test func findingsNameTheSheet() throws {
    let findings = SheetText.findings(
      "My study\n" + Self.sheet(weights: ("620", "80"), values: ("0.25", "none")))
    #expect(findings.map(\.code).sorted { $0.rawValue < $1.rawValue } == [.number, .range])
    let weight = try #require(findings.first { $0.code == .range })
    #expect(weight.location == SourceLocation(file: "sheet", line: 3, column: 3))
    #expect(weight.message.hasPrefix("weight_kg (\"Weight (kg)\") is \"620\""))
    let reading = try #require(findings.first { $0.code == .number })
    #expect(reading.location == SourceLocation(file: "sheet", line: 6, column: 7))
  }

  @Test func mergedCellsAreFilled() throws {
    let sheet = """
      ID|Weight (kg)|Time (min)|Ethanol (g)|BAC (g/kg)
      eve|62|0|30|
      ||60||0.4
      ||90||0.3
      """
    let study = try SheetText.study(sheet)
    #expect(study.series[0].readings.count == 2)
    #expect(study.diagnostics.contains { $0.code == .subjectFilled })
  }
}
