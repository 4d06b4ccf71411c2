import AlcoholKinetics
import TestSupport
import Testing

@testable import Spreadsheets
@testable import StudyData
@testable import StudyFiles

/// Four people who are measured 22 times from 19:50 on: in every form of their night, every reading is used or an error
/// says that its series is not.
@Suite struct NightPastMidnightTests {
  /// Minutes since the midnight before.
  private static let drink = 19 * 60 + 30
  private static let times = (1...22).map { drink + 20 * $0 }
  private static let people = ["p1", "p2", "p3", "p4"]

  enum Form: CaseIterable {
    /// Minutes of the day that begin again at midnight, and those that go on.
    case minutesOfTheDay, minutesThatGoOn
    case clock, dateTime, dateAndClock, serialNumber
    /// Dates that were not moved on at midnight.
    case dateTimeOfTheFirstDay, dateOfTheFirstDayAndClock

    var isSound: Bool {
      ![.minutesOfTheDay, .dateTimeOfTheFirstDay, .dateOfTheFirstDayAndClock].contains(self)
    }

    var headers: [String] {
      switch self {
      case .minutesOfTheDay, .minutesThatGoOn: ["time_min"]
      case .clock: ["Time"]
      case .dateTime, .dateTimeOfTheFirstDay, .serialNumber: ["Datetime"]
      case .dateAndClock, .dateOfTheFirstDayAndClock: ["Date", "Time"]
      }
    }

    func cells(_ minutes: Int) -> [String] {
      let two = { (number: Int) in number < 10 ? "0\(number)" : "\(number)" }
      let clock = "\(two(minutes % 1440 / 60)):\(two(minutes % 60))"
      let date = minutes < 1440 ? "2026-11-21" : "2026-11-22"
      switch self {
      case .minutesOfTheDay: return ["\(minutes % 1440)"]
      case .minutesThatGoOn: return ["\(minutes)"]
      case .clock: return [clock]
      case .dateTime: return ["\(date) \(clock)"]
      case .dateTimeOfTheFirstDay: return ["2026-11-21 \(clock)"]
      case .serialNumber: return ["\(46_347 + Double(minutes) / 1440)"]
      case .dateAndClock: return [date, clock]
      case .dateOfTheFirstDayAndClock: return ["2026-11-21", clock]
      }
    }
  }

  private static func sheet(_ form: Form) -> String {
    var text =
      "Participant|Gender|Weight (kg)|\(form.headers.joined(separator: "|"))|Ethanol (g)|BrAC (mg/L)"
    for person in people {
      let head = "\n\(person)|m|80|"
      text += head + form.cells(drink).joined(separator: "|") + "|40|"
      for time in times { text += head + form.cells(time).joined(separator: "|") + "||0.3" }
    }
    return text
  }

  private static func folder(_ form: Form, _ folder: TemporaryFolder) throws {
    let head = "subject," + form.headers.joined(separator: ",")
    let row = { (time: Int) in form.cells(time).joined(separator: ",") }
    try folder.write(
      "subject,sex,age_y,height_cm,weight_kg\n"
        + people.map { "\($0),male,30,180,80\n" }.joined(), to: "subjects.csv")
    try folder.write(
      "\(head),ethanol_g\n" + people.map { "\($0),\(row(drink)),40\n" }.joined(), to: "drinks.csv")
    try folder.write(
      "\(head),brac_mg_per_l\n"
        + people.flatMap { person in times.map { "\(person),\(row($0)),0.3\n" } }.joined(),
      to: "readings.csv")
  }

  private func expectAllOrAnError(_ study: Study, _ form: Form) {
    #expect(study.series.count == 4)
    let lost = study.series.filter { $0.firstError != nil }
    #expect(lost.count == (form.isSound ? 0 : 4))
    #expect(lost.allSatisfy { $0.firstError?.code == .time })
    for series in study.series where form.isSound {
      let start = series.drinks[0].time.minutes
      let minutes = series.readings.map { ($0.time.minutes - start).rounded() }
      #expect(minutes == Self.times.map { Double($0 - Self.drink) })
      #expect(series.readings.allSatisfy { !$0.isExcluded })
    }
  }

  @Test(arguments: Form.allCases)
  func nightPastMidnightInASheetIsReadOrRefused(_ form: Form) throws {
    expectAllOrAnError(try SheetText.study(Self.sheet(form)), form)
  }

  @Test(arguments: Form.allCases)
  func nightPastMidnightInAFolderIsReadOrRefused(_ form: Form) throws {
    let folder = try TemporaryFolder()
    try Self.folder(form, folder)
    expectAllOrAnError(try StudyReader(sheet: folder.path).study(), form)
  }

  @Test func nightPastMidnightInAWideTableIsReadOrRefused() throws {
    let header = Self.times.map { Form.clock.cells($0)[0] }.joined(separator: "|")
    let rows = Self.people.map { person in
      "\n\(person)|80|19:30|40|" + Self.times.map { _ in "0.3" }.joined(separator: "|")
    }.joined()
    let sheet = "Participant|Weight (kg)|Drink time|Ethanol (g)|\(header)\(rows)"
    expectAllOrAnError(try SheetText.study(sheet, map: "*=brac_mg_per_l"), .clock)
  }
}

/// A date that stays that of the evening, beside a drink that is filled down.
@Suite struct EveningDateTests {
  private static let header =
    "Participant|Weight (kg)|Date|Drinking start|Drinking end|Ethanol (g)|Sample time|BrAC (mg/L)"

  private static func row(_ day: Int, _ sample: String, _ reading: String = "0.3") -> String {
    "P1|80|2026-03-\(day)|20:00|20:20|60|\(sample)|\(reading)"
  }

  @Test func readingsPastMidnightBelongToTheEvening() throws {
    let rows = ["21:00", "22:00", "23:00", "00:00", "01:00"].map { Self.row(14, $0) }
    let series = try SheetText.study(([Self.header] + rows).joined(separator: "\n")).series
    #expect(series.count == 1)
    #expect(series[0].drinks.map(\.time.minutes) == [0])
    #expect(series[0].readings.map { $0.time.minutes.rounded() } == [60, 120, 180, 240, 300])
    let wanted = SheetText.findings(([Self.header] + rows).joined(separator: "\n"))
    #expect(wanted.isEmpty)
  }

  @Test func datePastMidnightIsThatOfTheReading() throws {
    let rows = [Self.row(14, "23:00"), Self.row(15, "00:30"), Self.row(15, "01:00")]
    let series = try SheetText.study(([Self.header] + rows).joined(separator: "\n")).series
    #expect(series.count == 1)
    #expect(series[0].readings.map { $0.time.minutes.rounded() } == [180, 270, 300])
    // The next evening has the same date.
    let two = rows + [Self.row(15, "21:00"), Self.row(15, "22:00"), Self.row(16, "00:30")]
    let both = try SheetText.study(([Self.header] + two).joined(separator: "\n")).series
    #expect(
      both.map { $0.readings.map { $0.time.minutes.rounded() } } == [
        [180, 270, 300], [60, 120, 270],
      ])
  }

  @Test func eachEveningIsOneOccasion() throws {
    let rows = [14, 15, 21].flatMap { day in
      ["22:00", "23:00", "00:00", "01:00"].map { Self.row(day, $0) }
    }
    let series = try SheetText.study(([Self.header] + rows).joined(separator: "\n")).series
    #expect(series.map(\.readings.count) == [4, 4, 4] && series.map(\.drinks.count) == [1, 1, 1])
  }

  @Test func ambiguousNightIsAnError() {
    // Sorted by the clock: the night before or the night after.
    let rows = ["00:00", "01:00", "22:00", "23:00"].map { Self.row(14, $0) }
    let found = SheetText.findings(([Self.header] + rows).joined(separator: "\n"))
    #expect(found.map(\.code) == [.time])
    #expect(found[0].location.line == 2)
  }
}
