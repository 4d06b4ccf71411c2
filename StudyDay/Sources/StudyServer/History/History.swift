@_spi(StudyDay) import AlcoholKinetics
import DayDatabase
import GRDB
import HealthData
@_spi(StudyDay) import StudyData
@_spi(StudyDay) import StudyStore

/// History of a person: drinks by day and week, readings by session and vital signs by day, from entries of study days, own
/// drinks and imported vital signs.
struct History: Encodable, Sendable {
  struct SessionLine: Encodable, Sendable {
    var occasion: String
    var started: String
    var sessionType: Int64?
    var state: String
    /// Ethanol of the study's drinks; nil if hidden.
    var ethanolG: Double?
    var standardDrinks: Double?
    var readings: Int
    /// Highest reading; nil without readings, and if hidden.
    var highestGPerKg: Double?
    var curve: Readings?
  }

  /// Readings by the time since the first drink, or since the first reading; thinned evenly.
  struct Readings: Encodable, Sendable {
    var timeMin: [Double]
    var gPerKg: [Double]
  }

  struct Consumption: Encodable, Sendable {
    /// Day, or the Monday of the week.
    var starts: String
    /// Ethanol of all drinks that are shown.
    var ethanolG: Double
    /// Ethanol of own drinks.
    var ownG: Double
    var standardDrinks: Double
    /// Risk of the week.
    var risk: WeeklyRisk
  }

  struct VitalDay: Encodable, Sendable {
    var date: String
    var kind: String
    var mean: Double
    var least: Double
    var most: Double
    var count: Int
    var importance: Int
    /// True if any value lay beyond a threshold.
    var beyond: Bool
  }

  struct Kind: Encodable, Sendable {
    var kind: String
    var unit: String
    var importance: Int
    var below: Double?
    var above: Double?
  }

  var subject: String
  var zone: String
  var serverTime: String
  var sessions: [SessionLine]
  var drinkingDays: [Consumption]
  var weeks: [Consumption]
  /// Names of what is hidden; nil for nothing.
  var hidden: [String]?
  /// Newest own drinks, which the person can take out.
  var ownDrinks: [Entry]
  var standardDrinkG = WeeklyRisk.standardDrink
  /// Source of the limits of weekly risk.
  var riskSource = WeeklyRisk.source
  /// Most ethanol in g a week for low, and for increasing risk.
  var riskLimitsG: [Double]
  var days: [VitalDay]
  var kinds: [Kind]
}

/// Risk class of a week's alcohol.
enum WeeklyRisk: String, Encodable, Sendable {
  case none
  case low
  case increasing
  case high

  /// Ethanol of a standard drink, in g (WHO, AUDIT, 2001).
  static let standardDrink = 10.0
  static let source =
    "Low: up to 112 g (14 UK units) a week, UK Chief Medical Officers 2016. High: above 280 g (women) or 400 g (men), "
    + "35 and 50 units, NICE PH24 2010. Where the sex is not known, the limit of women holds."

  static func limits(_ sex: Sex?) -> [Double] { [112, sex == .male ? 400 : 280] }

  init(grams: Double, sex: Sex?) {
    let limits = Self.limits(sex)
    self =
      grams <= 0 ? .none : grams <= limits[0] ? .low : grams <= limits[1] ? .increasing : .high
  }
}

extension History {
  /// Limits of the vital signs that are read, in days and in entries.
  private static let days = 366
  private static let most = 100_000
  /// Largest numbers of own drinks, and of readings of a session, that are listed.
  private static let mostOwn = 20
  private static let mostReadings = 60

  init(
    of subject: String, for identity: Identity, in zone: ClockZone, at now: Int64, in db: Database
  ) throws {
    guard let id = try Sessions.number(of: subject, in: db) else { throw Problem(.notFound) }
    let sexName: String? = try db.value("SELECT sex FROM subjects WHERE id = ?", [id])
    let sex = sexName.flatMap(Sex.init)
    let factors = try Settings.factors(in: db)
    let entries = try LoggedEntry.all(
      in: db, where: "subject_id = ? AND entries.state = 'current'", [id])
    func rounded(_ x: Double) -> Double { (x * 10).rounded() / 10 }
    func drinks(_ grams: Double) -> Double { rounded(grams / WeeklyRisk.standardDrink) }
    let areReadingsShown = !identity.concealed.contains(.readings)
    let areDosesShown = !identity.concealed.contains(.doses)
    self.subject = subject
    self.zone = zone.name
    serverTime = ISOTime.text(now)
    hidden = identity.concealed.isEmpty ? nil : identity.concealed.words
    let bySeries = Dictionary(grouping: entries, by: \.series)
    sessions = try Sessions.all(of: subject, in: db).map { session in
      let all = (bySeries[session.series] ?? []).sorted { $0.at < $1.at }
      let own = all.filter { !LoggedEntry.isOwn($0.value) }
      let grams = areDosesShown ? own.grams : nil
      let start = own.first { $0.kind == "drink" }?.at
      let blood = own.compactMap { entry -> (at: Int64, blood: Double)? in
        guard let reading = entry.reading, !reading.isExcluded else { return nil }
        return reading.gramsPerKilogram(factors).map { (entry.at, $0) }
      }
      let shown = blood.thinned(to: Self.mostReadings)
      return SessionLine(
        occasion: session.occasion, started: ISOTime.text(session.starts),
        sessionType: session.sessionType, state: session.state, ethanolG: grams.map(rounded),
        standardDrinks: grams.map(drinks), readings: blood.count,
        highestGPerKg: areReadingsShown ? blood.map(\.blood).max() : nil,
        curve: areReadingsShown && !blood.isEmpty
          ? Readings(
            timeMin: shown.map { rounded(Double($0.at - (start ?? shown[0].at)) / 60_000) },
            gPerKg: shown.map { ($0.blood * 10_000).rounded() / 10_000 }) : nil)
    }
    let shown = entries.filter {
      $0.kind == "drink" && (areDosesShown || LoggedEntry.isOwn($0.value))
    }
    // Day 0 was a Thursday.
    func monday(_ day: Int) -> Int { day - (day + 3) % 7 }
    let byDay = Dictionary(grouping: shown) { ZonedDay.number(at: $0.at, in: zone) }
    let byWeek = Dictionary(grouping: shown) { monday(ZonedDay.number(at: $0.at, in: zone)) }
    func consumption(_ periods: [Int: [LoggedEntry]]) -> [Consumption] {
      periods.sorted { $0.key > $1.key }.map { day, entries in
        Consumption(
          starts: CalendarDay(number: day).text, ethanolG: rounded(entries.grams),
          ownG: rounded(entries.filter { LoggedEntry.isOwn($0.value) }.grams),
          standardDrinks: drinks(entries.grams),
          risk: WeeklyRisk(grams: byWeek[monday(day)]?.grams ?? 0, sex: sex))
      }
    }
    drinkingDays = consumption(byDay)
    weeks = consumption(byWeek)
    riskLimitsG = WeeklyRisk.limits(sex)
    ownDrinks = shown.filter { LoggedEntry.isOwn($0.value) }.sorted { $0.at > $1.at }
      .prefix(Self.mostOwn).compactMap { Entry($0, factors) }
    kinds = try db.rows("SELECT * FROM vital_kinds ORDER BY kind").map { row in
      Kind(
        kind: row["kind"], unit: row["unit"], importance: row["importance"], below: row["below"],
        above: row["above"])
    }
    let values = try VitalValue.all(
      during: Range(from: now - Int64(Self.days) * 86_400_000, until: now + 1000), of: id,
      limit: Self.most, in: db)
    self.days = Dictionary(grouping: values) {
      [CalendarDay(number: ZonedDay.number(at: $0.at, in: zone)).text, $0.kind]
    }.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map { key, values in
      let (mean, least, most) = VitalValue.summary(values)
      return VitalDay(
        date: key[0], kind: key[1], mean: mean, least: least, most: most, count: values.count,
        importance: values.map(\.importance).max() ?? 1,
        beyond: values.contains { $0.crossed != nil })
    }
    let present = Set(self.days.map(\.kind))
    kinds.removeAll { !present.contains($0.kind) }
  }
}

extension [LoggedEntry] {
  /// Ethanol of the drinks among the entries, in g.
  fileprivate var grams: Double {
    reduce(0) { $0 + ($1.kind == "drink" ? EnteredDrink.grams($1.value) ?? 0 : 0) }
  }
}
