import AlcoholKinetics
import StudyFiles
import TestSupport
import Testing

@testable import Spreadsheets
@testable import StudyData

/// Columns beside readings: remarks, marks of readings to exclude, and numbers that are no covariates.
@Suite struct RemarkTests {
  private static func sheet(_ header: String, _ marks: [String]) -> String {
    let values = ["0.2", "0.5", "0.4", "0.3"]
    let rows = zip(values, marks).enumerated().map { index, row in
      "P1|80||\(30 * (index + 1))|\(row.0)|\(row.1)"
    }
    return
      (["Name|Weight (kg)|Ethanol (g)|Time (min)|BAC (g/kg)|\(header)", "P1|80|40|0||"] + rows)
      .joined(separator: "\n")
  }

  @Test(arguments: [
    ("Outlier", "1", "exclude"), ("Valid", "no", "include"), ("Use", "N", "include"),
    ("OK?", "n", "include"), ("Flag", "x", "exclude"), ("Quality", "bad", "exclude_remark"),
    ("Bemerkung", "Probe verworfen", "exclude_remark"), ("Ausreißer", "ja", "exclude"),
    ("Comment", "haemolysed", "exclude_remark"), ("Platné", "ne", "include"),
    ("Remarque", "hémolysé", "exclude_remark"), ("Kommentar", "Kasserad", "exclude_remark"),
    ("Accepted", "false", "include"), ("Note", "discarded (leaked)", "exclude_remark"),
  ])
  func markedReadingIsQueried(_ header: String, _ mark: String, _ name: String) throws {
    let sheet = Self.sheet(header, ["", mark, "", ""])
    let found = SheetText.findings(sheet)
    #expect(found.map(\.code) == [.columnUnit])
    #expect(found.first?.location.line == 4)
    #expect(found.first?.statements == ["\(header)=\(name)", "\(header)=ignore"])
    let excluded = try SheetText.study(sheet, map: "\(header)=\(name)").series[0].readings
    #expect(excluded.map(\.isExcluded) == [false, true, false, false])
    let ignored = try SheetText.study(sheet, map: "\(header)=ignore").series[0].readings
    #expect(!ignored.contains { $0.isExcluded })
  }

  /// Columns of any name whose yes or no sets some readings of an evening apart.
  @Test(arguments: [
    ("Interference", "", "yes"), ("Vomited", "no", "yes"), ("Anything", "0", "1"),
    ("Seen", "", "x"),
  ])
  func yesOrNoBesideReadingsIsQueried(_ header: String, _ other: String, _ mark: String)
    throws
  {
    let sheet = Self.sheet(header, [other, mark, other, other])
    let found = SheetText.findings(sheet)
    #expect(found.map(\.code) == [.columnUnit])
    #expect(found.first?.location.line == 4)
    #expect(found.first?.statements == ["exclude", "include", "ignore"].map { "\(header)=\($0)" })
    let excluded = try SheetText.study(sheet, map: "\(header)=exclude").series[0].readings
    #expect(excluded.map(\.isExcluded) == [false, true, false, false])
    // The same beside all of them, or of another evening, tells nothing.
    #expect(SheetText.findings(Self.sheet(header, [mark, mark, mark, mark])).isEmpty)
  }

  @Test(arguments: [
    ("Remove", "", "x", "exclude"), ("QC", "pass", "fail", "exclude"),
    ("Valid sample", "1", "0", "include"), ("Included in analysis", "1", "0", "include"),
    ("Analysed", "yes", "no", "include"), ("Suspect", "N", "Y", "exclude"),
    ("Plausible", "yes", "no", "include"), ("Missing", "0", "1", "exclude"),
    ("del", "", "1", "exclude"), ("MDV", "0", "1", "exclude"), ("Error", "", "err", "exclude"),
    ("Observaciones", "", "muestra desechada", "exclude_remark"),
    ("Poznámka", "", "vzorek znehodnocen", "exclude_remark"),
    ("Bemerkung", "", "Probe geronnen", "exclude_remark"),
    ("Bemerkung", "", "verschüttet", "exclude_remark"),
    ("Comment", "", "insufficient breath volume", "exclude_remark"),
    ("Comment", "", "hiccup during blow", "exclude_remark"),
    ("Komentář", "", "zvracel", "exclude_remark"),
  ])
  func otherMarksAreQueried(
    _ header: String, _ other: String, _ mark: String, _ name: String
  ) throws {
    let sheet = Self.sheet(header, [other, other, mark, other])
    let found = SheetText.findings(sheet)
    #expect(found.map(\.code) == [.columnUnit])
    #expect(found.first?.statements == ["\(header)=\(name)", "\(header)=ignore"])
    let excluded = try SheetText.study(sheet, map: "\(header)=\(name)").series[0].readings
    #expect(excluded.map(\.isExcluded) == [false, false, true, false])
  }

  /// Grades say which readings are worse, and not which are not to be used.
  @Test(arguments: [("Quality", "A", "D"), ("QA flag", "", "Q")])
  func gradesAreQueried(_ header: String, _ other: String, _ mark: String) {
    let found = SheetText.findings(Self.sheet(header, [other, mark, other, other]))
    #expect(found.map(\.code) == [.columnUnit])
    #expect(found.first?.statements == ["\(header)=ignore"])
  }

  /// A mark is asked about, also while it is unknown which of two columns has the readings.
  @Test func markBesideTwoReadingColumnsIsQueried() {
    let sheet = """
      Name|Weight (kg)|Alcohol (g/kg)|Time (min)|BAC (g/L)|Use
      A|80|0.5|0||Y
      A|80||30|0.4|Y
      A|80||60|0.5|N
      A|80||120|0.4|Y
      """
    #expect(
      SheetText.findings(sheet).first?.statements == ["Use=include", "Use=ignore"])
  }

  @Test func columnWithoutMarksIsIgnored() throws {
    let none = Self.sheet("Outlier", ["0", "0", "0", "0"])
    #expect(try SheetText.taken(none)["Outlier"] == TakenColumn.notUsed)
    #expect(try SheetText.notes(none)["Outlier"] == "marks no reading")
    #expect(
      try SheetText.taken(Self.sheet("Valid", ["yes", "yes", "yes", "yes"]))["Valid"] == "not used")
  }

  @Test func includeNeedsNoQuestion() throws {
    let readings = try SheetText.study(Self.sheet("Include", ["yes", "no", "yes", "ok"])).series[0]
      .readings
    #expect(readings.map(\.isExcluded) == [false, true, false, false])
    let odd = SheetText.findings(Self.sheet("Include", ["yes", "perhaps", "yes", "yes"]))
    #expect(odd.map(\.code) == [.word])
  }

  /// One text in a row of several is about that row.
  @Test func remarkOfAReadingIsNoCovariate() throws {
    let sheet = Self.sheet("Bemerkung", ["", "etwas müde", "", ""])
    #expect(try SheetText.taken(sheet)["Bemerkung"] == TakenColumn.notUsed)
    #expect(try SheetText.notes(sheet)["Bemerkung"] == "remarks of rows: \"etwas müde\"")
    let group = Self.sheet("Group", ["A", "A", "A", "A"])
    #expect(try SheetText.taken(group)["Group"] == "covariate")
    let once = Self.sheet("Group", ["", "", "", ""]).replacing(
      "P1|80|40|0||", with: "P1|80|40|0||A")
    #expect(try SheetText.taken(once)["Group"] == "covariate")
  }

  @Test func columnsOfSeveralSheetsStaySeparate() throws {
    var people = SheetText.table(
      "Proband|Gewicht (kg)|Ethanol (g)|Bemerkung\nP1|80|40|nüchtern\nP2|70|30|")
    people.name = "Probanden"
    var readings = SheetText.table(
      "Proband|Zeit (min)|BAK (g/kg)|Bemerkung\nP1|60|0.4|müde\nP1|90|0.3|müde\nP2|60|0.4|")
    readings.name = "Messungen"
    let sheet = try #require(try SheetStudy([people, readings], path: "book"))
    let study = try sheet.folder.study()
    let facts = study.series.map(\.subject.covariates)
    #expect(facts[0]["Bemerkung"] == "nüchtern")
    #expect(facts[1]["Bemerkung"] ?? "" == "")
  }

  @Test(arguments: [
    ("ABW (%)", "4"), ("Peak BAC", "0.6"), ("Max. Promille", "0.6"), ("EtOH total", "3"),
  ])
  func unknownMeasurementIsNoCovariate(_ header: String, _ value: String) {
    let sheet = Self.sheet(header, Array(repeating: value, count: 4))
    let found = SheetText.findings(sheet)
    #expect(found.map(\.code) == [.columnUnit])
    #expect(found.first?.statements.contains("\(header)=covariate") == true)
  }

  @Test func timesBesideAMeasurementAreReadings() throws {
    let sheet = """
      Name|Weight (kg)|Ethanol (g)|1hr-BAC (g/kg)|2hr-BAC (g/kg)
      A|80|40|0.5|0.4
      """
    let readings = try SheetText.study(sheet).series[0].readings
    #expect(readings.map(\.time.minutes) == [60, 120] && readings.map(\.value) == [0.5, 0.4])
  }
}
