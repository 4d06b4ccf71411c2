import AlcoholKinetics
import StudyFiles
import Testing

@testable import Spreadsheets
@testable import StudyData

/// Tables in which people stand beside each other, or have a sheet each.
@Suite struct SheetFormsTests {
  private static let people = """
    Participant|Sex|Weight (kg)|Ethanol (g)
    Anna|f|61|30
    Ben|m|84|45
    """

  private static func study(
    _ sheets: [(name: String, text: String)], map: String? = nil
  ) throws -> Study {
    try sheet(sheets, map: map).folder.study()
  }

  private static func sheet(
    _ sheets: [(name: String, text: String)], map: String? = nil
  ) throws -> SheetStudy {
    let tables = sheets.map { sheet in
      SheetTable(
        file: "book (\(sheet.name))", rows: SheetText.table(sheet.text).rows, name: sheet.name)
    }
    return try #require(
      try SheetStudy(tables, path: "book", map: try map.map { try ColumnMap($0) } ?? .empty))
  }

  private static func findings(
    _ sheets: [(name: String, text: String)], map: String? = nil
  ) -> [Diagnostic] {
    do {
      return try study(sheets, map: map).allDiagnostics.filter { $0.code != .measureColumnMissing }
    } catch let error as StudyError {
      return error.diagnostics
    } catch {
      return []
    }
  }

  private static func readings(_ study: Study) -> [String: [String]] {
    study.series.reduce(into: [:]) { all, series in
      all[series.subject.id, default: []] += series.readings.map {
        "\($0.time.minutes) \($0.value)"
      }
    }
  }

  private static let expected = [
    "Anna": ["30.0 0.31", "60.0 0.4", "90.0 0.33"], "Ben": ["30.0 0.21", "60.0 0.3", "90.0 0.28"],
  ]

  // MARK: A column per person

  @Test func columnsPerPersonMatchNamesOfAnotherTable() throws {
    let times = """
      Time (min)|Anna|ben
      30|0.31|0.21
      60|0.40|0.30
      90|0.33|0.28
      """
    let study = try Self.study([("People", Self.people), ("BrAC", times)], map: "*=brac_mg_per_l")
    #expect(Self.readings(study) == Self.expected)
    #expect(study.series.map(\.drinks.count) == [1, 1])
    #expect(study.series.first?.readings.first?.unit == .breathMilligramsPerLitre)
    // The unit is asked for.
    let asked = Self.findings([("People", Self.people), ("BrAC", times)])
    #expect(asked.map(\.code) == [.columnUnit])
    #expect(asked.first?.statements.contains("*=brac_mg_per_l") == true)
  }

  @Test func titleAndMeanColumnsAreNoPeople() throws {
    let times = """
      BrAC of the second evening
      Time (h)|Anna|Ben|Mean
      0.5|0.31|0.21|0.26
      1|0.40|0.30|0.35
      1.5|0.33|0.28|0.305
      """
    let study = try Self.study([("People", Self.people), ("BrAC", times)], map: "*=brac_mg_per_l")
    #expect(Self.readings(study) == Self.expected)
  }

  @Test func columnOfAnUnknownPersonIsQueried() {
    let times = """
      Time (min)|Anna|Ben|Bne
      30|0.31|0.21|1
      60|0.40|0.30|1
      90|0.33|0.28|1
      """
    let found = Self.findings([("People", Self.people), ("T", times)], map: "*=brac_mg_per_l")
    #expect(found.map(\.code) == [.columnAmbiguous])
    #expect(found.first?.location == SourceLocation(file: "book (T)", line: 1, column: 4))
    #expect(found.first?.statements == ["Bne=ignore"])
    let study = Self.findings(
      [("People", Self.people), ("T", times)], map: "*=brac_mg_per_l,Bne=ignore")
    #expect(!study.contains { $0.severity == .error })
  }

  @Test func findingsOfATransposedTableHaveTheirPlace() {
    let times = """
      Time (min)|Anna|Ben
      30|0.31|0.21
      60|late|0.30
      90|0.33|0.28
      """
    let found = Self.findings([("People", Self.people), ("T", times)], map: "*=brac_mg_per_l")
    #expect(
      found.first { $0.severity == .error }?.location
        == SourceLocation(file: "book (T)", line: 3, column: 2))
  }

  // MARK: Names in the first column

  @Test func transposedTableIsTurned() throws {
    let text = """
      Subject|Anna|Ben
      Sex|f|m
      Weight (kg)|61|84
      Ethanol (g)|30|45
      Time (min)|BrAC (mg/L)|
      30|0.31|0.21
      60|0.40|0.30
      90|0.33|0.28
      """
    let study = try SheetText.study(text)
    #expect(Self.readings(study) == Self.expected)
    #expect(study.series.map(\.subject.sex) == [.female, .male])
    let wrong = SheetText.findings(text.replacing("84", with: "840"))
    #expect(
      wrong.first { $0.severity == .error }?.location
        == SourceLocation(file: "sheet", line: 3, column: 3))
  }

  /// The unit of the times may be said, and may be days.
  @Test func transposedTableMayHaveDayTimes() throws {
    let text = """
      Subject|Anna|Ben
      Weight (kg)|61|84
      Ethanol (g)|30|45
      Time|BrAC (mg/L)|
      0.0625|0.31|0.21
      0.125|0.40|0.30
      0.1875|0.33|0.28
      """
    let readings = try SheetText.study(text, map: "Time=time_d").series[0].readings
    #expect(readings.map(\.time.value) == [1.5, 3, 4.5])
  }

  // MARK: A sheet per person

  private static func own(_ values: [String], lines: String = "") -> String {
    lines + "Time (min)|BrAC (mg/L)\n"
      + zip([30, 60, 90], values).map { "\($0)|\($1)" }.joined(separator: "\n")
  }

  @Test func sheetsNamedAfterPeopleAreTheirReadings() throws {
    let sheets = [
      ("People", Self.people), ("Anna", Self.own(["0.31", "0.4", "0.33"])),
      ("ben", Self.own(["0.21", "0.3", "0.28"])),
    ]
    let study = try Self.study(sheets)
    #expect(Self.readings(study) == Self.expected)
    let taken = try Self.sheet(sheets).taken
    #expect(taken.count { $0.column == "BrAC (mg/L)" } == 1)
    #expect(taken.first { $0.column == "BrAC (mg/L)" }?.note.contains("in 2 sheets") == true)
  }

  @Test func linesAboveTheHeaderNameThePerson() throws {
    let sheets = [
      (
        "Sheet1",
        Self.own(
          ["0.31", "0.4", "0.33"],
          lines: "Protocol 7\nName: Anna\nSex|f\nWeight: 61 kg\nEthanol (g)|30\n\n")
      ),
      (
        "Sheet2",
        Self.own(
          ["0.21", "0.3", "0.28"],
          lines: "Protocol 7\nName: Ben\nSex|m\nWeight: 84 kg\nEthanol (g)|45\n\n")
      ),
    ]
    let study = try Self.study(sheets)
    #expect(Self.readings(study) == Self.expected)
    #expect(study.series.map(\.subject.weight?.value) == [61, 84])
    #expect(study.series.map(\.drinks.count) == [1, 1])
  }

  @Test func sheetsWithoutSubjectAreQueried() throws {
    let sheets = [
      ("Anna", Self.own(["0.31", "0.4", "0.33"], lines: "Weight (kg)|61\nEthanol (g)|30\n")),
      ("Ben", Self.own(["0.21", "0.3", "0.28"], lines: "Weight (kg)|84\nEthanol (g)|45\n")),
    ]
    let asked = Self.findings(sheets)
    #expect(asked.map(\.code) == [.columnMissing] && asked.first?.statements == ["[sheet]=subject"])
    #expect(Self.readings(try Self.study(sheets, map: "[sheet]=subject")) == Self.expected)
  }

  /// Readings of nobody are not dropped without a word.
  @Test func sheetWithoutSubjectBesideOthersIsNamed() throws {
    let nobody = "Time|BrAC (mg/L)\n30|0.3\n60|0.2"
    let without = Self.findings([("People", Self.people), ("Breath", nobody)])
    #expect(without.map(\.code) == [.columnMissing])
    #expect(without.first?.location.file == "book (Breath)")
    let timed = """
      Participant|Sex|Weight (kg)|Ethanol (g)|Time (min)|BAC (g/L)
      Anna|f|61|30|0|
      Anna||||60|0.4
      Ben|m|84|45|0|
      Ben||||60|0.5
      """
    let beside = Self.findings([("People", timed), ("Breath", nobody)])
    #expect(beside.contains { $0.code == .sheetLeftOut && $0.location.file == "book (Breath)" })
  }

  @Test func sheetsOfPeopleInTwoUnitsAreConverted() throws {
    let sheets = [
      ("People", Self.people), ("Anna", Self.own(["0.31", "0.4", "0.33"])),
      ("Ben", Self.own(["0.21", "0.3", "0.28"]).replacing("BrAC (mg/L)", with: "BAC (g/kg)")),
    ]
    let study = try Self.study(sheets)
    #expect(study.series.flatMap(\.readings).allSatisfy { $0.unit == .bloodGramsPerKilogram })
    #expect(study.allDiagnostics.contains { $0.code == .matrixConverted })
  }

  // MARK: Lines above a header

  private static func person(_ lines: String, _ times: String = "19:30|0.3\n20:00|0.35") -> [(
    name: String, text: String
  )] {
    [("Anna", "F", 60), ("Ben", "M", 80)].map { name, sex, weight in
      (
        name,
        "Name|\(name)\nSex|\(sex)\nWeight (kg)|\(weight)\n\(lines)\n\nTime|BrAC (mg/L)\n\(times)"
      )
    }
  }

  @Test(arguments: [
    ("Volume (ml)|500\nABV (%)|5\nNumber of drinks|2\nDrinking began|19:00", 39.45),
    ("Drinks|0.5 l beer 5%|0.5 l beer 5%\nDrinking from|19:00|to|19:20", 39.45),
    ("Volume (ml)|500|300\nABV (%)|5\nDrinking began|19:00", 31.56),
    ("Drink 1|0.5 l beer 5%|19:00\nDrink 2|0.5 l beer 5%|19:10", 39.45),
    ("Drink|lager 5%, 1 litre\nFrom|19:00\nTo|19:20", 39.45),
    ("Getränke:|2 Bier (0,5 l, 5 %)\nTrinkzeit von|19:00|bis|19:20", 39.45),
  ])
  func drinksInALineAreAllRead(_ lines: String, _ grams: Double) throws {
    for series in try Self.study(Self.person(lines)).series {
      let all = series.drinks.reduce(0) {
        $0 + ($1.ethanol.mass(forBodyWeight: nil)?.value ?? .nan)
      }
      #expect(abs(all - grams) < 1e-9)
      #expect(series.readings.map(\.time.minutes) == [30, 60])
    }
  }

  @Test func unknownLineOfDrinksIsOffered() throws {
    let sheets = Self.person("Drank:|2 beers (0.5 l, 5%)\nDrink time|19:00")
    let found = Self.findings(sheets)
    #expect(found.map(\.code) == [.columnMissing])
    #expect(found[0].statements == ["Drank=drink"])
    #expect(try Self.study(sheets, map: found[0].statements[0]).series[0].drinks.count == 1)
  }
}
