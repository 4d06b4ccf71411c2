@_spi(StudyDay) import AlcoholKinetics
import DayDatabase
import GRDB
import HealthData
@_spi(StudyDay) import StudyData
@_spi(StudyDay) import StudyStore

/// A person over sessions: what was drunk by day and week, readings, and vital signs by day. It knows what was entered on
/// study days, own drinks that the person noted, and vital signs that were imported.
struct History: Encodable, Sendable {
  struct SessionLine: Encodable, Sendable {
    var occasion: String
    var started: String
    var sessionType: Int64?
    var state: String
    /// Drinks of the study; nil where hidden.
    var ethanolG: Double?
    var standardDrinks: Double?
    var readings: Int
    /// Nil without readings, and where hidden.
    var highestGPerKg: Double?
    var curve: Readings?
  }

  /// Readings since the first drink, or the first of them: of many, evenly some.
  struct Readings: Encodable, Sendable {
    var timeMin: [Double]
    var gPerKg: [Double]
  }

  struct Consumption: Encodable, Sendable {
    /// The day; of a week its Monday.
    var starts: String
    /// All that is shown, and what of it are own drinks.
    var ethanolG: Double
    var ownG: Double
    var standardDrinks: Double
    /// That of the week.
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
    /// Whether any value lay beyond a threshold.
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
  /// What is not shown; nil for nothing.
  var hidden: [String]?
  /// The last own drinks, which the person can take out again.
  var ownDrinks: [Entry]
  var standardDrinkG = WeeklyRisk.standardDrink
  /// What weeks are judged by.
  var riskSource = WeeklyRisk.source
  /// Up to so much a week, in g, the risk is low, and no more than increasing.
  var riskLimitsG: [Double]
  var days: [VitalDay]
  var kinds: [Kind]
}

/// How risky so much alcohol a week is.
enum WeeklyRisk: String, Encodable, Sendable {
  case none
  case low
  case increasing
  case high

  /// In g of ethanol: as the WHO counts them (AUDIT, 2001).
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
  /// How far back vital signs are looked at, in days and in entries; how many own drinks and readings are listed.
  private static let (days, most, mostOwn, mostReadings) = (366, 100_000, 20, 60)

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
    (drinkingDays, weeks) = (consumption(byDay), consumption(byWeek))
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
    let known = Set(self.days.map(\.kind))
    kinds.removeAll { !known.contains($0.kind) }
  }
}

extension [LoggedEntry] {
  /// The ethanol in drinks among them, in g.
  fileprivate var grams: Double {
    reduce(0) { $0 + ($1.kind == "drink" ? EnteredDrink.grams($1.value) ?? 0 : 0) }
  }
}
