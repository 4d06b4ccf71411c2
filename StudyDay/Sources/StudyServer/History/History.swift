@_spi(StudyDay) import AlcoholKinetics
import DayDatabase
import GRDB
import HealthData
@_spi(StudyDay) import StudyData
@_spi(StudyDay) import StudyStore

/// History of a person: drinks by week and vital signs by day, from entries of study days and imported vital signs.
struct History: Encodable, Sendable {
  struct SessionLine: Encodable, Sendable {
    var occasion: String
    var started: String
    var sessionType: Int64?
    var state: String
    var ethanolG: Double
    var standardDrinks: Double
    var readings: Int
    var highestGPerKg: Double?
  }

  struct Week: Encodable, Sendable {
    /// Its Monday.
    var starts: String
    var ethanolG: Double
    var standardDrinks: Double
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
  var weeks: [Week]
  var standardDrinkG = WeeklyRisk.standardDrink
  /// Source of the limits of weekly risk.
  var riskSource = WeeklyRisk.source
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

  init(grams: Double, sex: Sex?) {
    let most = sex == .male ? 400.0 : 280
    self = grams <= 0 ? .none : grams <= 112 ? .low : grams <= most ? .increasing : .high
  }
}

extension History {
  /// Limits of the vital signs that are read, in days and in entries.
  private static let days = 366
  private static let most = 100_000

  init(of subject: String, in zone: ClockZone, at now: Int64, in db: Database) throws {
    guard let id = try Sessions.number(of: subject, in: db) else { throw Problem(.notFound) }
    let sex: String? = try db.value("SELECT sex FROM subjects WHERE id = ?", [id])
    let factors = try Settings.factors(in: db)
    let entries = try LoggedEntry.all(
      in: db, where: "subject_id = ? AND entries.state = 'current'", [id])
    func rounded(_ x: Double) -> Double { (x * 10).rounded() / 10 }
    func drinks(_ grams: Double) -> Double { rounded(grams / WeeklyRisk.standardDrink) }
    func grams(_ entries: [LoggedEntry]) -> Double {
      entries.reduce(0) { $0 + ($1.kind == "drink" ? EnteredDrink.grams($1.value) ?? 0 : 0) }
    }
    self.subject = subject
    self.zone = zone.name
    serverTime = ISOTime.text(now)
    let bySeries = Dictionary(grouping: entries, by: \.series)
    sessions = try Sessions.all(of: subject, in: db).map { session in
      let entries = bySeries[session.series] ?? []
      let blood = entries.compactMap(\.reading).filter { !$0.isExcluded }
        .compactMap { $0.gramsPerKilogram(factors) }
      return SessionLine(
        occasion: session.occasion, started: ISOTime.text(session.starts),
        sessionType: session.sessionType, state: session.state, ethanolG: rounded(grams(entries)),
        standardDrinks: drinks(grams(entries)), readings: blood.count, highestGPerKg: blood.max())
    }
    let byWeek = Dictionary(grouping: entries.filter { $0.kind == "drink" }) { entry in
      let day = ZonedDay.number(at: entry.at, in: zone)
      // Day 0 was a Thursday.
      return day - (day + 3) % 7
    }
    weeks = byWeek.sorted { $0.key > $1.key }.map { monday, entries in
      let sum = grams(entries)
      return Week(
        starts: CalendarDay(number: monday).text, ethanolG: rounded(sum),
        standardDrinks: drinks(sum), risk: WeeklyRisk(grams: sum, sex: sex.flatMap(Sex.init)))
    }
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
