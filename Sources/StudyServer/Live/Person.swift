import AlcoholKinetics
import Foundation
import GRDB
import StudyData
public import StudyStore

/// A person on the day, as pages show them.
public struct Person: Codable, Hashable, Sendable {
  public struct Conflict: Codable, Hashable, Sendable {
    public struct Value: Codable, Hashable, Sendable {
      public var seq: Int64
      /// Null where the entry was to be voided.
      public var value: EventValue?
      public var by: String
      public var at: String
    }

    public var entry: String
    public var values: [Value]
  }

  public struct Curve: Codable, Hashable, Sendable {
    /// Minutes since ``Person/started``.
    public var timeMin: [Double]
    /// g/kg: the median, and where the middle 90 % of the draws lie.
    public var fitted: [Double]
    public var low: [Double]
    public var high: [Double]
  }

  public struct Prediction: Codable, Hashable, Sendable {
    public var thresholdGPerKg: Double
    /// Moments: the middle, and the ends of the 90 % interval.
    public var median: String
    public var low: String
    public var high: String
    /// By when 95 % of the draws are below.
    public var notBefore: String
    /// The share of draws that are below now.
    public var probabilityNow: Double
    /// From what.
    public var because: String
  }

  public struct Release: Codable, Hashable, Sendable {
    public var decision: String
    public var by: String
    public var at: String
    public var seq: Int64
  }

  public var subject: String
  public var occasion: String
  public var slot: Int64?
  public var sessionType: Int64?
  public var state: String
  public var started: String
  public var releaseLimitGPerKg: Double
  /// By which readings of breath become ones in blood.
  public var bloodBreathRatio: Double
  public var readingIntervalMin: Int
  public var nextReadingDue: String?
  /// The last event that is taken account of.
  public var seq: Int64
  public var readings: [Entry]
  public var drinks: [Entry]
  public var vitals: [Entry]
  public var notes: [Entry]
  public var conflicts: [Conflict]
  public var curve: Curve?
  public var forecast: Prediction?
  public var whyNot: String?
  public var release: Release?
}

/// What was entered, as it is now.
public struct Entry: Codable, Hashable, Sendable {
  public var uuid: String
  public var kind: EntryKind
  public var at: String
  public var value: EventValue
  public var version: Int64
  public var state: String
  public var by: String
  public var station: String?
  /// What it was at first, if it was corrected since.
  public var asEntered: EventValue?
  /// A reading in blood.
  public var gPerKg: Double?
}

/// What the database says of a person's session, before anything is computed of it.
struct PersonRecord: Sendable {
  let session: Session
  let seq: Int64
  let entries: [Entry]
  /// When each entry was, in ms.
  let moments: [Int64]
  let conflicts: [Person.Conflict]
  let release: Person.Release?
  let measures: Measures
  /// How readings become ones in blood.
  let factors: ConversionFactors

  /// The body measures that a forecast needs.
  struct Measures: Hashable, Sendable {
    var sex: String?
    var weight: Double?
    var height: Double?
    var age: Double?
  }

  init(_ session: Session, in db: Database) throws {
    self.session = session
    let factors = try Settings.factors(in: db)
    self.factors = factors
    seq =
      try Int64.fetchOne(
        db, sql: "SELECT max(seq) FROM events WHERE subject = ?", arguments: [session.subject]) ?? 0
    let rows = try Row.fetchAll(
      db,
      sql: """
        SELECT entries.uuid, kind, entries.at_ms, value, version, state, first_seq, last.actor, last.station,
          first.new AS first
        FROM entries JOIN events AS last ON last.seq = version
          JOIN events AS first ON first.seq = first_seq
        WHERE series_id = ? ORDER BY entries.at_ms, first_seq
        """, arguments: [session.series])
    var (entries, moments) = ([Entry](), [Int64]())
    for row in rows {
      guard let uuid = Data.fromDatabaseValue(row["uuid"]).flatMap(UUID.init(bytes:)),
        let kind = String.fromDatabaseValue(row["kind"]).flatMap(EntryKind.init),
        let at = Int64.fromDatabaseValue(row["at_ms"]),
        let value = String.fromDatabaseValue(row["value"]).flatMap({ EventValue($0) })
      else { continue }
      let version = Int64.fromDatabaseValue(row["version"]) ?? 0
      // Most entries were never changed: what they were at first need not be read.
      let first =
        version == Int64.fromDatabaseValue(row["first_seq"])
        ? nil : String.fromDatabaseValue(row["first"]).flatMap { EventValue($0) }?["value"]
      let isCorrected = first != nil && first != value
      entries.append(
        Entry(
          uuid: uuid.text, kind: kind, at: ISOTime.text(at), value: value,
          version: version,
          state: String.fromDatabaseValue(row["state"]) ?? "",
          by: String.fromDatabaseValue(row["actor"]) ?? "",
          station: String.fromDatabaseValue(row["station"]), asEntered: isCorrected ? first : nil,
          gPerKg: kind == .reading
            ? (try? EntryValue(kind, value, factors))?.gramsPerKilogram(factors) : nil))
      moments.append(at)
    }
    (self.entries, self.moments) = (entries, moments)
    conflicts = try Self.conflicts(of: session, in: db)
    release = try session.decisionSeq.flatMap { try EventLog.event(seq: $0, in: db) }.map { event in
      Person.Release(
        decision: event.new.flatMap { EventValue($0) }?["decision"]?.string ?? "", by: event.actor,
        at: ISOTime.text(event.at), seq: event.seq)
    }
    let measures = try SafeRow.first(
      db,
      """
      SELECT sex, ifnull(series.weight_kg, subjects.weight_kg) AS weight,
        ifnull(series.height_m, subjects.height_m) AS height, ifnull(series.age_y, subjects.age_y) AS age
      FROM series JOIN subjects ON subjects.id = subject_id WHERE series.id = ?
      """, [session.series])
    self.measures = Measures(
      sex: measures?["sex"], weight: measures?["weight"], height: measures?["height"],
      age: measures?["age"])
  }

  private static func conflicts(of session: Session, in db: Database) throws -> [Person.Conflict] {
    let rows = try Row.fetchAll(
      db,
      sql: """
        SELECT DISTINCT entry, seq FROM (
          SELECT entry, seq_a AS seq FROM conflicts WHERE resolved_seq IS NULL
          UNION SELECT entry, seq_b FROM conflicts WHERE resolved_seq IS NULL)
        JOIN entries ON entries.uuid = entry WHERE series_id = ? ORDER BY seq
        """, arguments: [session.series])
    var (order, values) = ([UUID](), [UUID: [Person.Conflict.Value]]())
    for row in rows {
      guard let entry = Data.fromDatabaseValue(row["entry"]).flatMap(UUID.init(bytes:)),
        let event = try EventLog.event(seq: Int64.fromDatabaseValue(row["seq"]) ?? 0, in: db)
      else { continue }
      if values[entry] == nil { order.append(entry) }
      values[entry, default: []].append(
        Person.Conflict.Value(
          seq: event.seq, value: event.new.flatMap { EventValue($0) }?["value"], by: event.actor,
          at: ISOTime.text(event.at)))
    }
    return order.map { Person.Conflict(entry: $0.text, values: values[$0] ?? []) }
  }

  /// When the next reading is due: an interval after the last one that was taken; nil once somebody may go.
  var nextReadingDue: Int64? {
    guard session.state == "running" else { return nil }
    let taken = zip(entries, moments).filter { $0.0.kind == .reading && $0.0.state != "void" }.map(
      \.1)
    return (taken.max() ?? session.starts) + Int64(session.readingIntervalMin) * 60_000
  }

  /// The person with what was computed.
  func person(_ outlook: Outlook, at now: Int64) -> Person {
    func entries(_ kind: EntryKind) -> [Entry] { self.entries.filter { $0.kind == kind } }
    let prediction = outlook.prediction(of: self, at: now)
    return Person(
      subject: session.subject, occasion: session.occasion, slot: session.slot,
      sessionType: session.sessionType, state: session.state, started: ISOTime.text(session.starts),
      releaseLimitGPerKg: session.releaseLimit, bloodBreathRatio: factors.bloodBreathRatio,
      readingIntervalMin: session.readingIntervalMin,
      nextReadingDue: nextReadingDue.map(ISOTime.text), seq: seq, readings: entries(.reading),
      drinks: entries(.drink), vitals: entries(.vital), notes: entries(.note),
      conflicts: conflicts, curve: outlook.curve, forecast: prediction.forecast,
      whyNot: prediction.whyNot, release: release)
  }
}
