import AlcoholKinetics
import TestSupport
import Testing

@testable import StudyData
@testable import StudyFiles

/// Times that follow from their context: the submission of a form, the night, the next morning.
@Suite struct SheetNightTests {
  private static func minutes(_ text: String, map: String? = nil) throws -> [[Double]] {
    try SheetText.study(text, map: map).series.map { $0.readings.map { $0.time.minutes } }
  }

  // MARK: Forms

  /// A form was sent some time after the reading that it tells of.
  private static func form(_ header: String, _ rows: [(sent: String, time: String)]) -> String {
    "\(header)|Participant|Weight (kg)|Time of drink / reading|Ethanol (g)|BrAC (mg/L)\n"
      + rows.enumerated().map { index, row in
        "\(row.sent)|Anna|61|\(row.time)|\(index == 0 ? "30|" : "|0.\(9 - index)")"
      }.joined(separator: "\n")
  }

  @Test(arguments: ["Timestamp", "Submitted at", "Zeitstempel", "Completion time"])
  func readingTimePrecedesSubmissionTime(_ header: String) throws {
    let text = Self.form(
      header,
      [
        ("2025-03-04 21:31:00", "9:30 PM"), ("2025-03-04 23:59:00", "10:30 PM"),
        ("2025-03-05 00:05:00", "11:45 PM"), ("2025-03-05 00:40:30", "12:40 AM"),
        ("2025-03-05 09:00:00", "1:30 AM"),
      ])
    #expect(try Self.minutes(text) == [[60, 135, 190, 240]])
    #expect(try SheetText.taken(text)[header] == "submitted")
  }

  @Test func submissionTimeIsUsedWithoutReadingTime() throws {
    let text = """
      Timestamp|Participant|Weight (kg)|Ethanol (g)|BrAC (mg/L)
      2025-03-04 21:00:00|Anna|61|30|
      2025-03-04 22:00:00|Anna|61||0.3
      """
    #expect(try Self.minutes(text) == [[60]])
    #expect(try SheetText.taken(text)["Timestamp"] == "datetime")
  }

  @Test func submissionTimeIsIgnoredBesideOtherTimes() throws {
    let text = """
      Timestamp|Participant|Weight (kg)|Time (min)|Ethanol (g)|BrAC (mg/L)
      2025-03-04 21:00:00|Anna|61|0|30|
      2025-03-06 22:00:00|Anna|61|45||0.3
      """
    #expect(try Self.minutes(text) == [[45]])
  }

  // MARK: Next morning

  @Test func readingsOfTheNextMorningFollowTheDrinks() throws {
    let text = """
      Participant|Weight (kg)|Drink time|Ethanol (g)|Time|BAC (g/kg)
      1|80|20:00|60||
      1|80|22:00|60||
      1|80|||09:00|0.3
      1|80|||10:00|0.15
      1|80|||11:00|0.02
      """
    #expect(try Self.minutes(text) == [[780, 840, 900]])
    // A zero before the first drink is a control.
    let control = """
      Participant|Weight (kg)|Drink time|Ethanol (g)|Time|BAC (g/kg)
      1|80|20:00|60||
      1|80|||19:30|0
      """
    #expect(try Self.minutes(control) == [[-30]])
  }

  // MARK: Order of day and month

  private static func party(_ dates: (String, String)) -> String {
    """
    Name|Weight (kg)|Date|Time|Ethanol (g)|BAC (g/kg)
    Jack|84|\(dates.0)|9:00 PM|30|
    Jack|84|\(dates.0)|11:30 PM||0.3
    Jack|84|\(dates.1)|12:00 AM||0.25
    """
  }

  /// From the evening of 3/4 to midnight of 3/5 is half an hour in one order and a month in the other.
  @Test func nightPastMidnightDecidesDateOrder() throws {
    #expect(try Self.minutes(Self.party(("3/4/25", "3/5/25"))) == [[150, 180]])
    #expect(try Self.minutes(Self.party(("3/4/25", "4/4/25"))) == [[150, 180]])
    let note = try SheetText.notes(Self.party(("3/4/25", "3/5/25")))["Date"]
    #expect(note?.contains("month before day, as the night of 3/4/25 to 3/5/25 shows") == true)
  }

  @Test func separateEveningsLeaveDateOrderOpen() {
    let findings = SheetText.findings(Self.party(("3/4/25", "5/6/25")))
    #expect(findings.map(\.code) == [.time])
  }

  /// One date for everything is the same day in either order.
  @Test func singleDateNeedsNoOrder() throws {
    let text = Self.party(("3/4/25", "3/4/25")).replacing("12:00 AM", with: "11:45 PM")
    #expect(try Self.minutes(text) == [[150, 165]])
    let ages = text.replacing("Weight (kg)", with: "Birth date").replacing(
      "|84|", with: "|4/5/1990|")
    #expect(SheetText.findings(ages).map(\.code).contains(.time))
  }

  // MARK: What is not recognised

  @Test func unknownTimeColumnsAreQueried() {
    let text = """
      Subject|Weight (kg)|Dose (g)|First sip|Time|BAC (g/kg)
      1|80|40|18:00|18:30|0.4
      1|80|40|18:00|19:30|0.4
      1|80|40|18:00|20:30|0.2
      """
    let findings = SheetText.findings(text)
    #expect(
      findings.contains { $0.code == .columnUnit && $0.statements.contains("First sip=drink_time") }
    )
  }

  @Test func unknownConcentrationColumnsAreQueried() throws {
    let text = { (header: String) in
      """
      Subject|Weight (kg)|Dose (g)|Time (min)|\(header)|BAC (g/kg)
      1|80|40|30|0.3|0.4
      1|80||60|0.2|0.3
      """
    }
    #expect(SheetText.findings(text("Intoximeter (µg/100ml)")).map(\.code) == [.columnUnit])
    #expect(try SheetText.taken(text("Glucose (mmol/L)"))["Glucose (mmol/L)"] == "not used")
    #expect(try SheetText.taken(text("SpO2 (%)"))["SpO2 (%)"] == "not used")
  }

  /// Alcohol in g/kg beside readings is the dose, where nothing else is.
  @Test func gramsPerKilogramBesideReadingsIsTheDose() throws {
    let text = """
      ID|Weight (kg)|Alcohol (g/kg)|Time (min)|BAC (mg/dl)
      1|80|0.6|0|
      1|80||30|60
      1|80||60|80
      """
    let study = try SheetText.study(text)
    #expect(study.series[0].drinks.map(\.ethanol) == [.perBodyWeight(0.6)])
    #expect(study.series[0].readings.map(\.value) == [60, 80])
  }
}
