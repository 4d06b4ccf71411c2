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
      /// Time of measurement; null with the value.
      public var measuredAt: String?
      public var by: String
      public var at: String
    }

    public var entry: String
    public var values: [Value]
    /// Kind of the entry, for accounts from which its values are concealed.
    var kind: EntryKind?

    private enum CodingKeys: CodingKey {
      case entry, values
    }
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
    /// Most informative time for a reading within an hour of the last, and the share by which it is expected to
    /// shorten the interval; nil once that time is past.
    public var bestReading: String?
    public var bestReadingGain: Double?
    /// Number of other people, with sessions over by the last change, that the prior learned from; nil for nobody.
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
    /// Second signer of a release against the advice.
    public var second: String?
    /// Later changes that the release did not consider: drinks, readings above the limit, corrections; nil if there are
    /// none. Any of them reopens the session until the next decision.
    public var changedSince: [Int64]?
    /// Time of storage of the first of them.
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
  /// Blood-to-breath ratio that converts readings of breath.
  public var bloodBreathRatio: Double
  public var readingIntervalMin: Int
  public var nextReadingDue: String?
  /// Number of the last event that is included.
  public var seq: Int64
  public var readings: [Entry]
  /// Number of all readings if not all are listed: an instrument may send 50 a second.
  public var readingCount: Int?
  public var drinks: [Entry]
  public var vitals: [Entry]
  public var notes: [Entry]
  public var conflicts: [Conflict]
  public var curve: Curve?
  public var forecast: Prediction?
  public var whyNot: String?
  /// True while curve and forecast are being computed, which an event announces; nil if they are current.
  public var pending: Bool?
  public var release: Release?
  public var asked: Proposal?
  /// Event after which the lists have only changes; nil if they are complete.
  public var since: Int64?
}

extension Person {
  /// Returns the person with only the entries that changed after an event: there may be thousands.
  func changes(since seq: Int64) -> Person {
    var changed = self
    changed.since = seq
    for list in [\Person.readings, \.drinks, \.vitals, \.notes] {
      changed[keyPath: list].removeAll { $0.version <= seq }
    }
    return changed
  }
}

/// Entry in its current version.
public struct Entry: Encodable, Hashable, Sendable {
  public var uuid: String
  public var kind: EntryKind
  public var at: String
  public var value: EventValue
  public var version: Int64
  public var state: String
  public var by: String
  public var station: String?
  /// First value, if it was corrected since.
  public var asEntered: EventValue?
  /// A reading in blood.
  public var gPerKg: Double?
  /// Doubt about the instrument of a reading: its calibration check was due, failed or missing.
  public var instrumentDoubt: String?
}

extension Entry {
  /// True for a drink that is no part of the study, also once it was taken out.
  var isOwn: Bool { kind == .drink && (LoggedEntry.isOwn(value) || LoggedEntry.isOwn(asEntered)) }

  /// Makes the entry that pages show; nil for an unknown kind.
  init?(_ logged: LoggedEntry, _ factors: ConversionFactors) {
    guard let kind = EntryKind(rawValue: logged.kind) else { return nil }
    self.init(
      uuid: logged.uuid.text, kind: kind, at: ISOTime.text(logged.at), value: logged.value,
      version: logged.version, state: logged.state, by: logged.actor, station: logged.station,
      asEntered: logged.first == logged.value ? nil : logged.first,
      gPerKg: logged.reading?.gramsPerKilogram(factors), instrumentDoubt: logged.instrumentDoubt)
  }
}

/// Cache of the stored records of people, invalidated by events and changes of the session: the watch for notices
/// reads everybody every two seconds.
final class PersonRecords: Sendable {
  /// Sessions that are over, as of a change of the database.
  private struct Over {
    var seq: Int64 = 0
    /// The sessions, the last decision first.
    var sessions: [Session] = []
    /// Their series, as far as somebody asked; nil for a session that is not completed.
    var completed = RecentlyUsed<Int64, Series?>(limit: 1000)
  }

  private let cache = Mutex(RecentlyUsed<Int64, PersonRecord>(limit: 1000))
  private let over = Mutex(Over())

  func makeRoom(for count: Int) { cache.withLock { $0.makeRoom(for: count) } }

  /// Returns the record of a person's latest session; nil if there is none.
  func latest(of subject: String, in db: Database) throws -> PersonRecord? {
    try Sessions.latest(of: subject, in: db).map { try record(of: $0, in: db) }
  }

  func record(of session: Session, in db: Database) throws -> PersonRecord {
    try records(of: [session], in: db)[0]
  }

  func records(of sessions: [Session], in db: Database) throws -> [PersonRecord] {
    var teachers: [String: Teachers] = [:]
    return try sessions.map { session in
      let seq = try PersonRecord.seq(of: session.subject, in: db)
      let earlier = cache.withLock { $0[session.series] }
      if let earlier, earlier.seq == seq, earlier.session == session { return earlier }
      var record = try PersonRecord(session, after: earlier, in: db)
      let food = session.food
      var known =
        try teachers.removeValue(forKey: food) ?? Teachers(allOver(in: db), after: food)
      record.completed = try known.latest(for: record) { try completed($0, in: db) }
      teachers[food] = known
      let made = record
      cache.withLock { $0[session.series] = made }
      return made
    }
  }

  /// The sessions that are over, those that were decided last first. Those of people without a change since are not read
  /// again.
  private func allOver(in db: Database) throws -> [Session] {
    let known = over.withLock { (seq: $0.seq, sessions: $0.sessions) }
    let last = try EventLog.last(in: db)?.seq ?? 0
    guard last > known.seq else { return known.sessions }
    let isNew = try known.seq == 0 || Settings.lastChange(in: db) > known.seq
    let changed = isNew ? [] : try EventLog.subjects(after: known.seq, in: db)
    let others = known.sessions.filter { !changed.contains($0.subject) }
    let sessions =
      try isNew
      ? Sessions.over(in: db)
      : (others + changed.flatMap { try Sessions.all(of: $0, in: db).filter(\.isOver) })
        .sorted { $0.decisionSeq ?? 0 > $1.decisionSeq ?? 0 }
    over.withLock { over in
      guard over.seq == known.seq else { return }
      if isNew { over.completed = RecentlyUsed(limit: 1000) }
      for one in known.sessions where changed.contains(one.subject) {
        over.completed[one.series] = nil
      }
      over.seq = last
      over.sessions = sessions
    }
    return sessions
  }

  /// A session that is over, if it did not go on and the concentration has fallen to the limit; else nil.
  private func completed(_ session: Session, in db: Database) throws -> Series? {
    let known = over.withLock { (seq: $0.seq, series: $0.completed[session.series]) }
    if let series = known.series { return series }
    let record = try PersonRecord(session, in: db)
    let limit = GramsPerKilogram(session.releaseLimit)
    let isOver = !record.isRunning && record.series.isCompleted(at: limit, using: record.factors)
    let completed = isOver ? record.series : nil
    // Another reader may have seen a change meanwhile.
    let isCurrent = try EventLog.last(in: db)?.seq == known.seq
    over.withLock { over in
      if isCurrent, over.seq == known.seq { over.completed[session.series] = .some(completed) }
    }
    return completed
  }
}

/// The completed sessions after the same food, those that were decided last first, read as far as somebody asks.
private struct Teachers {
  private var rest: ArraySlice<Session>
  private var decisions: [(person: Int64, seq: Int64)] = []
  private var series: [Series] = []
  /// The last answer: most people learn from the same sessions, and share one list.
  private var last: (indices: [Int], series: [Series]) = ([], [])

  /// The latest sessions say enough of a study.
  private static let most = 50

  init(_ sessions: [Session], after food: String) {
    rest = sessions.filter { $0.food == food }[...]
  }

  /// Returns the series of other people that were over at the last change of a record: then the forecast of a state of the
  /// data is the same whenever it is made.
  mutating func latest(
    for record: PersonRecord, completed: (Session) throws -> Series?
  ) rethrows -> [Series] {
    var indices: [Int] = []
    var index = 0
    while indices.count < Self.most {
      if index == decisions.count {
        guard let session = rest.popFirst() else { break }
        guard let found = try completed(session) else { continue }
        decisions.append((session.person, session.decisionSeq ?? .max))
        series.append(found)
      }
      let decision = decisions[index]
      if decision.person != record.session.person, decision.seq < record.seq {
        indices.append(index)
      }
      index += 1
    }
    if indices != last.indices { last = (indices, indices.map { series[$0] }) }
    return last.series
  }
}

/// Sample of many readings that is kept in memory: the latest, and one of so many others, evenly by their numbers. A
/// coarser sample is a subset of a finer one. An instrument may send 50 readings a second.
private enum Thinning {
  /// Number of other readings that are kept, up to twice as many, and of latest ones. A chart draws 400; twice as
  /// many of each of a dozen people took 80 MB within half an hour.
  static let usual = 500
  static let latest = 100
  /// 2^32 divided by the golden ratio: its multiples are evenly spread (Fibonacci hashing).
  private static let step: Int64 = 2_654_435_769

  /// SQL expression; a reading is kept if its value is below ``limit(_:)``.
  static let sql = "((first_seq & 2147483647) * \(step) & 4294967295)"

  static func limit(_ share: Int64) -> Int64 { (1 << 32) / share }

  static func keeps(_ firstSeq: Int64, _ share: Int64) -> Bool {
    (firstSeq & 0x7FFF_FFFF) * step & 0xFFFF_FFFF < limit(share)
  }
}

/// Stored records of a person's session, before any computation.
struct PersonRecord: Sendable {
  /// An entry, and where it stands among the others.
  private struct OrderedEntry {
    var entry: Entry
    /// Time of measurement, in ms since 1970.
    var at: Int64
    var firstSeq: Int64
    var isChanged: Bool

    /// True for a reading that may be left out of the sample: never corrected, taken out or contradicted.
    var isPlain: Bool { entry.kind == .reading && entry.state == "current" && !isChanged }
    var isCounted: Bool { entry.kind == .reading && entry.state != "void" }
  }

  let session: Session
  let seq: Int64
  /// Entries in order of time, with a sample of the readings if there are many.
  private let timed: [OrderedEntry]
  /// One of so many readings is kept.
  private let share: Int64
  /// Number of readings that were not taken out.
  private let readingCount: Int
  let conflicts: [Person.Conflict]
  let release: Person.Release?
  let proposal: Person.Proposal?
  let series: Series
  let factors: ConversionFactors
  let plan: Plan?
  /// The completed sessions of other people that its forecast learns from, the latest first.
  fileprivate(set) var completed: [Series] = []

  /// - Parameter earlier: Record read before; only later changes are read.
  init(_ session: Session, after earlier: PersonRecord? = nil, in db: Database) throws {
    self.session = session
    let factors = try Settings.factors(in: db)
    self.factors = factors
    let seq = try Self.seq(of: session.subject, in: db)
    self.seq = seq
    let base = earlier.flatMap { $0.factors == factors && $0.seq <= seq ? $0 : nil }
    var count = try base?.readingCount ?? Self.count(of: session, in: db)
    var share = base?.share ?? 1
    while Int64(count) / share > 2 * Thinning.usual { share *= 2 }
    let changed = try LoggedEntry.all(
      in: db,
      where: """
        series_id = ?1 AND version > ?2 AND (kind <> 'reading' OR entries.state <> 'current'
          OR maker.seq <> first_seq OR \(Thinning.sql) < ?3 OR version >= (
            SELECT version FROM entries WHERE series_id = ?1 ORDER BY version DESC LIMIT 1 OFFSET ?4))
        """,
      [
        session.series, base?.seq ?? 0, Thinning.limit(base == nil ? share : 1), Thinning.latest,
      ]
    ).compactMap { logged in
      Entry(logged, factors).map {
        OrderedEntry(
          entry: $0, at: logged.at, firstSeq: logged.firstSeq,
          isChanged: logged.lastSeq != logged.firstSeq)
      }
    }
    let names = Set(changed.map(\.entry.uuid))
    let before = (base?.timed ?? []).filter { names.contains($0.entry.uuid) }
    var timed = ((base?.timed ?? []).filter { !names.contains($0.entry.uuid) } + changed)
      .sorted { ($0.at, $0.firstSeq) < ($1.at, $1.firstSeq) }
    if let base {
      // A changed entry outside the sample was a plain reading, which the count includes already.
      let unsampled =
        changed.count { $0.entry.kind == .reading && $0.firstSeq <= base.seq }
        - before.count { $0.entry.kind == .reading }
      count += changed.count(where: \.isCounted) - before.count(where: \.isCounted) - unsampled
    }
    Self.thin(&timed, to: share)
    while timed.count(where: \.isPlain) > 2 * Thinning.usual {
      share *= 2
      Self.thin(&timed, to: share)
    }
    self.timed = timed
    self.share = share
    readingCount = count
    conflicts = try Self.conflicts(of: session, in: db)
    release = try Self.release(of: session, after: base, factors, in: db)
    proposal = try Self.proposal(of: session.subject, in: db)
    series = try Self.series(of: session, factors, in: db)
    plan = try Plan(of: session, in: db)
  }

  var entries: [Entry] { timed.map(\.entry) }

  private static func thin(_ timed: inout [OrderedEntry], to share: Int64) {
    guard share > 1 else { return }
    var latest = Thinning.latest
    timed = timed.reversed().filter { ordered in
      guard ordered.isPlain else { return true }
      latest -= 1
      return latest >= 0 || Thinning.keeps(ordered.firstSeq, share)
    }.reversed()
  }

  private static func count(of session: Session, in db: Database) throws -> Int {
    try db.value(
      """
      SELECT count(*) FROM entries WHERE series_id = ? AND kind = 'reading' AND state <> 'void'
      """, [session.series]) ?? 0
  }

  /// Returns the open request for a second signature; any later event of the subject closes it.
  private static func proposal(of subject: String, in db: Database) throws -> Person.Proposal? {
    guard let event = try EventLog.last(about: subject, in: db), event.action == "release.ask"
    else {
      return nil
    }
    return Person.Proposal(by: event.actor, at: ISOTime.text(event.at), reason: event.reason)
  }

  /// Returns the series of the study's tables, without implausible values.
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

  /// Returns the last change that affects a person: one of theirs, or of the settings.
  static func seq(of subject: String, in db: Database) throws -> Int64 {
    let last: Int64? = try db.value("SELECT max(seq) FROM events WHERE subject = ?", [subject])
    return max(last ?? 0, try Settings.lastChange(in: db))
  }

  /// - Parameter earlier: Record read before; only later changes are read.
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
    let base = earlier?.session == session ? earlier : nil
    let since = try EventLog.events(
      after: max(event.seq, base?.seq ?? 0), limit: .max, subject: session.subject, in: db
    ).filter { event in
      if event.action == "subject.measures" { return true }
      guard let record = event.record,
        let kind = event.action.split(separator: ".").first.flatMap({ EntryKind(rawValue: "\($0)") }
        ), try isEntry(record, of: session, in: db)
      else { return false }
      switch kind {
      // What was drunk at home is no part of the study.
      case .drink:
        return !LoggedEntry.isOwn((event.new == nil ? event.oldValue : event.newValue)["value"])
      case .reading where event.action == "reading.enter":
        guard let reading = LoggedEntry.reading(event.newValue["value"] ?? .null, at: 0),
          !reading.isExcluded, let blood = reading.gramsPerKilogram(factors)
        else { return false }
        // A reading after leaving means that the person is back.
        return session.state == "ended" || blood > session.releaseLimit
      // Who has left cannot be measured again.
      case .reading where event.action == LoggedEntry.doubtAction: return session.state != "ended"
      case .reading: return true
      case .vital, .note: return false
      }
    }
    let changes = (base?.release?.changedSince ?? []) + since.map(\.seq)
    release.changedSince = changes.isEmpty ? nil : changes
    release.changedAt = base?.release?.changedAt ?? since.first.map { ISOTime.text($0.at) }
    return release
  }

  private static func isEntry(_ uuid: UUID, of session: Session, in db: Database) throws -> Bool {
    try db.has("SELECT 1 FROM entries WHERE uuid = ? AND series_id = ?", [uuid, session.series])
  }

  /// True if the session goes on, or was reopened.
  var isRunning: Bool { session.state == "running" || release?.changedSince != nil }

  private static func conflicts(of session: Session, in db: Database) throws -> [Person.Conflict] {
    let entries: [UUID] = try db.values(
      """
      SELECT entry FROM conflicts JOIN entries ON entries.uuid = entry
      WHERE series_id = ? AND resolved_seq IS NULL GROUP BY entry ORDER BY min(seq_a)
      """, [session.series])
    return try entries.map { entry in
      let events = try EventLog.contradictions(of: entry, in: db)
      return Person.Conflict(
        entry: entry.text,
        values: events.map { event in
          Person.Conflict.Value(
            seq: event.seq, value: event.newValue["value"],
            measuredAt: event.measured.map(ISOTime.text), by: event.actor,
            at: ISOTime.text(event.at))
        },
        kind: events.first.flatMap { EntryKind(rawValue: String($0.action.prefix { $0 != "." })) })
    }
  }

  /// True if the person reported vital signs or own drinks, and nothing else.
  var isReport: Bool {
    session.slot == nil && !timed.isEmpty
      && timed.allSatisfy { $0.entry.kind == .vital || $0.entry.isOwn }
  }

  /// Times of the study's first drink and of readings, in ms.
  var given: (drink: Int64?, readings: [Int64]) {
    let counted = timed.filter { $0.entry.state != "void" && !$0.entry.isOwn }
    return (
      counted.first { $0.entry.kind == .drink }?.at,
      counted.filter { $0.entry.kind == .reading }.map(\.at)
    )
  }

  /// Time of the next reading, as planned, or one interval after the last; nil after the release, and for a report.
  var nextReadingDue: Int64? {
    guard isRunning, !isReport else { return nil }
    if let nextPlanned { return nextPlanned }
    let taken = timed.last { $0.entry.kind == .reading && $0.entry.state != "void" }
    return (taken?.at ?? session.starts) + Int64(session.readingIntervalMin) * 60_000
  }

  /// Largest number of listed readings.
  private static let mostReadings = 1000
  /// Number of readings passed to a forecast, which thins them further.
  private static let mostFitted = 2000

  func person(_ forecast: PersonForecast, at now: Int64) -> Person {
    func entries(_ kind: EntryKind) -> [Entry] { self.entries.filter { $0.kind == kind } }
    let prediction = forecast.prediction(of: self, at: now)
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
      readingCount: isThinned ? readingCount : nil, drinks: entries(.drink).filter { !$0.isOwn },
      vitals: entries(.vital), notes: entries(.note),
      conflicts: conflicts, curve: forecast.curve, forecast: prediction.forecast,
      whyNot: prediction.whyNot, pending: forecast.isPending ? true : nil, release: release,
      asked: proposal)
  }
}

extension Array {
  /// Returns at most `most` elements, evenly chosen, with the last one, plus all that must be kept.
  func thinned(to most: Int, keeping isKept: (Element) -> Bool = { _ in false }) -> [Element] {
    let step = (count + most - 1) / most
    guard step > 1 else { return self }
    return enumerated().filter { index, element in
      index % step == (count - 1) % step || isKept(element)
    }.map(\.element)
  }
}
