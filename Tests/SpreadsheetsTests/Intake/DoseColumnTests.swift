import AlcoholKinetics
import Foundation
import StudyFiles
import TestSupport
import Testing

@testable import Spreadsheets
@testable import StudyData

/// Columns of drinks: their ends, doses filled down, running numbers and several drinks in a row.
@Suite struct DoseColumnTests {
  private static func codes(_ text: String, map: String? = nil) -> [DiagnosticCode] {
    SheetText.findings(text, map: map).map(\.code)
  }

  /// The ethanol in g of the drinks of each series, a weight that is not known counting as none.
  private static func grams(_ text: String, map: String? = nil) throws -> [[Double]] {
    try SheetText.study(text, map: map).series.map { series in
      series.drinks.map {
        (($0.ethanol.mass(forBodyWeight: series.subject.weight)?.value ?? 0) * 100).rounded() / 100
      }
    }
  }

  private static func durations(_ text: String, map: String? = nil) throws -> [Double] {
    try SheetText.study(text, map: map).series.flatMap {
      $0.drinks.map { ($0.duration.minutes * 1e6).rounded() / 1e6 }
    }
  }

  // MARK: End of drinking

  @Test(arguments: [
    ("Trinkbeginn", "Trinkende"), ("Drinking start", "Drinking end"),
    ("Start of drinking", "End of drinking"),
    ("Start time", "Stop time"), ("Started", "Finished"), ("Začátek", "Konec"),
    ("Začátek pití", "Konec pití"),
    ("Drink time", "Finished"), ("Début de consommation", "Fin de consommation"), ("Inicio", "Fin"),
    ("Start av drickande", "Slut på drickande"), ("drink_time", "drink_end_time"),
  ])
  func startAndEndGiveADuration(_ begin: String, _ end: String) throws {
    let sheet = """
      Participant|Weight (kg)|Ethanol (g)|\(begin)|\(end)|Sample time|BAC (g/kg)
      1|80|40|20:00|20:20||
      1|80||||21:00|0.5
      2|80|40|23:50|00:10||
      2|80||||00:50|0.5
      """
    #expect(try Self.durations(sheet) == [20, 20])
    #expect(try SheetText.taken(sheet)[end] == "drink_end_time")
    #expect(try SheetText.study(sheet).series.map { $0.readings[0].time.minutes } == [60, 60])
  }

  @Test func endTimesAreReadInEveryForm() throws {
    let minutes = """
      Participant|Weight (kg)|Ethanol (g)|Drink time (min)|Drinking end (min)|Time (min)|BAC (g/kg)
      1|80|40|0|15||
      1|80||||60|0.5
      """
    #expect(try Self.durations(minutes) == [15])
    let dates = """
      Participant|Weight (kg)|Ethanol (g)|Start of drinking|End of drinking|Sample time|BAC (g/kg)
      1|80|40|2026-03-14 23:50|2026-03-15 00:20||
      1|80||||2026-03-15 01:00|0.5
      """
    #expect(try Self.durations(dates) == [30])
    // The date of a row is that of its beginning.
    let dated = """
      Participant|Weight (kg)|Date|Ethanol (g)|Start of drinking|End of drinking|Sample time|BAC (g/kg)
      1|80|2026-03-14|40|23:50|00:20||
      1|80|2026-03-15||||01:00|0.5
      """
    #expect(try Self.durations(dated) == [30])
    let wide = """
      Proband|Gewicht (kg)|Getränk|Trinkbeginn|Trinkende|20:45|21:00|21:30|00:30
      1|80|2 Bier (0,5 l)|20:00|20:20|0.5|0.4|0.3|0
      """
    #expect(try Self.durations(wide, map: "*=bac_g_per_kg") == [20])
    let people = SheetText.table(
      "Participant|Weight (kg)|Ethanol (g)|Drinking start|Drinking end\n1|80|40|20:00|20:20")
    let readings = SheetText.table("Participant|Time|BAC (g/kg)\n1|21:00|0.5\n1|22:00|0.4")
    let sheet = try #require(try SheetStudy([people, readings], path: "book"))
    let study = try sheet.folder.study()
    #expect(study.series.flatMap { $0.drinks.map(\.duration.minutes) }.map { $0.rounded() } == [20])
  }

  @Test func anEndBeforeItsStartIsAnError() throws {
    let sheet = """
      Participant|Weight (kg)|Ethanol (g)|Drinking start|Drinking end|Sample time|BAC (g/kg)
      1|80|40|20:00|19:50||
      1|80||||21:00|0.5
      2|80|40|20:00|20:10||
      2|80||||21:00|0.5
      """
    let study = try SheetText.study(sheet)
    let found = study.allDiagnostics.filter { $0.code == .range }
    #expect(found.count == 1 && found[0].location.line == 2)
    #expect(study.series.map { $0.firstError == nil } == [false, true])
    #expect(
      SheetText.findings(sheet.replacing("19:50", with: "late")).contains { $0.severity == .error })
    #expect(try Self.durations(sheet.replacing("19:50", with: "")) == [0, 10])
  }

  @Test func largeSingleDoseIsDoubted() throws {
    let sheet = """
      Participant|Weight (kg)|Volume (ml)|ABV (%)|Time (min)|BAC (g/kg)
      1|80|1500|5|0|
      1|80|||60|0.7
      """
    #expect(Self.codes(sheet) == [.doseAtOnce])
    #expect(Self.codes(sheet.replacing("1500", with: "1000")).isEmpty)
    let timed = sheet.replacing("ABV (%)|", with: "ABV (%)|Duration (min)|").replacing(
      "|5|", with: "|5|20|"
    )
    .replacing("|||60", with: "||||60")
    #expect(Self.codes(timed).isEmpty)
  }

  // MARK: A dose in every row

  private static func filled(_ change: (Int, Int) -> (dose: String, reading: String)?) -> String {
    let header = "Participant|Sex|Age|Height (cm)|Weight (kg)|Ethanol (g)|Time (min)|BAC (g/kg)"
    let readings = ["0", ".55", ".6", ".5", ".42", ".33", ".25", ".16", ".08"]
    var lines = [header]
    for person in 1...3 {
      for (index, reading) in readings.enumerated() {
        let cells = change(person, index) ?? ("50", reading)
        lines.append("\(person)|male|30|180|80|\(cells.dose)|\(index * 30)|\(cells.reading)")
      }
    }
    return lines.joined(separator: "\n")
  }

  @Test func filledDownDoseIsOneDrink() throws {
    let fifty = [[50.0], [50], [50]]
    #expect(try Self.grams(Self.filled { _, _ in nil }) == fifty)
    // An empty reading of one person.
    #expect(try Self.grams(Self.filled { $0 == 1 && $1 == 4 ? ("50", "") : nil }) == fifty)
    // The first row of one person without a reading, and without a dose.
    #expect(try Self.grams(Self.filled { $0 == 1 && $1 == 0 ? ("50", "") : nil }) == fifty)
    #expect(try Self.grams(Self.filled { $0 == 1 && $1 == 0 ? ("", "0") : nil }) == fifty)
    // The dose of one person in the first row alone.
    #expect(try Self.grams(Self.filled { $0 == 2 && $1 > 0 ? ("", ".4") : nil }) == fifty)
    let study = try SheetText.study(Self.filled { $0 == 1 && $1 == 4 ? ("50", "") : nil })
    #expect(study.series.map { $0.drinks[0].time.minutes } == [0, 0, 0])
    #expect(study.allDiagnostics.count { $0.code == .doseRepeated } == 1)
    // A placebo.
    let placebo = Self.filled { $0 == 2 ? ("0", $1 == 3 ? "" : "0") : nil }
    #expect(try Self.grams(placebo) == [[50], [0], [50]])
  }

  @Test func equalDosesBesideSomeReadingsAreQueried() throws {
    let sheet = Self.filled { $0 == 1 && $1 > 2 ? ("", ".4") : nil }
    let found = SheetText.findings(sheet)
    #expect(found.map(\.code) == [.ambiguous])
    #expect(found[0].location.line == 2)
    #expect(found[0].statements == ["Ethanol (g)=ethanol_g", "Ethanol (g)=ethanol_g_each"])
    #expect(try Self.grams(sheet, map: found[0].statements[0]) == [[50], [50], [50]])
    let each = try Self.grams(sheet, map: found[0].statements[1])
    #expect(each.map(\.count) == [3, 9, 9])
  }

  @Test func drinksInSeparateRowsAreSeparate() throws {
    let sheet = """
      Participant|Weight (kg)|Ethanol (g)|Time (min)|BAC (g/kg)
      1|80|12|0|
      1|80|12|20|
      1|80|12|40|
      1|80||90|0.3
      """
    #expect(try Self.grams(sheet) == [[12, 12, 12]])
  }

  @Test func doseWithItsOwnTimeIsOneDrinkPerTime() throws {
    let sheet = """
      Patient|Weight kg|Ethanol dose (g)|Dose given|Collected|Serum g/L
      1|80|45|14.03.2025 18:00|14.03.2025 18:20|0.66
      1|80|45|14.03.2025 18:00|14.03.2025 19:00|
      1|80|45|14.03.2025 18:00|14.03.2025 19:00|0.8
      1|80|45||14.03.2025 20:00|0.6
      1|80|45|14.03.2025 18:00|15.03.2025 01:00|<0.1
      """
    let map = "Dose given=drink_datetime,Collected=reading_datetime"
    #expect(try Self.grams(sheet, map: map) == [[45]])
    #expect(!Self.codes(sheet, map: map).contains(.doseRepeated))
    let two = sheet.replacing("18:00|15.03", with: "19:00|15.03").replacing(
      "||14.03", with: "|14.03.2025 18:00|14.03")
    #expect(try Self.grams(two, map: map) == [[45, 45]])
  }

  /// In the row of a baseline, or where others have theirs at 0, it may describe the subject.
  @Test func doseInBaselineRowIsQueried() throws {
    let rows = { (first: String) in
      """
      ID|Weight (kg)|Time (min)|Dose (g)|BAC (g/kg)
      1|80|\(first)
      1|80|30||.4
      1|80|60||.5
      1|80|120||.3
      """
    }
    #expect(Self.codes(rows("-10|40|0")) == [.ambiguous])
    let each = "Dose (g)=ethanol_g_each"
    #expect(
      try SheetText.study(rows("-10|40|0"), map: each).series[0].drinks[0].time.minutes == -10)
    let other = "\n2|80|0|40|0\n2|80|30||.4\n2|80|60||.5"
    #expect(Self.codes(rows("-10|40|n/a") + other) == [.ambiguous])
    // Alone in its row, it was taken then.
    #expect(!Self.codes(rows("-10|40|")).contains(.ambiguous))
  }

  /// The date of the row is that of the reading: it moves on at midnight, and the drink does not.
  @Test func filledDownDoseTimeOfTheEveningBeforeIsOneDrink() throws {
    let sheet = """
      Name|Weight (kg)|Date|Time|Dose (g)|Drinking start|BAC (g/kg)
      A|80|2025-06-27|22:00|40|21:30|.3
      A|80|2025-06-27|23:00|40|21:30|.4
      A|80|2025-06-28|00:00|40|21:30|.3
      A|80|2025-06-28|01:00|40|21:30|.1
      """
    let series = try SheetText.study(sheet).series
    #expect(series.count == 1 && series[0].drinks.count == 1)
    #expect(series[0].readings.map(\.time.minutes) == [30, 90, 150, 210])
  }

  @Test func filledDownDosesOfTwoEveningsAreTwo() throws {
    let sheet = """
      Participant|Weight (kg)|Date|Ethanol (g)|Time (min)|BAC (g/kg)
      1|80|2026-03-14|40|0|0
      1|80|2026-03-14|40|60|0.5
      1|80|2026-03-14|40|120|0.3
      1|80|2026-03-21|20|0|0
      1|80|2026-03-21|20|60|0.2
      1|80|2026-03-21|20|120|
      """
    #expect(try Self.grams(sheet) == [[40], [20]])
    #expect(try Self.grams(sheet.replacing("|20|", with: "|40|")) == [[40], [40]])
    #expect(try Self.grams(sheet.replacing("|20|", with: "|0|")) == [[40], [0]])
  }

  @Test func placeboIsReadInLongAndWideTables() throws {
    let long = """
      Participant|Weight (kg)|Ethanol (g)|Time (min)|BAC (g/kg)
      1|80|40|30|0.5
      1|80|40|60|0.4
      2|80|0|30|0
      2|80|0|60|0
      """
    #expect(try Self.grams(long) == [[40], [0]])
    let wide = """
      Participant|Weight (kg)|Ethanol (g)|30 min|60 min|90 min
      1|80|40|0.5|0.4|0.3
      2|80|0|0|0|0
      """
    #expect(try Self.grams(wide, map: "*=bac_g_per_kg") == [[40], [0]])
  }

  @Test func placeboNeedsNoDrinkTime() throws {
    let sheet = """
      Participant|Weight (kg)|Ethanol (g)|Drink time|Time|BAC (g/kg)
      1|80|30|18:00|18:30|.2
      1|80|30|18:00|19:00|.3
      2|80|0||18:30|0
      2|80|0||19:00|0
      """
    #expect(try Self.grams(sheet) == [[30], [0]])
    // A drink without one, in a column of them, has none.
    #expect(Self.codes(sheet.replacing("|0||", with: "|20||")).contains(.time))
  }

  // MARK: Running numbers

  @Test func runningNumberIsNoDrinkCount() throws {
    let wide = """
      Number|Participant|Sex|Age|Height (cm)|Weight (kg)|Ethanol (g)|30 min|60 min|90 min
      1|P1|male|30|180|80|40|.25|.22|.18
      2|P2|male|30|180|80|40|.25|.22|.18
      3|P3|male|30|180|80|40|.25|.22|.18
      """
    #expect(try Self.grams(wide, map: "*=bac_g_per_kg") == [[40], [40], [40]])
    let long = """
      Participant|Number|Weight (kg)|Time (min)|Ethanol (g)|BAC (g/kg)
      1|1|80|0|12|
      1|2|80|20|12|
      1|3|80|40|12|
      1||80|90||0.3
      1||80|120||0.25
      """
    for header in ["Number", "Count", "Drinks"] {
      #expect(try Self.grams(long.replacing("Number", with: header)) == [[12, 12, 12]])
    }
    #expect(Self.codes(long.replacing("Number", with: "Quantity")) == [.columnUnit])
    let map = "Number=drink_count"
    #expect(try Self.grams(long, map: map) == [[12, 24, 36]])
  }

  @Test func ambiguousCountColumnIsQueried() throws {
    let sheet = """
      Participant|Number|Weight (kg)|Time (min)|Volume (ml)|ABV (%)|BAC (g/kg)
      1|2|80|0|500|5|
      1||80|60|||0.4
      2|1|80|0|500|5|
      2||80|60|||0.3
      """
    let asked = SheetText.findings(sheet)
    #expect(asked.map(\.code) == [.columnUnit])
    #expect(asked[0].statements == ["Number=drink_count", "Number=ignore"])
    #expect(try Self.grams(sheet, map: "Number=drink_count") == [[39.45], [19.73]])
    for word in ["Quantity", "Qty", "How many", "Anzahl", "Number of drinks"] {
      #expect(try Self.grams(sheet.replacing("|Number|", with: "|\(word)|")) == [[39.45], [19.73]])
    }
    let both = sheet.replacing("|Number|", with: "|Number|Quantity|").replacing(
      "1|2|80", with: "1|7|2|80"
    )
    .replacing("1||80", with: "1|||80").replacing("2|1|80", with: "2|8|1|80").replacing(
      "2||80", with: "2|||80")
    #expect(try Self.grams(both) == [[39.45], [19.73]])
  }

  // MARK: Several drinks in a row

  @Test(arguments: [
    ("Volume (ml)|ABV (%)", "Volume 2 (ml)|ABV 2 (%)", "500|5", [19.73, 19.73]),
    ("Volume 1 (ml)|ABV 1 (%)", "Volume 2 (ml)|ABV 2 (%)", "500|5", [19.73, 19.73]),
    ("Ethanol (g)", "Ethanol 2 (g)", "20", [20, 20]), ("Dose (g)", "Dose 2 (g)", "20", [20, 20]),
    ("1st dose (g)", "2nd dose (g)", "20", [20, 20]),
    ("Drink 1", "Drink 2", "0.5 l beer 5 %", [19.73, 19.73]),
    ("Drink|Volume (ml)", "Drink 2|Volume 2 (ml)", "wheat beer|500", [21.3, 21.3]),
    ("Getränk", "2. Getränk", "0,5 l Bier 5 %", [19.73, 19.73]),
    ("Beer (ml)", "Beer 2 (ml)", "500", [19.73, 19.73]),
    ("Vodka (ml)", "Vodka 2 (ml)", "40", [12.62, 12.62]),
  ])
  func secondDrinkColumnIsRead(
    _ first: String, _ second: String, _ cells: String, _ expected: [Double]
  ) throws {
    let sheet = """
      Participant|Sex|Age|Height (cm)|Weight (kg)|\(first)|\(second)|30 min|60 min|90 min
      1|male|30|180|80|\(cells)|\(cells)|.3|.4|.3
      2|male|30|180|80|\(cells)|\(cells.split(separator: "|").map { _ in "" }.joined(separator: "|"))|.3|.4|.3
      """
    #expect(try Self.grams(sheet, map: "*=bac_g_per_kg") == [expected, [expected[0]]])
  }

  @Test func drinksOfARowHaveTheirOwnTimes() throws {
    let sheet = """
      Participant|Weight (kg)|Drink 1 (ml)|Drink 1 time|Drink 2 (ml)|Drink 2 time|ABV (%)|Sample time|BAC (g/kg)
      1|80|500|20:00|330|21:00|5||
      1|80||||||23:00|0.4
      """
    let study = try SheetText.study(sheet)
    #expect(study.series[0].drinks.map(\.time.minutes) == [0, 60])
    #expect(try Self.grams(sheet) == [[19.73, 13.02]])
  }

  @Test func columnsNamedAfterDrinksAreRead() throws {
    let sheet = """
      Participant|Weight (kg)|Beer (ml)|Wein (ml)|Vodka 40% (cl)|Time (min)|BAC (g/kg)
      1|80|500|200|4|0|
      1|80||||60|0.7
      2|80||200||0|
      2|80||||60|0.3
      """
    #expect(try Self.grams(sheet) == [[19.73, 18.94, 12.62], [18.94]])
    #expect(Self.codes(sheet) == [.drinkAssumed, .drinkAssumed])
    // So many of them.
    let counts = """
      Participant|Weight (kg)|Beers (0.5 l, 5 %)|Shots (4 cl, 40 %)|Time (min)|BAC (g/kg)
      1|80|2|1|0|
      1|80|||60|0.7
      """
    #expect(try Self.grams(counts) == [[39.45, 12.62]])
    let unsized = counts.replacing("Beers (0.5 l, 5 %)", with: "Beers").replacing(
      "Shots (4 cl, 40 %)", with: "Shots")
    let asked = SheetText.findings(unsized)
    #expect(asked.map(\.code) == [.drink])
    #expect(asked[0].statements.contains("Beers=drink_us,Shots=drink_us"))
    #expect(try Self.grams(unsized, map: "Beers=drink_us,Shots=drink_us") == [[28.01, 14]])
    // A column of ml whose header states none.
    let bare = sheet.replacing("Beer (ml)", with: "Beer")
    #expect(SheetText.findings(bare).map(\.code) == [.columnUnit])
    #expect(try Self.grams(bare, map: "Beer=volume_ml")[0] == [19.73, 18.94, 12.62])
  }

  /// Columns that may state the same dose twice, or the sum of all drinks, are asked about.
  @Test(arguments: [
    ("Ethanol (g)|Beer (ml)", "40|500", DiagnosticCode.columnAmbiguous),
    ("Drink|Beer (ml)", "beer|500", .columnAmbiguous),
    ("Total ethanol (g)|Beer (ml)", "40|500", .columnUnit),
    ("Number of drinks|Ethanol (g)", "3|42", .ambiguous),
    ("Number of drinks|Volume (ml)|ABV (%)", "3|1500|5", .ambiguous),
    ("Beer (g)", "500", .columnUnit),
    ("Dose A (g)|Dose B (g)", "10|20", .columnUnit),
    ("Drinking time (min)|Ethanol (g)", "20|40", .columnUnit),
    ("Trinkzeit (min)|Ethanol (g)", "20|40", .columnUnit),
    ("Beer (ml)|Wine (ml)|ABV (%)", "500|200|5", .columnAmbiguous),
    ("Drink|Volume (ml)", "2|500", .ambiguous),
    ("Quantity|Drink|Volume (ml)", "80|vodka|40", .columnUnit),
    ("Start time|End time|Ethanol (g)", "18:00|02:00|40", .columnAmbiguous),
    ("Beer", "500", .columnUnit),
    ("Quantity|Volume (ml)|Volume 2 (ml)|ABV (%)", "2|500|500|5", .columnUnit),
  ])
  func possibleDoubleCountIsQueried(_ header: String, _ cells: String, _ code: DiagnosticCode) {
    let empty = cells.split(separator: "|").map { _ in "" }.joined(separator: "|")
    let sheet = """
      Participant|Weight (kg)|\(header)|Reading time|BAC (g/kg)
      1|80|\(cells)||
      1|80|\(empty)|20:30|.3
      1|80|\(empty)|21:30|.2
      """
    #expect(Self.codes(sheet).contains(code), "\(SheetText.findings(sheet))")
    #expect(throws: StudyError.self) { try SheetText.opened(sheet) }
  }

  @Test func proofIsHalfAStrength() throws {
    let sheet = """
      Participant|Weight (kg)|Drink|Volume (oz)|Proof|Time (min)|BAC (g/kg)
      1|80|bourbon|3|100|0|
      1|80||||60|.3
      """
    #expect(try Self.grams(sheet) == [[35]])
  }

  @Test func nonNumericVolumeIsAnError() {
    let sheet = "Participant|Weight (kg)|Beer (ml)|Time (min)|BAC (g/kg)\n1|80|much|0|\n1|80||60|.3"
    #expect(SheetText.findings(sheet).contains { $0.severity == .error })
  }

  @Test func possibleDoseColumnsAreNotIgnored() {
    let sheet = """
      Participant|Weight (kg)|Ethanol (g)|Alcohol in juice (g)|Time (min)|BAC (g/kg)
      1|80|20|15|0|
      1|80|||60|0.4
      """
    let found = SheetText.findings(sheet)
    #expect(found.map(\.code) == [.columnUnit])
    #expect(
      found[0].statements == [
        "Alcohol in juice (g)=ethanol_g_2", "Alcohol in juice (g)=covariate",
        "Alcohol in juice (g)=ignore",
      ])
  }

  /// Nombre is a name in Spanish and a number in French.
  @Test func headerLanguageDecidesMeaningOfNombre() throws {
    let sheet = """
      Sujet|Poids (kg)|Temps (min)|Volume (ml)|Degré d'alcool (%)|Nombre|BAC (g/kg)
      P1|80|0|330|5|3|
      P1|80|60||||0.5
      """
    #expect(try SheetText.taken(sheet)["Nombre"] == "drink_count")
    let spanish = "Nombre|Peso (kg)|Tiempo (min)|Ethanol (g)|BAC (g/kg)\n1|80|0|40|\n1|80|60||0.5"
    #expect(try SheetText.taken(spanish)["Nombre"] == "subject")
  }
}
