import AlcoholKinetics
import TestSupport
import Testing

@testable import StudyData
@testable import StudyFiles

/// Columns that state the sample and the unit of readings row by row.
@Suite struct SheetMatrixTests {
  /// Two readings of one person, with a column or two beside them.
  private static func sheet(
    _ reading: String, _ more: String, _ cells: (String, String),
    values: (String, String) = ("60", "50")
  ) -> String {
    """
    ID|Weight (kg)|Time (min)|Dose (g)|\(reading)|\(more)
    1|80|0|40||
    1|80|60||\(values.0)|\(cells.0)
    1|80|90||\(values.1)|\(cells.1)
    """
  }

  private static func readings(_ text: String, map: String? = nil) throws -> [Reading] {
    try SheetText.study(text, map: map).series[0].readings
  }

  @Test(arguments: [
    ("Matrix", "Serum", ConcentrationUnit.serumMilligramsPer100Millilitres),
    ("Specimen", "Plasma", .serumMilligramsPer100Millilitres),
    ("Sample type", "Whole blood", .bloodMilligramsPer100Millilitres),
    ("Probenart", "Vollblut", .bloodMilligramsPer100Millilitres),
    ("Material", "EDTA-Plasma", .serumMilligramsPer100Millilitres),
  ])
  func sampleColumnDecidesTheMatrix(_ header: String, _ word: String, _ unit: ConcentrationUnit)
    throws
  {
    for reading in ["Ethanol mg/100 mL", "Result (mg/dl)", "BAC (mg/100ml)"] {
      let found = try Self.readings(Self.sheet(reading, header, (word, word)))
      #expect(found.map(\.unit) == [unit, unit])
      #expect(found.map(\.value) == [60, 50])
    }
  }

  /// Serum in some rows is converted to the blood of the others, with a stated ratio.
  @Test func samplesOfTwoKindsBecomeBlood() throws {
    let text = Self.sheet("Ethanol (mg/dl)", "Specimen", ("Serum", "Blood"))
    let study = try SheetText.study(text)
    let readings = study.series[0].readings
    #expect(readings.map(\.unit) == Array(repeating: .bloodMilligramsPer100Millilitres, count: 2))
    #expect(agree(readings[0].value, 60 / 1.16) && readings[1].value == 50)
    let warning = try #require(study.allDiagnostics.first { $0.code == .matrixConverted })
    #expect(warning.message.contains("1.16"))
    #expect(warning.location == SourceLocation(file: "sheet", line: 3, column: 5))
  }

  @Test(arguments: ["Urine", "Saliva", "Vitreous humour", "cheese", ""])
  func refusesMaterialsOtherThanBlood(_ word: String) {
    let findings = SheetText.findings(Self.sheet("Ethanol (mg/dl)", "Matrix", ("Blood", word)))
    #expect(findings.map(\.code) == [.columnAmbiguous])
    #expect(findings[0].location == SourceLocation(file: "sheet", line: 4, column: 5))
  }

  @Test func aRowMayNotContradictTheHeader() {
    let breath = Self.sheet("BrAC (mg/L)", "Matrix", ("Breath", "Blood"), values: ("0.3", "0.25"))
    #expect(SheetText.findings(breath).map(\.code) == [.columnAmbiguous])
    let stated = Self.sheet("bac_mg_per_100ml", "Matrix", ("Blood", "Serum"))
    #expect(SheetText.findings(stated).map(\.code) == [.columnAmbiguous])
    let unit = Self.sheet("BAC (mg/100ml)", "Unit", ("mg/100 mL", "g/L"))
    #expect(SheetText.findings(unit).map(\.code) == [.columnAmbiguous])
  }

  /// A column of that name that names no samples is none.
  @Test func materialColumnMayMeanSomethingElse() throws {
    let found = try Self.readings(Self.sheet("BAC (mg/100ml)", "Material", ("glass", "glass")))
    #expect(found.map(\.unit) == Array(repeating: .bloodMilligramsPer100Millilitres, count: 2))
  }

  @Test func unknownSampleMatrixIsQueried() {
    let text = Self.sheet("Ethanol mg/100 mL", "Comment", ("", ""))
    let findings = SheetText.findings(text)
    #expect(findings.map(\.code) == [.columnUnit])
    #expect(
      findings[0].statements == [
        "Ethanol mg/100 mL=bac_mg_per_100ml", "Ethanol mg/100 mL=serum_mg_per_100ml",
      ])
  }

  @Test func unitColumnIsReadRowByRow() throws {
    let text = Self.sheet("BAC", "Unit", ("mg/100 mL", "g/L"), values: ("60", "0.5"))
    let found = try Self.readings(text)
    #expect(found.map(\.unit) == Array(repeating: .bloodMilligramsPer100Millilitres, count: 2))
    #expect(found.map(\.value) == [60, 50])
    let both = """
      ID|Weight (kg)|Time (min)|Dose (g)|Result|Unit|Matrix
      1|80|0|40|||
      1|80|60||60|mg/dl|Serum
      1|80|90||9.5|mmol/L|Serum
      """
    let serum = try Self.readings(both)
    #expect(serum.map(\.unit) == Array(repeating: .serumMilligramsPer100Millilitres, count: 2))
    #expect(agree(serum[1].value, 9.5 * 4.606_84))
  }

  /// Cells with units, a row of units and ethanol in g/kg beside a dose.
  @Test func unitsStandInCellsAndRowsBelow() throws {
    let cells = Self.sheet(
      "Alcohol", "Sample type", ("Breath", "Breath"), values: ("0.26 mg/l", "0.2 mg/l"))
    #expect(
      try Self.readings(cells).map(\.unit) == Array(repeating: .breathMilligramsPerLitre, count: 2))
    let below = """
      ID|Weight (kg)|Time (min)|Dose (g)|Resultat|Matris
      ||||mmol/l|
      1|80|0|40||
      1|80|60||10|Blod
      """
    #expect(try Self.readings(below).map(\.unit) == [.bloodGramsPerLitre])
    let perKilogram = """
      ID|Weight (kg)|Time (min)|Volume (ml)|ABV (%)|Ethanol|Matrix|Unit
      1|80|0|410|12.5||Blood|g/kg
      1|80|60|||0.62|Blood|g/kg
      """
    #expect(try Self.readings(perKilogram).map(\.value) == [0.62])
  }

  @Test(arguments: ["Weight", "Gewicht"])
  func weightUnitsAreReadFromTheirColumn(_ header: String) throws {
    let text = """
      ID|\(header)|Unit|Time (min)|Dose (g)|BAC (g/kg)
      1|80|kg|0|40|
      1|||60||0.4
      2|200|lb|0|40|
      2|||60||0.4
      """
    let weights = try SheetText.study(text).series.compactMap(\.subject.weight?.value)
    #expect(weights.count == 2 && weights[0] == 80 && agree(weights[1], 90.718474))
  }

  // MARK: Limits

  @Test(arguments: [
    ("LOD (g/L)", "0.2"), ("LOD (mg/100ml)", "20"), ("LOD", "20"), ("LOD", "0.2 g/L"),
    ("LOD mg/dl", "20"),
  ])
  func aLimitIsReadInItsOwnUnit(_ header: String, _ limit: String) throws {
    let text = Self.sheet("BAC (mg/100ml)", header, (limit, limit), values: ("<LOD", "50"))
    let readings = try Self.readings(text)
    #expect(readings.map(\.limitOfDetection) == [20, 20])
    #expect(readings.map(\.value) == [0, 50])
  }

  @Test func aLimitInAnotherMatrixIsRefused() {
    let text = Self.sheet("BAC (mg/100ml)", "LOD (g/210L)", ("0.02", "0.02"))
    #expect(SheetText.findings(text).map(\.code) == [.columnAmbiguous])
    let odd = Self.sheet("BAC (mg/100ml)", "LOD (furlongs)", ("0.02", "0.02"))
    #expect(SheetText.findings(odd).map(\.code) == [.columnUnit])
  }

  @Test(arguments: ["ND", "n.d.", "not detected", "neg", "BLQ"])
  func wordsForNotDetectedAreBelowTheLimit(_ word: String) throws {
    let text = Self.sheet("BAC (mg/100ml)", "LOD", ("10", "10"), values: ("40", word))
    #expect(try Self.readings(text).map(\.value) == [40, 0])
  }

  // MARK: Samples

  @Test func duplicateSampleIsCountedOnce() throws {
    let text = """
      Sample no.|ID|Weight (kg)|Time (min)|Dose (g)|BAC (mg/100ml)|Comment
      |1|80|0|40||
      7|1|80|60||60|
      7|1|80|60||60|repeat of same sample
      8|1|80|90||50|
      8|1|80|90||QNS|
      8|1|80|90||48|second analysis
      """
    let study = try SheetText.study(text)
    #expect(study.series[0].readings.map(\.value) == [60, 50, 48])
    #expect(study.allDiagnostics.contains { $0.message.contains("counted once") })
    #expect(
      try SheetText.notes(text)["BAC (mg/100ml)"]?.contains("1 without a result (QNS)") == true)
  }
}
