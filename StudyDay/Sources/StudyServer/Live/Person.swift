@_spi(StudyDay) import AlcoholKinetics
public import DayDatabase
import Foundation
import GRDB
import Population
@_spi(StudyDay) import StudyData
@_spi(StudyDay) import StudyStore
import Synchronization

/// A person on the day, as pages show them.
public struct Person: Encodable, Hashable, Sendable {
  public struct Conflict: Encodable, Hashable, Sendable {
    public struct Value: Encodable, Hashable, Sendable {
      public var seq: Int64
      /// Null where the entry was to be voided.
      public var value: EventValue?
      /// When it was measured; null with the value.
      public var measuredAt: String?
      public var by: String
      public var at: String
    }

    public var entry: String
    public var values: [Value]
  }

  public struct Curve: Encodable, Hashable, Sendable {
    /// Minutes since ``Person/started``.
    public var timeMin: [Double]
    /// g/kg: the median, and where the middle 95 % of the draws lie.
    public var fitted: [Double]
    public var low: [Double]
    public var high: [Double]
  }

  public struct Prediction: Encodable, Hashable, Sendable {
    public var thresholdGPerKg: Double
    /// Moments: the middle, and the ends of the 95 % interval.
    public var median: String
    public var low: String
    public var high: String
    /// By when 97.5 % of the draws are below: the upper end of the interval.
    public var notBefore: String
    /// The share of draws that are below now.
    public var probabilityNow: Double
    /// When a reading within an hour of the last would tell most of the time, and the share of the interval that it is
    /// expected to take away; nil once that is past.
    public var bestReading: String?
    public var bestReadingGain: Double?
    /// How many other people of the study, whose sessions were over by the last change, the prior learned from; nil for
    /// nobody.
    public var learnedFrom: Int?
    public var because: String
  }

  public struct Release: Encodable, Hashable, Sendable {
    public var decision: String
    public var by: String
    public var at: String
    public var seq: Int64
    /// The name that it is signed with.
    public var signed: String?
    /// Who else signed that somebody may go against the advice.
    public var second: String?
    /// The changes since that a release does not know of: drinks, readings above the limit, corrections; nil if
    /// there are none. With any of them the session goes on until somebody decides again.
    public var changedSince: [Int64]?
    /// When the first of them was stored.
    public var changedAt: String?
  }

  /// A release against the advice that one person signed, and that a second must sign, too.
  public struct Proposal: Encodable, Hashable, Sendable {
    public var by: String
    public var at: String
    public var reason: String?
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
  /// How many readings there are of which not all are listed: an instrument may send 50 a second.
  public var readingCount: Int?
  public var drinks: [Entry]
  public var vitals: [Entry]
  public var notes: [Entry]
  public var conflicts: [Conflict]
  public var curve: Curve?
  public var forecast: Prediction?
  public var whyNot: String?
  /// Whether curve and forecast are being computed: they follow as an event; nil if they are of now.
  public var pending: Bool?
  public var release: Release?
  public var asked: Proposal?
  /// The lists have only what changed after this event, for who knows the person as of then; nil if they have all.
  public var since: Int64?
}

extension Person {
  /// The same, with the entries that changed after an event only: a person may have thousands.
  func changes(since seq: Int64) -> Person {
    var changed = self
    changed.since = seq
    for list in [\Person.readings, \.drinks, \.vitals, \.notes] {
      changed[keyPath: list].removeAll { $0.version <= seq }
    }
    return changed
  }
}

/// What was entered, as it is now.
public struct Entry: Encodable, Hashable, Sendable {
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

extension Entry {
  /// An entry as pages show it; nil for what an entry cannot be.
  fileprivate init?(_ logged: LoggedEntry, _ factors: ConversionFactors) {
    guard let kind = EntryKind(rawValue: logged.kind) else { return nil }
    self.init(
      uuid: logged.uuid.text, kind: kind, at: ISOTime.text(logged.at), value: logged.value,
      version: logged.version, state: logged.state, by: logged.actor, station: logged.station,
      asEntered: logged.first == logged.value ? nil : logged.first,
      gPerKg: logged.reading?.gramsPerKilogram(factors))
  }
}

/// What the database says of people, read again only once an event or the session says that something changed: the
/// watch for notices looks at everybody every two seconds.
final class PersonRecords: Sendable {
  private let known = Mutex(RecentlyUsed<Int64, PersonRecord>(limit: 1000))
  /// What is known of sessions that are over, and up to which change.
  private let over = Mutex(
    RecentlyUsed<Int64, (seq: Int64, completed: Series?)>(limit: 1000))

  /// The latest sessions say enough of a study.
  private static let mostCompleted = 50

  func makeRoom(for count: Int) { known.withLock { $0.makeRoom(for: count) } }

  /// That of the latest session of a person; nil if there is none.
  func latest(of subject: String, in db: Database) throws -> PersonRecord? {
    try Sessions.latest(of: subject, in: db).map { try record(of: $0, in: db) }
  }

  func record(of session: Session, in db: Database) throws -> PersonRecord {
    try records(of: [session], in: db)[0]
  }

  func records(of sessions: [Session], in db: Database) throws -> [PersonRecord] {
    var ended: [Session]?
    var completed: [Int64: Series?] = [:]
    return try sessions.map { session in
      let seq = try PersonRecord.seq(of: session.subject, in: db)
      let earlier = known.withLock { $0[session.series] }
      if let earlier, earlier.seq == seq, earlier.session == session { return earlier }
      var record = try PersonRecord(session, after: earlier, in: db)
      let all = try ended ?? Sessions.over(in: db)
      ended = all
      for one in all
      where record.completed.count < Self.mostCompleted && record.mayLearn(from: one) {
        let series = try completed[one.series] ?? self.completed(one, in: db)
        completed[one.series] = .some(series)
        if let series { record.completed.append(series) }
      }
      let made = record
      known.withLock { $0[session.series] = made }
      return made
    }
  }

  /// A session that is over, if it did not go on and the concentration has fallen to the limit; else nil.
  private func completed(_ session: Session, in db: Database) throws -> Series? {
    let seq = try PersonRecord.seq(of: session.subject, in: db)
    if let known = over.withLock({ $0[session.series] }), known.seq == seq {
      return known.completed
    }
    let record = try PersonRecord(session, in: db)
    let limit = GramsPerKilogram(session.releaseLimit)
    let isOver = !record.isRunning && record.series.isCompleted(at: limit, using: record.factors)
    let completed = isOver ? record.series : nil
    over.withLock { $0[session.series] = (seq, completed) }
    return completed
  }
}

/// Which of many readings are kept in memory, of an instrument that sends 50 a second: the latest, and one of so many
/// of the others, evenly by their numbers. What is kept among more is kept among fewer.
private enum Thinning {
  /// So many others are kept, up to twice as many.
  static let (usual, latest) = (1000, 100)
  /// 2^32 by the golden ratio, whose multiples lie evenly whatever is counted by.
  private static let step: Int64 = 2_654_435_769

  /// Where a number of SQL is below ``limit(_:)``, the reading is kept.
  static let sql = "((first_seq & 2147483647) * \(step) & 4294967295)"

  static func limit(_ share: Int64) -> Int64 { (1 << 32) / share }

  static func keeps(_ firstSeq: Int64, _ share: Int64) -> Bool {
    (firstSeq & 0x7FFF_FFFF) * step & 0xFFFF_FFFF < limit(share)
  }
}

/// What the database says of a person's session, before anything is computed of it.
struct PersonRecord: Sendable {
  /// An entry, and where it stands among the others.
  private struct OrderedEntry {
    var entry: Entry
    /// In ms.
    var at: Int64
    var firstSeq: Int64

    /// Whether it may be left out among many: a reading that nobody corrected, took out or contradicted.
    var isPlain: Bool {
      entry.kind == .reading && entry.state == "current" && entry.version == firstSeq
    }
    var isCounted: Bool { entry.kind == .reading && entry.state != "void" }
  }

  let session: Session
  let seq: Int64
  /// Of many readings not all.
  private let timed: [OrderedEntry]
  /// One of so many is there.
  private let share: Int64
  /// How many there are that nobody took out.
  private let readingCount: Int
  let conflicts: [Person.Conflict]
  let release: Person.Release?
  let asked: Person.Proposal?
  let series: Series
  let factors: ConversionFactors
  /// The completed sessions of other people that its forecast learns from, the latest first.
  fileprivate(set) var completed: [Series] = []

  /// - Parameter earlier: What is known already: only what changed since is read.
  init(_ session: Session, after earlier: PersonRecord? = nil, in db: Database) throws {
    self.session = session
    let factors = try Settings.factors(in: db)
    self.factors = factors
    let seq = try Self.seq(of: session.subject, in: db)
    self.seq = seq
    let known = earlier.flatMap { $0.factors == factors && $0.seq <= seq ? $0 : nil }
    var count = try known?.readingCount ?? Self.count(of: session, in: db)
    var share = known?.share ?? 1
    while Int64(count) / share > 2 * Thinning.usual { share *= 2 }
    let changed = try LoggedEntry.all(
      in: db,
      where: """
        series_id = ?1 AND version > ?2 AND (kind <> 'reading' OR entries.state <> 'current'
          OR version <> first_seq OR \(Thinning.sql) < ?3 OR version >= (
            SELECT version FROM entries WHERE series_id = ?1 ORDER BY version DESC LIMIT 1 OFFSET ?4))
        """,
      [
        session.series, known?.seq ?? 0, Thinning.limit(known == nil ? share : 1), Thinning.latest,
      ]
    ).compactMap { logged in
      Entry(logged, factors).map {
        OrderedEntry(entry: $0, at: logged.at, firstSeq: logged.firstSeq)
      }
    }
    let names = Set(changed.map(\.entry.uuid))
    let before = (known?.timed ?? []).filter { names.contains($0.entry.uuid) }
    var timed = ((known?.timed ?? []).filter { !names.contains($0.entry.uuid) } + changed)
      .sorted { ($0.at, $0.firstSeq) < ($1.at, $1.firstSeq) }
    if let known {
      // What changed and is not remembered was a reading like others.
      let forgotten =
        changed.count { $0.entry.kind == .reading && $0.firstSeq <= known.seq }
        - before.count { $0.entry.kind == .reading }
      count += changed.count(where: \.isCounted) - before.count(where: \.isCounted) - forgotten
    }
    Self.thin(&timed, to: share)
    while timed.count(where: \.isPlain) > 2 * Thinning.usual {
      share *= 2
      Self.thin(&timed, to: share)
    }
    (self.timed, self.share, readingCount) = (timed, share, count)
    conflicts = try Self.conflicts(of: session, in: db)
    release = try Self.release(of: session, after: known, factors, in: db)
    asked = try Self.asked(of: session.subject, in: db)
    series = try Self.series(of: session, factors, in: db)
  }

  var entries: [Entry] { timed.map(\.entry) }

  /// Whether a session of somebody else, after the same food, was over at the last change: then the forecast of a state of
  /// the data is the same whenever it is made.
  fileprivate func mayLearn(from other: Session) -> Bool {
    other.person != session.person && other.food == session.food
      && other.decisionSeq ?? .max < seq
  }

  private static func thin(_ timed: inout [OrderedEntry], to share: Int64) {
    guard share > 1 else { return }
    var latest = Thinning.latest
    timed = timed.reversed().filter { one in
      guard one.isPlain else { return true }
      latest -= 1
      return latest >= 0 || Thinning.keeps(one.firstSeq, share)
    }.reversed()
  }

  private static func count(of session: Session, in db: Database) throws -> Int {
    try db.value(
      """
      SELECT count(*) FROM entries WHERE series_id = ? AND kind = 'reading' AND state <> 'void'
      """, [session.series]) ?? 0
  }

  /// The request for a second signature, which whatever happens after it overtakes.
  private static func asked(of subject: String, in db: Database) throws -> Person.Proposal? {
    guard let event = try EventLog.last(about: subject, in: db), event.action == "release.ask"
    else {
      return nil
    }
    return Person.Proposal(by: event.actor, at: ISOTime.text(event.at), reason: event.reason)
  }

  /// What counts, as the tables of the study have it, without what cannot be.
  private static func series(
    of session: Session, _ factors: ConversionFactors, in db: Database
  ) throws -> Series {
    let measures = try db.row(
      """
      SELECT sex, ifnull(series.weight_kg, subjects.weight_kg) AS weight,
        ifnull(series.height_m, subjects.height_m) AS height, ifnull(series.age_y, subjects.age_y) AS age
      FROM series JOIN subjects ON subjects.id = subject_id WHERE series.id = ?
      """, [session.series])
    let subject = Subject(
      id: session.subject, sex: (measures?["sex"]).flatMap(Sex.init),
      age: (measures?["age"]).map { Years($0) }, height: (measures?["height"]).map { Metres($0) },
      weight: (measures?["weight"]).map { Kilograms($0) })
    return Series(
      subject: subject, occasion: session.occasion,
      drinks: try RecordRow<Drink>.values(of: session.series, in: db),
      readings: try RecordRow<Reading>.values(of: session.series, about: Self.mostFitted, in: db)
        .filter { $0.gramsPerKilogram(factors) != nil })
  }

  /// The last change that counts for a person: one of theirs, or of the settings.
  static func seq(of subject: String, in db: Database) throws -> Int64 {
    let own: Int64? = try db.value("SELECT max(seq) FROM events WHERE subject = ?", [subject])
    return max(own ?? 0, try Settings.lastChange(in: db))
  }

  /// - Parameter earlier: What is known: only changes since then are looked at.
  private static func release(
    of session: Session, after earlier: PersonRecord?, _ factors: ConversionFactors,
    in db: Database
  ) throws -> Person.Release? {
    guard let event = try session.decisionSeq.flatMap({ try EventLog.event(seq: $0, in: db) })
    else { return nil }
    let decision = event.newValue
    var release = Person.Release(
      decision: decision["decision"]?.string ?? "", by: event.actor, at: ISOTime.text(event.at),
      seq: event.seq, signed: decision["signed"]?.string, second: decision["second"]?.string)
    guard session.isOver else { return release }
    let known = earlier?.session == session ? earlier : nil
    let since = try EventLog.events(
      after: max(event.seq, known?.seq ?? 0), limit: .max, subject: session.subject, in: db
    ).filter { event in
      if event.action == "subject.measures" { return true }
      guard let record = event.record,
        let kind = event.action.split(separator: ".").first.flatMap({ EntryKind(rawValue: "\($0)") }
        ), try isEntry(record, of: session, in: db)
      else { return false }
      switch kind {
      case .drink: return true
      case .reading where event.action == "reading.enter":
        guard let reading = LoggedEntry.reading(event.newValue["value"] ?? .null, at: 0),
          !reading.isExcluded, let blood = reading.gramsPerKilogram(factors)
        else { return false }
        // Who had left is back.
        return session.state == "ended" || blood > session.releaseLimit
      case .reading: return true
      case .vital, .note: return false
      }
    }
    let changes = (known?.release?.changedSince ?? []) + since.map(\.seq)
    release.changedSince = changes.isEmpty ? nil : changes
    release.changedAt = known?.release?.changedAt ?? since.first.map { ISOTime.text($0.at) }
    return release
  }

  private static func isEntry(_ uuid: UUID, of session: Session, in db: Database) throws -> Bool {
    try db.has("SELECT 1 FROM entries WHERE uuid = ? AND series_id = ?", [uuid, session.series])
  }

  /// Whether the session goes on, or again.
  fileprivate var isRunning: Bool { session.state == "running" || release?.changedSince != nil }

  private static func conflicts(of session: Session, in db: Database) throws -> [Person.Conflict] {
    let entries: [UUID] = try db.values(
      """
      SELECT entry FROM conflicts JOIN entries ON entries.uuid = entry
      WHERE series_id = ? AND resolved_seq IS NULL GROUP BY entry ORDER BY min(seq_a)
      """, [session.series])
    return try entries.map { entry in
      Person.Conflict(
        entry: entry.text,
        values: try EventLog.contradictions(of: entry, in: db).map { event in
          Person.Conflict.Value(
            seq: event.seq, value: event.newValue["value"],
            measuredAt: event.measured.map(ISOTime.text), by: event.actor,
            at: ISOTime.text(event.at))
        })
    }
  }

  /// When the next reading is due: an interval after the last one that was taken; nil once somebody may go, and of
  /// whom vital signs were reported and nothing else.
  var nextReadingDue: Int64? {
    let isReport =
      session.slot == nil && !timed.isEmpty && timed.allSatisfy { $0.entry.kind == .vital }
    guard isRunning, !isReport else { return nil }
    let taken = timed.last { $0.entry.kind == .reading && $0.entry.state != "void" }
    return (taken?.at ?? session.starts) + Int64(session.readingIntervalMin) * 60_000
  }

  /// As many readings are listed.
  private static let mostReadings = 1000
  /// About as many are fitted, from which a forecast takes its own.
  private static let mostFitted = 2000

  func person(_ outlook: PersonForecast, at now: Int64) -> Person {
    func entries(_ kind: EntryKind) -> [Entry] { self.entries.filter { $0.kind == kind } }
    let prediction = outlook.prediction(of: self, at: now)
    let readings = entries(.reading)
    let shown = readings.thinned(to: Self.mostReadings) {
      $0.state != "current" || $0.asEntered != nil
    }
    let isThinned = shown.count { $0.state != "void" } < readingCount
    return Person(
      subject: session.subject, occasion: session.occasion, slot: session.slot,
      sessionType: session.sessionType, state: isRunning ? "running" : session.state,
      started: ISOTime.text(session.starts),
      releaseLimitGPerKg: session.releaseLimit, bloodBreathRatio: factors.bloodBreathRatio,
      readingIntervalMin: session.readingIntervalMin,
      nextReadingDue: nextReadingDue.map(ISOTime.text), seq: seq, readings: shown,
      readingCount: isThinned ? readingCount : nil, drinks: entries(.drink),
      vitals: entries(.vital), notes: entries(.note),
      conflicts: conflicts, curve: outlook.curve, forecast: prediction.forecast,
      whyNot: prediction.whyNot, pending: outlook.isPending ? true : nil, release: release,
      asked: asked)
  }
}

extension Array {
  /// Evenly no more elements than a number, with the last and those that must not be missed; all if they are few.
  func thinned(to most: Int, keeping isKept: (Element) -> Bool = { _ in false }) -> [Element] {
    let step = (count + most - 1) / most
    guard step > 1 else { return self }
    return enumerated().filter { index, element in
      index % step == (count - 1) % step || isKept(element)
    }.map(\.element)
  }
}
