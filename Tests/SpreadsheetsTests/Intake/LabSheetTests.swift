import AlcoholKinetics
import Foundation
import StudyFiles
import TestSupport
import Testing

@testable import Spreadsheets
@testable import StudyData

/// Sheets as laboratories hand them round: rows that are no data, other languages, units in odd places.
@Suite struct LabSheetTests {
  private static func findings(_ text: String, map: String? = nil) -> [DiagnosticCode] {
    SheetText.findings(text, map: map).map(\.code)
  }

  // MARK: Rows that are no data

  @Test func readsUnitsFromTheRowBelowTheHeader() throws {
    let sheet = """
      Participant|Sex|Height|Weight|Dose|Time|BrAC
      |m/f|cm|lb|g|h|(mg/L)
      eve|f|168|137|40|0|
      eve|f|168|137||1.5|0.35
      """
    let series = try #require(try SheetText.study(sheet).series.first)
    #expect(series.readings.map(\.time) == [1.5])
    #expect(series.readings.map(\.unit) == [.breathMilligramsPerLitre])
    #expect(agree(series.subject.weight?.value, 137 * 0.453_592_37))
  }

  @Test func rowOfGroupTitlesIsNotTheHeader() throws {
    let sheet = """
      Subject|||Measurement|
      ID|Sex|Weight (kg)|Time (min)|BAC (g/kg)|Ethanol (g)
      eve|f|62|0||40
      eve|f|62|60|0.7|
      """
    #expect(try SheetText.study(sheet).series.map(\.readings.count) == [1])
  }

  @Test func leavesOutRowsOfStatistics() throws {
    let sheet = """
      Name|Weight (kg)|Dose (g)|30 min|60 min|90 min
      Max|80|40|0.5|0.6|0.5
      SD|60|40|0.6|0.7|0.6
      |||||
      Mean|70|40|0.55|0.65|0.55
      SD|10|0|0.05|0.05|0.05
      Max|80|40|0.6|0.7|0.6
      """
    let study = try SheetText.study(sheet, map: "*=bac_g_per_kg")
    #expect(study.series.map(\.subject.id) == ["Max", "SD"])
    #expect(study.series.map(\.readings.count) == [3, 3])
    let found = try #require(study.diagnostics.first { $0.code == .summaryRows })
    #expect(found.location.line == 5 && found.message.hasPrefix("3 rows"))
  }

  /// Notes below a table are no subjects; a row with only a time is one without a reading.
  @Test(arguments: ["* repeated", "Source: laboratory", "all values are of two samples"])
  func leavesOutNotesBelowTheTable(_ note: String) throws {
    let sheet = """
      Name|Weight (kg)|Dose (g)|Time (min)|BAC (g/kg)
      eve|62|40|0|
      eve|62||30|0.5
      ||||
      \(note)||||
      """
    let study = try SheetText.study(sheet)
    #expect(study.series.map(\.subject.id) == ["eve"])
    let found = try #require(study.diagnostics.first { $0.code == .summaryRows })
    #expect(found.message.contains(note))
    #expect(!SheetSummary.isNote(["", "", "20:45", ""]) && !SheetSummary.isNote(["Eva", "", ""]))
  }

  @Test func leavesOutMeansBelowEachPerson() throws {
    let sheet = """
      Name|Weight (kg)|Dose (g)|Time (min)|BAC (g/kg)
      eve|62|40|0|
      ||||
      |||30|0.5
      |||Mean|0.5
      """
    let study = try SheetText.study(sheet)
    #expect(study.series.flatMap(\.readings).count == 1)
    #expect(study.diagnostics.map(\.code).contains(.summaryRows))
  }

  @Test func transposedTableIsTurned() throws {
    let sheet = """
      Subject|eve|bob
      Sex|f|m
      Weight (kg)|62|80
      Dose (g)|40|50
      """
    let study = try SheetText.study(sheet)
    #expect(study.series.map(\.subject.id) == ["eve", "bob"])
    #expect(study.series.map(\.subject.sex) == [.female, .male])
    #expect(study.series.flatMap(\.drinks).map(\.ethanol) == [.mass(Grams(40)), .mass(Grams(50))])
  }

  @Test func legendTableIsIgnored() throws {
    let data = SheetText.table(Self.sheet("BAC (g/kg)", "0.5"))
    let legend = SheetText.table("Subject|who\nWeight (kg)|on the scale\nTime (min)|since drinking")
    let sheet = try #require(try SheetStudy([data, legend], path: "book"))
    #expect(try sheet.folder.study().series.map(\.subject.id) == ["eve"])
  }

  // MARK: Units

  private static func sheet(_ header: String, _ value: String) -> String {
    """
    Subject|Weight (kg)|Time (min)|Dose (g)|\(header)
    eve|62|0|40|
    eve|62|60||\(value)
    """
  }

  @Test(arguments: [
    ("BAC (g/kg)", "80 mg/100 ml"), ("BAC (g/kg)", "0.08%"), ("BrAC (mg/L)", "35 µg/100 ml"),
    ("bac_g_per_kg", "0.08 %"),
  ])
  func refusesACellInAnotherUnit(_ header: String, _ value: String) {
    #expect(Self.findings(Self.sheet(header, value)) == [.columnAmbiguous])
  }

  @Test(arguments: [
    ("BAC (g/L)", "800 mg/L", 0.8), ("BAC (%)", "0.08%", 0.08), ("BAC", "0.08%", 0.08),
    ("bac_g_per_kg", "0.8 g/kg", 0.8),
    // 46.0684 g/mol, NIST Chemistry WebBook.
    ("BAC (mmol/L)", "20", 0.921_368), ("Serum (mmol/L)", "20", 0.921_368),
  ])
  func convertsACell(_ header: String, _ value: String, _ expected: Double) throws {
    let reading = try #require(
      try SheetText.study(Self.sheet(header, value)).series.first?.readings.first)
    #expect(agree(reading.value, expected))
  }

  @Test func readsTimesWithTheirUnit() throws {
    let sheet = """
      Subject|Weight (kg)|Time|Dose (g)|BAC (g/kg)
      eve|62|0 min|40|
      eve|62|30 min||0.5
      eve|62|1.5 h||0.6
      eve|62|2:30||0.4
      """
    #expect(Self.findings(sheet) == [.time])
    let found = SheetText.findings(sheet)
    #expect(found[0].location.line == 5)
    let readable = sheet.split(separator: "\n").dropLast().joined(separator: "\n")
    let times = try SheetText.study(readable).series[0].readings.map(\.time.minutes)
    #expect(times == [30, 90])
  }

  @Test func breathalyserReadingsMayBeBlood() {
    let found = SheetText.findings(Self.sheet("AAK (‰)", "0.5"))
    #expect(found.map(\.code) == [.columnUnit])
    #expect(found[0].statements.contains("AAK (‰)=bac_g_per_kg"))
  }

  /// A breathalyser of the United States shows g per 210 L.
  @Test func breathPercentageIsPer210Litres() throws {
    let study = try SheetText.study(Self.sheet("BrAC (%)", "0.05"))
    #expect(study.series[0].readings.map(\.unit) == [.breathGramsPer210Litres])
    #expect(study.series[0].readings.map(\.value) == [0.05])
  }

  @Test func hiddenRowsAreReported() throws {
    let sheet = """
      <row r="1"><c r="A1"><v>1</v></c></row><row r="2" hidden="1"><c r="A2"><v>1</v></c><c r="B2"><v>1</v></c></row>
      <row r="3" hidden="1"/><row r="4" hidden="1"><c r="A4"><v>1</v></c></row><row r="5"><c r="A5"><v>2</v></c></row>
      """
    let folder = try TemporaryFolder()
    try folder.write(Data(Zip.workbook(sheet: sheet).bytes), to: "book.xlsx")
    let found = try Workbook(InputFile.existing(folder("book.xlsx"))).sheets[0].findings
    #expect(found.map(\.code) == [.hiddenRows])
    #expect(found[0].message.hasPrefix("2 rows") && found[0].location.line == 2)
  }

  @Test func readsPercentagesOfWorkbooks() {
    let stored: [(Double, String)] = [(0.4, "40%"), (0.07, "7%"), (0.000_475, "0.0475%")]
    for (part, text) in stored { #expect(SheetCell.percentage(part).text == text) }
    for code in ["0%", "0.00%", "0.0\"‰ or\"%", "[Red]0%;-0%"] {
      #expect(SheetCellFormat(code: code) == .percentage)
    }
    for code in ["0.00", "0\"%\"", "0\\%", "General"] {
      #expect(SheetCellFormat(code: code) == nil)
    }
    #expect(SheetCellFormat(builtIn: 10) == .percentage && SheetCellFormat(builtIn: 2) == nil)
    #expect(SheetCellFormat(builtIn: 14) == .date(.day))
  }

  @Test(arguments: ["<LOD", "BLQ", "< LLOQ"])
  func readsLimitOfDetectionFromItsColumn(_ text: String) throws {
    let sheet = Self.sheet("BAC (g/kg)", text)
    #expect(Self.findings(sheet) == [.range])
    let lines = zip(sheet.split(separator: "\n"), ["|LOD (g/kg)", "|", "|0.02"]).map { $0 + $1 }
    let reading = try #require(
      try SheetText.study(lines.joined(separator: "\n")).series.first?.readings.first)
    #expect(reading.limitOfDetection == 0.02 && reading.value < 0.02)
  }

  // MARK: Times

  @Test(arguments: ["Time (h)", "Elapsed time", "Time since dose"])
  func readsHoursAndMinutesSinceTheBeginning(_ header: String) throws {
    let sheet = """
      Subject|Weight (kg)|\(header)|Dose (g)|BAC (g/kg)
      eve|62|0:00|40|
      eve|62|0:20||0.5
      eve|62|10:05:30||0.1
      """
    #expect(try SheetText.taken(sheet)[header] == "time_h_min")
    let times = try SheetText.study(sheet).series[0].readings.map(\.time.minutes)
    #expect(agree(times[0], 20, within: 1e-9))
    #expect(agree(times[1], 605.5, within: 1e-9))
  }

  @Test func asksWhetherHoursAndMinutesAreTimesOfDay() throws {
    let sheet = """
      Subject|Weight (kg)|Time (h)|Dose (g)|BAC (g/kg)
      eve|62|19:30|40|
      eve|62|20:30||0.5
      """
    let found = SheetText.findings(sheet)
    #expect(found.map(\.code) == [.columnUnit])
    #expect(found[0].statements == ["Time (h)=time_h_min", "Time (h)=time"])
    let times = try SheetText.study(sheet, map: "Time (h)=time").series[0].readings.map(
      \.time.minutes)
    #expect(times == [60])
  }

  @Test func readsHoursAndMinutesInHeaders() throws {
    let sheet = "Name|Weight (kg)|Dose (g)|0:30|1:00|2:30\neve|62|40|0.5|0.6|0.4"
    let own = try SheetText.study(sheet, map: "*=bac_g_per_kg").series[0]
    #expect(own.readings.map { $0.time.minutes.rounded() } == [30, 60, 150])
    #expect(Self.findings(sheet, map: "*=bac_g_per_kg,*=time") == [.columnMissing])
  }

  @Test func warnsOfAReadingAtTheFirstDrink() {
    let sheet = """
      Subject|Weight (kg)|Time (min)|Dose (g)|BAC (g/kg)
      eve|62|15|40|0.45
      eve|62|60||0.7
      """
    // The time of the row is that of the reading, unless it is said to be that of the dose.
    #expect(Self.findings(sheet).isEmpty)
    #expect(Self.findings(sheet, map: "Dose (g)=ethanol_g_each") == [.readingEarly])
  }

  @Test(arguments: [
    ("14. März 1996", 1996, 3), ("2 janvier 2001", 2001, 1), ("3 juin 1990", 1990, 6),
    ("3 juil 1990", 1990, 7), ("5 ago 1990", 1990, 8), ("1. července 1990", 1990, 7),
    ("12 oktober 1990", 1990, 10),
  ])
  func readsMonthsOfOtherLanguages(_ text: String, _ year: Int, _ month: Int) throws {
    guard case .day(let day)? = WrittenDate(text) else {
      Issue.record("\(text) is not read")
      return
    }
    let read = CalendarDay(number: day)
    #expect(read.year == year && read.month == month)
  }

  @Test(arguments: ["3 jui 1990", "1. čer 1990", "3 ma 1990", "3 xyz 1990"])
  func refusesMonthsThatMayBeSeveral(_ text: String) { #expect(WrittenDate(text) == nil) }

  @Test func invalidDateOfBirthIsAnError() {
    let sheet = """
      Subject|Date of birth|Weight (kg)|Date|Time|Dose (g)|BAC (g/kg)
      eve|unknown|62|2026-11-21|19:30|40|
      eve|unknown|62|2026-11-21|20:30||0.5
      """
    #expect(Set(Self.findings(sheet)) == [.time])
  }

  // MARK: Languages

  @Test(arguments: [
    "Sujet|Sexe|Âge|Taille (cm)|Poids (kg)|Alcool (g)|Temps (min)|Alcoolémie (g/L)",
    "Sujeto|Sexo|Edad|Talla (cm)|Peso (kg)|Alcohol (g)|Tiempo (min)|Alcoholemia (g/L)",
    "Försöksperson|Kön|Ålder|Längd (cm)|Vikt (kg)|Etanol (g)|Tid (min)|Blodalkohol (g/L)",
    "Proband|Geschlecht|Alter|Größe (cm)|Gewicht (kg)|Alkohol (g)|Zeit (min)|Blutalkohol (g/L)",
    "Účastník|Pohlaví|Věk|Výška (cm)|Váha (kg)|Alkohol (g)|Čas (min)|Krev (g/L)",
  ])
  func recognisesHeadersOfOtherLanguages(_ header: String) throws {
    let study = try SheetText.study(header + "\neve|f|28|168|62|40|0|\neve|f|28|168|62||60|0.7")
    let series = try #require(study.series.first)
    #expect(study.allDiagnostics.isEmpty, "\(study.allDiagnostics)")
    #expect(series.subject.sex == .female && series.subject.weight == 62)
    #expect(series.readings.map(\.unit) == [.bloodGramsPerLitre])
  }

  @Test(arguments: [
    (["M", "H"], [Sex.female, .male]), (["F", "H"], [.female, .male]),
    (["M", "F"], [.male, .female]),
    (["K", "M"], [.female, .male]), (["mujer", "hombre"], [.female, .male]),
    (["femme", "homme"], [.female, .male]),
  ])
  func readsSexesOfOtherLanguages(_ words: [String], _ sexes: [Sex]) throws {
    let sheet =
      "Subject|Sex|Weight (kg)|Time (min)|Dose (g)|BAC (g/kg)"
      + words.enumerated().map { "\np\($0)|\($1)|62|0|40|\np\($0)|\($1)|62|60||0.5" }.joined()
    #expect(try SheetText.study(sheet).series.map(\.subject.sex) == sexes)
  }

  // MARK: Messages

  @Test func remediesNameColumnsNotOptions() {
    let found = SheetText.findings(Self.sheet("BrAC", "0.35"))
    #expect(found.map(\.code) == [.columnUnit])
    #expect(!found[0].description.contains("--"))
    #expect(
      found[0].description.contains("\"BrAC=NAME\", where NAME is brac_mg_per_l (mg/L of breath), ")
    )
    #expect(found[0].spellingOut("--map").remedy.hasPrefix("say what it is: --map \"BrAC=NAME\", "))
  }
}
