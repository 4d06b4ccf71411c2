import AlcoholKinetics
import Foundation
import TestSupport
import Testing

@testable import Spreadsheets
@testable import StudyData
@testable import StudyFiles

/// Tables as people bring them, with what is not in any manual.
@Suite struct FirstHourTests {
  @Test(arguments: [
    "Účastník|Pohlaví|Věk|Výška (cm)|Hmotnost (kg)|Datum|Čas|Nápoj|Objem (ml)|Dech (mg/l)",
    // Windows-1250 read as Windows-1252.
    "Úèastník|Pohlaví|Vìk|Výška (cm)|Hmotnost (kg)|Datum|Èas|Nápoj|Objem (ml)|Dech (mg/l)",
  ])
  func czechHeadersAreRead(_ header: String) throws {
    let sheet =
      header + """

        Jana|žena|25|165|60|21.11.2026|19:30|lager|500|
        Jana|žena|25|165|60|21.11.2026|20:30|||0.3
        Petr|muž|31|180|80|21. 11. 2026|23:30|lager|500|
        Petr|muž|31|180|80|22. 11. 2026|0:15 hod.|||0.2
        """
    let study = try SheetText.study(sheet)
    #expect(study.series.map(\.subject.sex) == [.female, .male])
    #expect(study.series.map { $0.readings[0].time.minutes } == [60, 45])
    #expect(study.series.allSatisfy { $0.firstError == nil && $0.drinks.count == 1 })
  }

  @Test func promileIsPerMille() throws {
    let sheet = "Jméno|Váha|Čas (min)|Alkohol (g)|Promile\na|60|0|40|\na|60|60||0.5"
    #expect(try SheetText.taken(sheet)["Promile"] == "bac_g_per_kg")
    #expect(try SheetText.study(sheet).series[0].drinks.count == 1)
  }

  @Test func unitOnlyHeadersAreRead() throws {
    let sheet = """
      ID|Sex|kg|cm|years|min|ml|% vol|mg/L
      a|m|80|180|30|0|500|5|
      a|m|80|180|30|60|||0.2
      """
    let taken = try SheetText.taken(sheet)
    #expect(taken["ml"] == "volume_ml" && taken["kg"] == "weight_kg" && taken["cm"] == "height_cm")
    #expect(taken["years"] == "age_y" && taken["min"] == "time_min")
    #expect(taken["mg/L"] == "brac_mg_per_l")
    #expect(try SheetText.notes(sheet)["ml"] == "the unit alone; at the time in min")
    // Where it may be two things, or blood, it is asked for.
    let percent = sheet.replacing("% vol", with: "%").replacing("|mg/L", with: "|BrAC (mg/L)")
    #expect(try SheetText.taken(percent)["%"] == "abv_percent")
    let blood = SheetText.findings(sheet.replacing("|0.2", with: "|200"))
    #expect(blood.map(\.code) == [.columnUnit])
    #expect(blood[0].statements.contains("mg/L=ignore"))
    // Beside a column of the kind it is what it was: not used.
    let beside = sheet.replacing("|Sex|", with: "|Weight (kg)|")
      .replacing("|m|", with: "|80|").replacing("|80|80|", with: "|80|81|")
    #expect(try SheetText.taken(beside)["kg"] != "weight_kg")
  }

  private static let rounds = """
    ID|Weight (kg)|Time (min)|Ethanol (g)|BrAC (mg/L)
    a|80|0|12|0
    a|80|60|12|0.1
    a|80|120|12|0.2
    """

  /// A dose that was filled down, or a drink at each reading: the sheet does not tell.
  @Test func equalDrinksAreNotMergedSilently() throws {
    let study = try SheetText.study(Self.rounds)
    #expect(study.series[0].drinks.count == 1)
    let warning = try #require(study.allDiagnostics.first { $0.code == .doseRepeated })
    #expect(warning.location == SourceLocation(file: "sheet", line: 2, column: 4))
    #expect(warning.statements == ["Ethanol (g)=ethanol_g_each"])
    let each = try SheetText.study(Self.rounds, map: "Ethanol (g)=ethanol_g_each")
    #expect(each.series[0].drinks.map(\.time.minutes) == [0, 60, 120])
    #expect(!each.allDiagnostics.contains { $0.code == .doseRepeated })
    // Two of them are as doubtful.
    let two = Self.rounds.split(separator: "\n").prefix(3).joined(separator: "\n")
    #expect(SheetText.findings(two).map(\.code).contains(.doseRepeated))
    // With times of day, when it was drunk is asked for, and both answers are named.
    let clocks = Self.rounds.replacing("Time (min)", with: "Time").replacing(
      "|80|0|", with: "|80|20:00|"
    )
    .replacing("|60|", with: "|21:00|").replacing("|120|", with: "|22:00|")
    let asked = SheetText.findings(clocks)
    #expect(asked.map(\.code) == [.columnMissing])
    #expect(asked[0].statements == ["COLUMN=drink_time", "Ethanol (g)=ethanol_g_each"])
  }

  @Test func ambiguousThousandsSeparatorsAreQueried() throws {
    let table = SheetTable(
      file: "sheet",
      rows: [
        ["ID", "Weight (kg)", "Time (min)", "Ethanol (g)", "BrAC (mg/L)"],
        ["a", "80,5", "0", "40", ""], ["a", "", "60", "", "0.350"], ["a", "", "1.200", "", "0"],
      ].enumerated().map { SheetTable.Row(number: $0 + 1, cells: $1) }, mayHaveDecimalComma: true)
    let error = #expect(throws: StudyError.self) { try SheetStudy([table], path: "sheet") }
    #expect(error?.diagnostics.map(\.code) == [.number])
    #expect(error?.diagnostics[0].location == SourceLocation(file: "sheet", line: 4, column: 3))
    #expect(error?.diagnostics[0].message == "\"1.200\" may be 1200 or 1,200")
  }

  @Test func sheetMayHaveNoReadings() throws {
    let sheet = "ID|Sex|Weight (kg)|Time|Ethanol (g)\na|m|80|19:00|20\na|m|80|20:00|20"
    let study = try SheetText.study(sheet)
    #expect(study.series[0].drinks.map(\.time.minutes) == [0, 60])
    #expect(study.allDiagnostics.map(\.code).contains(.noReadings))
    // A column of numbers that nothing recognises may be what was measured.
    let unknown = "ID|Weight (kg)|Time|Ethanol (g)|Gerät 7\na|80|19:00|20|0\na|80|20:00||0.2"
    #expect(SheetText.findings(unknown).map(\.code) == [.columnMissing])
  }

  @Test func imperialBodyMeasuresAreRead() throws {
    let sheet = """
      ID|Height|Weight (lbs)|Time (min)|Dose (g)|BrAC (mg/L)
      a|5'11"|176|0|40|
      a|5'11"|176|60||0.3
      """
    let subject = try SheetText.study(sheet).series[0].subject
    #expect(abs((subject.height?.value ?? 0) - 1.8034) < 1e-9)
    #expect(abs((subject.weight?.value ?? 0) - 79.832) < 0.001)
  }

  /// A formula without its value, merged cells, and a sheet without anything.
  @Test func oddWorkbooksAreReadOrReported() throws {
    let folder = try TemporaryFolder()
    let text = { (place: String, text: String) in
      "<c r=\"\(place)\" t=\"inlineStr\"><is><t>\(text)</t></is></c>"
    }
    let rows = """
      <row r="1">\(text("A1", "ID"))\(text("B1", "Weight (kg)"))\(text("C1", "Time (min)"))\(text("D1", "Ethanol (g)"))\(text("E1", "BrAC (mg/L)"))</row>
      <row r="2">\(text("A2", "a"))<c r="B2"><v>80</v></c><c r="C2"><v>0</v></c><c r="D2"><v>40</v></c></row>
      <row r="3"><c r="C3"><v>60</v></c><c r="E3"><v>0.3</v></c></row>
      <row r="4"><c r="C4"><f>C3+60</f></c><c r="E4"><v>0.2</v></c></row>
      """
    try folder.write(Data(Zip.workbook(sheet: rows).bytes), to: "odd.xlsx")
    let study = try StudyReader(sheet: folder("odd.xlsx")).study()
    let codes = study.allDiagnostics.map(\.code)
    #expect(codes.contains(.subjectFilled) && codes.contains(.cellValue), "\(codes)")
    // The time that is not there is missed, not guessed.
    #expect(codes.contains(.time))
    try folder.write(Data(Zip.workbook(sheet: "").bytes), to: "blank.xlsx")
    let error = #expect(throws: StudyError.self) { try StudyReader(sheet: folder("blank.xlsx")) }
    #expect(error?.diagnostics.map(\.code) == [.fileFormat])
  }
}
