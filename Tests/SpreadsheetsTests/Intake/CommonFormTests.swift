import AlcoholKinetics
import StudyFiles
import TestSupport
import Testing

@testable import Spreadsheets
@testable import StudyData

/// Common forms of tables and cells: forms with questions, two rows of headers, totals, blocks, marks and units in cells.
@Suite struct CommonFormTests {
  // MARK: Headers

  @Test(arguments: [
    ("What is your participant ID?", "subject"), ("How old are you?", "age_y"), ("Your sex", "sex"),
    ("What is your weight? (kg)", "weight_kg"), ("How tall are you? (cm)", "height_cm"),
    ("Wie alt sind Sie?", "age_y"),
    ("What did you just drink? (leave empty if nothing)", "drink"),
    ("What does the breathalyser show? (mg/L)", "brac_mg_per_l"),
  ])
  func questionHeadersAreUnderstood(_ header: String, _ name: String) throws {
    let (word, unit) = try #require(HeaderText(header).reading)
    let meaning = unit.flatMap(word.meaning) ?? word.plain
    #expect(meaning?.name == name)
  }

  @Test func surveyFormIsRead() throws {
    let sheet = """
      Timestamp|What is your participant ID?|Your sex|How old are you?|Your height (cm)|Your weight (kg)|What did you just drink? (leave empty if nothing)|What does the breathalyser show? (mg/L)|Comments
      11/14/2025 20:00:00|A1|Female|22|165|60|2 beers (0.5 l)||
      11/14/2025 20:20:00|A1|Female|||||0.25|
      11/14/2025 20:35:00|A1|Female|||||0.33|
      """
    let series = try SheetText.study(sheet).series[0]
    #expect(series.drinks.count == 1 && series.readings.map(\.time.minutes) == [20, 35])
    #expect(
      series.subject.age == 22 && series.subject.weight == 60 && series.subject.sex == .female)
  }

  @Test(arguments: [
    "BrAC (g/210 L) at minutes after start", "BrAC (g/210 L)",
    "Breath alcohol at min after drinking (g/210 L)",
  ])
  func timesInTheRowBelowBelongToTheHeader(_ title: String) throws {
    let sheet = """
      Subject|Weight (kg)|Ethanol dose (g)|\(title)||||
      |||35|50|65|100|300
      Amelia|60|28|0.048|0.048|0.054|0.046|0
      Brian|86|42|0.053|0.054|0.055|0.045|0
      """
    let series = try SheetText.study(sheet).series
    #expect(series.map(\.readings.count) == [5, 5])
    #expect(series[0].readings.map(\.time.minutes) == [35, 50, 65, 100, 300])
    #expect(series[0].readings[0].unit == .breathGramsPer210Litres)
  }

  @Test func dateWithTimeGivesBoth() throws {
    let sheet = """
      Name|Weight (kg)|Ethanol (g)|Date|BAC (g/kg)
      A|80|40|2026-03-14 20:00|
      A|80||2026-03-14 21:00|0.5
      A|80||2026-03-15 00:30|0.2
      """
    #expect(try SheetText.study(sheet).series[0].readings.map(\.time.minutes) == [60, 270])
  }

  // MARK: Rows

  @Test func totalsCommentsAndRepeatedHeadersAreSkipped() throws {
    let sheet = """
      Name|Weight (kg)|Ethanol (g)|Time (min)|BAC (g/kg)
      A|80|20|0|
      A|80|20|20|
      A total||40||
      A|80||60|0.5
      # device changed here
      Name|Weight (kg)|Ethanol (g)|Time (min)|BAC (g/kg)
      B|80|20|0|
      B|80||60|0.2
      the subject went home early
      Summe||60||
      """
    let study = try SheetText.study(sheet)
    #expect(study.series.map(\.subject.id) == ["A", "B"])
    #expect(study.series.map(\.drinks.count) == [2, 1])
    #expect(study.allDiagnostics.contains { $0.code == .summaryRows })
  }

  @Test func stackedBlocksAreSeparatePeople() throws {
    let block = { (name: String, drink: String) in
      """
      Name:|\(name)
      Sex:|F
      Weight:|61 kg
      Drinks:|\(drink)
      Drinking from|7:00 PM|to|7:30 PM
      Time|BrAC (g/210L)|Notes
      8:00 PM|0.03|
      8:30 PM|0.04|
      """
    }
    let sheet =
      block("Amelia", "2 x 5 oz wine (12%)") + "\n\n" + block("Brian", "3 x 5 oz wine (12%)")
    let series = try SheetText.study(sheet).series
    #expect(series.map(\.subject.id) == ["Amelia", "Brian"])
    #expect(series.map(\.drinks.count) == [1, 1])
    #expect(series[0].drinks[0].duration.minutes.rounded() == 30)
    #expect(series[1].readings.map(\.time.minutes) == [60, 90])
  }

  @Test func sheetPerSessionIsQueried() throws {
    let tables = ["One", "Two"].map { name in
      var table = SheetText.table(
        "Participant|Weight (kg)|Ethanol (g)|Time (min)|BAC (g/kg)\nA|80|40|0|\nA|80||60|0.5\nA|80||90|0.4"
      )
      table.name = name
      return table
    }
    #expect(throws: StudyError.self) { _ = try SheetStudy(tables, path: "book") }
    let map = try ColumnMap("[sheet]=occasion")
    let sheet = try #require(try SheetStudy(tables, path: "book", map: map))
    let study = try sheet.folder.study()
    #expect(study.series.map(\.occasion) == ["One", "Two"])
    #expect(study.series.map(\.readings.count) == [2, 2])
  }

  @Test func subjectNumbersMatchWithDecimalPoint() throws {
    let people = SheetText.table("ID|Sex|Weight (kg)|Ethanol (g)\n1|m|80|40\n2|f|60|30")
    let readings = SheetText.table("ID|Time (min)|BAC (g/kg)\n1.0|60|0.5\n2.0|60|0.4")
    let sheet = try #require(try SheetStudy([people, readings], path: "book"))
    let study = try sheet.folder.study()
    #expect(
      study.series.map(\.subject.id) == ["1", "2"] && study.series.map(\.readings.count) == [1, 1])
  }

  @Test func numberedColumnsOfReadingsAreReplicates() throws {
    let sheet = """
      Subject|Weight (kg)|Ethanol (g)|Time (min)|BAC 1 (g/L)|BAC 2 (g/L)
      A|80|40|0||
      A|80||60|0.5|0.52
      A|80||120|0.4|
      """
    let readings = try SheetText.study(sheet).series[0].readings
    #expect(readings.map(\.value) == [0.5, 0.52, 0.4])
    #expect(readings.map(\.time.minutes) == [60, 60, 120])
    // In two units they are two things.
    #expect(!SheetText.findings(sheet.replacing("2 (g/L)", with: "2 (g/kg)")).isEmpty)
  }

  @Test func twoInstrumentsMayBothBeUsed() throws {
    let sheet = """
      Subject|Weight (kg)|Ethanol (g)|Time (min)|BrAC Alco (mg/L)|BrAC Sober (mg/L)
      A|80|40|0||
      A|80||60|0.25|0.26
      A|80||120|0.2|0.21
      """
    let both = "BrAC Alco (mg/L)=brac_mg_per_l,BrAC Sober (mg/L)=brac_mg_per_l"
    #expect(!SheetText.findings(sheet).filter { $0.severity == .error }.isEmpty)
    let readings = try SheetText.study(sheet, map: both).series[0].readings
    #expect(readings.map(\.value) == [0.25, 0.26, 0.2, 0.21])
  }

  /// Questions about people and marks do not wait for those about times and readings.
  @Test func independentQuestionsAreAskedTogether() {
    let rows = ["1", "2"].flatMap { week in
      [
        "A|1|0|40||\(week)|", "A|1|30||0.4|\(week)|",
        "A|1|60||0.5|\(week)|\(week == "1" ? "1" : "")",
      ]
    }
    let sheet =
      (["Name|Sex|Time (min)|Ethanol (g)|BAC (g/kg)|Week|Outlier"] + rows + ["A|1|90||n.d.|2|"])
      .joined(separator: "\n")
    #expect(
      Set(SheetText.findings(sheet).map(\.code)) == [
        .sex, .columnUnit, .columnAmbiguous, .range,
      ])
  }

  // MARK: Cells

  @Test(arguments: [
    ("21.30 Uhr", 1290.0), ("22h05", 1325), ("24:00", 1440), ("21 Uhr", 1260), ("7:05 pm", 1145),
  ])
  func timesOfDayAreRead(_ text: String, _ minutes: Double) {
    #expect(ClockTime.minutes(text) == minutes)
  }

  @Test(arguments: [("1h30", 90.0), ("0:20", 20), ("1:05:30", 65.5)])
  func hoursAndMinutesAreRead(_ text: String, _ minutes: Double) {
    #expect(ElapsedTime.minutes(text) == minutes)
  }

  @Test func timesWithMinusSignAndTPrefixAreRead() throws {
    let sheet = """
      Name|Weight (kg)|Ethanol (g)|Time (min)|BAC (g/kg)
      A|80||−15|0
      A|80|40|0|
      A|80||T+90|0.5
      A|80||1h30|0.5
      """
    #expect(try SheetText.study(sheet).series[0].readings.map(\.time.minutes) == [-15, 90, 90])
  }

  @Test func markAfterANumberIsReported() throws {
    let sheet = "Name|Weight (kg)|Ethanol (g)|Time (min)|BAC (g/kg)\nA|80|40|0|\nA|80||60|0.35*"
    #expect(try SheetText.study(sheet).series[0].readings[0].value == 0.35)
    #expect(SheetText.findings(sheet).map(\.code) == [.cellValue])
  }

  @Test func readingBelowUnknownLimitIsAnError() {
    let sheet = "Name|Weight (kg)|Ethanol (g)|Time (min)|BAC (g/kg)\nA|80|40|0|\nA|80||60|n.d."
    let found = SheetText.findings(sheet)
    #expect(found.map(\.code) == [.range])
    #expect(found[0].remedy.contains("<0.02"))
  }

  @Test(arguments: [
    ("2 Kölsch 0,2 l", 15.15), ("ca. 2 Bier (0,5 l)", 39.45), ("etwa 1 Bier 0,5 l", 19.73),
  ])
  func freeTextDrinksAreRead(_ text: String, _ grams: Double) throws {
    let drinks = try WrittenDrink.read(text)
    let all = drinks.reduce(0) { $0 + $1.count * $1.ethanolInOne.value }
    #expect(abs(all - grams) < 0.8, "\(all)")
  }

  @Test func strengthWithUnitInTheCellIsRead() throws {
    let sheet = """
      Name|Gewicht (kg)|Volumen (ml)|Alkoholgehalt|Zeit (min)|BAK (g/kg)
      A|80|200|13,5 Vol.-%|0|
      A|80|||60|0.2
      """
    let grams = try SheetText.study(sheet).series[0].drinks[0].ethanol.mass(forBodyWeight: nil)?
      .value
    #expect(abs((grams ?? 0) - 21.303) < 0.001)
  }

  // MARK: What is refused

  @Test func unknownHeaderListsExistingHeaders() {
    let sheet = "Time (h)|BAC (mg/100 ml)|Ethanol (g)\n0||40\n1|82|\n2|77|"
    let found = SheetText.findings(sheet, map: "Times=time_h")
    #expect(found.contains { $0.message.contains("there are Time (h), BAC (mg/100 ml)") })
    #expect(SheetText.findings(sheet, map: "Time (h)=time_h").map(\.code) == [.columnMissing])
  }

  /// The numbers of answers in Microsoft Forms are no subjects.
  @Test func runningNumberIsNoSubject() throws {
    let sheet = """
      ID|Completion time|Name|Weight (kg)|Ethanol (g)|BrAC (mg/L)
      1|2025-11-14 20:00|Anna|60|30|
      2|2025-11-14 20:30|Anna|||0.3
      3|2025-11-14 20:00|Ben|80|30|
      4|2025-11-14 20:30|Ben|||0.3
      """
    let found = SheetText.findings(sheet)
    #expect(found.map(\.code) == [.columnAmbiguous])
    #expect(found[0].statements == ["Name=subject", "ID=subject"])
    #expect(try SheetText.study(sheet, map: "Name=subject").series.count == 2)
    let people = "ID|Name|Weight (kg)|Ethanol (g)|30 min|60 min|90 min\n1|Anna|60|30|0.5|0.4|0.3"
    #expect(try SheetText.study(people, map: "*=bac_g_per_kg").series.count == 1)
  }

  @Test(arguments: [("0.05?", true), ("0.05/0.06", false), ("0.05 (rep)", false)])
  func markAfterANumberIsNoUnit(_ cell: String, _ isRead: Bool) {
    let sheet = """
      Name|Weight (kg)|Ethanol (g)|Time (min)|BAC (g/kg)
      A|80|40|0|
      A|80||60|0.5
      A|80||90|\(cell)
      """
    #expect(SheetText.findings(sheet).map(\.code) == [isRead ? .cellValue : .number])
  }

  @Test func timesAfterEachDoseAreRefused() {
    let sheet = """
      Name|Weight (kg)|Ethanol (g)|Drink time (min)|Time after dose (min)|BAC (g/kg)
      A|80|20|0|15|0.2
      A|80|20|0|60|0.15
      A|80|20|90|15|0.3
      A|80|20|90|60|0.25
      """
    let found = SheetText.findings(sheet)
    #expect(found.first?.code == .time)
    #expect(found.first?.message.contains("count from each drink") == true)
  }
}
