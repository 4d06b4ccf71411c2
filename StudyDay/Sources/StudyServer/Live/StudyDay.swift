import DayDatabase
import Foundation
import GRDB
public import Logging
@_spi(StudyDay) import StudyStore

public struct DayOptions: Sendable {
  /// Whether a proxy that can be trusted stands before the server and says where requests come from.
  public var isBehindProxy = false
  /// Whether browsers reach it by https: then cookies are sent over nothing else.
  public var isSecure = false
  /// How browsers reach it, without a slash at the end; nil for as they say themselves.
  public var publicURL: String?
  /// How many requests one token may make in a second, and how many at once.
  public var rate = (perSecond: 200.0, atOnce: 1000.0)
  /// How many changes a participant may make in a second, and how many at once.
  public var ownRate = (perSecond: 2.0, atOnce: 60.0)
  /// How many times a minute one address may try to sign in.
  public var signInsPerMinute = 20.0
  /// How long the page of a day waits for forecasts before it shows what is known.
  public var forecastTime = Duration.milliseconds(300)
  /// How long an answer may take.
  public var answerTime = Duration.seconds(20)
  /// How long a request may take to come in, and an answer to be taken up: 256 KiB at 70 kbit/s.
  public var connectionTime = Duration.seconds(30)
  /// How long a connection may be open before the head of a request has come.
  public var helloTime = Duration.seconds(10)
  /// How many connections there may be: as many as there are descriptors, but for those that files and databases take.
  public var connections = {
    let descriptors = sysconf(Int32(_SC_OPEN_MAX))
    return descriptors > 0 ? max(16, descriptors - 64) : 65_536
  }()
  /// How many of them may come from one address, unless it is that of a proxy.
  public var connectionsPerAddress = 256
  /// How many streams of events one token may have: a browser has one for each page.
  public var streamsPerToken = 64
  /// The program that takes mail to people who chose that; nil for none.
  public var mail: MailCommand?
  /// Where what people chose to be written to about is posted, too.
  public var webhook: Webhook?
  /// How long requests that are under way may go on once the server is told to stop.
  public var stopTime = Duration.seconds(10)

  public init() {}
}

/// A study day: the database, its accounts, forecasts and live pages.
public struct StudyDay: Sendable {
  public let store: DayStore
  public let accounts: Accounts
  public let options: DayOptions
  let forecaster: Forecaster
  let logger: Logger
  let devices = Devices()
  /// Tells all pages of every change; it must run while the day is served.
  public let hub: LiveHub

  public init(
    store: DayStore, options: DayOptions = DayOptions(), logger: Logger = Logger(label: "promille")
  ) {
    self.store = store
    self.options = options
    self.logger = logger
    store.letterWays = [options.mail.map { _ in "mail" }, options.webhook.map { _ in "webhook" }]
      .compactMap { $0 }
    store.follow = { try NotificationQueue.follow($0, $1, at: $2, in: $3) }
    accounts = Accounts(store: store)
    let refits = LiveHub.Refits()
    let forecaster = Forecaster { refits.add([$0]) }
    self.forecaster = forecaster
    hub = LiveHub(store, refits, logger: logger) { try await Self.person($0, store, forecaster) }
  }
}

struct Decision: Sendable {
  var decision: String
  var adviceSeq: Int64
  /// True, or the name of the account.
  var signed: EventValue
  var reason: String?
  /// The token of a station, shown once more, where a second person would have to sign.
  var token: String?

  init(_ form: Form) throws(Problem) {
    var form = form
    decision = try form.required("decision", form.string("decision"))
    adviceSeq = try form.required("advice_seq", form.integer("advice_seq", .min ... .max))
    signed = form.value("signed") ?? .null
    (reason, token) = (try form.string("reason"), try form.string("token"))
  }

  fileprivate var state: String {
    get throws(Problem) {
      guard let state = SessionRule.states[decision] else {
        throw Problem(.badValue, "decision must be released, kept or left.")
      }
      return state
    }
  }

  /// Refuses a signature in another name than the account's, which stands in the log.
  fileprivate func requireSignature(of identity: Identity) throws(Problem) {
    let name = signed.string?.trimmingCharacters(in: .whitespaces).lowercased()
    guard signed.flag == true || name == identity.name.lowercased() else {
      throw Problem(
        .badValue,
        "A person decides and signs: signed must be true, or the name of the account, \(identity.name)."
      )
    }
    try Problem.requireReason(reason)
  }
}

extension StudyDay {
  /// A person with what is computed of the latest session; nil if there is none.
  func person(_ subject: String) async throws -> Person? {
    try await Self.person(subject, store, forecaster)
  }

  private static func person(
    _ subject: String, _ store: DayStore, _ forecaster: Forecaster
  ) async throws -> Person? {
    let record = try await store.read { try forecaster.records.latest(of: subject, in: $0) }
    guard let record else { return nil }
    return record.person(try await forecaster.outlook(of: record), at: store.clock.now)
  }

  /// How long ago a session may have begun that is of the day, in ms.
  static let dayLength: Int64 = 36 * 3_600_000

  /// The people whose session began within the last 36 hours, in order of their names; or only one of them.
  ///
  /// - Parameter time: How long to wait for forecasts, without which people are shown then; one person is waited for.
  func people(only subject: String? = nil, within time: Duration) async throws -> [Person] {
    if let subject { return try await person(subject).flatMap(ofTheDay).map { [$0] } ?? [] }
    let since = store.clock.now - Self.dayLength
    return try await people(within: time) { try Sessions.running(since: since, in: $0) }
  }

  private func ofTheDay(_ person: Person) -> Person? {
    let since = ISOTime.text(store.clock.now - Self.dayLength)
    return person.started >= since ? person : nil
  }

  /// - Parameter time: As above; nil for as long as it takes.
  func people(
    within time: Duration? = nil, of sessions: @escaping @Sendable (Database) throws -> [Session]
  ) async throws -> [Person] {
    let records = try await store.read { db in
      let sessions = try sessions(db)
      forecaster.records.makeRoom(for: sessions.count)
      return try forecaster.records.records(of: sessions, in: db)
    }
    try await forecaster.prepare(records, within: time)
    let now = store.clock.now
    return records.map { $0.person(forecaster.known(of: $0), at: now) }
  }

  /// Notes a decision about somebody's session, if nothing changed since the advice that was seen.
  ///
  /// A release against the advice needs a reason and, unless the settings say otherwise, a second person: the first
  /// signature asks for it, and that of somebody else who was shown the same decides. Returns the person after it.
  func decide(
    _ decision: Decision, of subject: String, by identity: Identity
  ) async throws -> Person {
    let state = try decision.state
    try decision.requireSignature(of: identity)
    guard let person = try await person(subject) else { throw Problem(.notFound) }
    let doubt = state == "released" ? person.doubt(at: store.clock.now) : nil
    let reason = decision.reason.flatMap { $0.isBlank ? nil : $0 } ?? person.asked?.reason
    if let doubt, reason == nil {
      throw Problem(.noReason, "\(doubt) Say why \(subject) may go all the same.")
    }
    let asked = person.asked.flatMap { $0.by == identity.name ? nil : $0 }
    let witness = try await witness(decision.token, of: identity)
    let second = witness?.name ?? asked?.by
    try await store.change { change in
      let db = change.db
      guard let session = try Sessions.latest(of: subject, in: db) else { throw Problem(.notFound) }
      let seq = try PersonRecord.seq(of: subject, in: db)
      guard seq == decision.adviceSeq, person.seq == seq else {
        throw Problem(
          .conflict, "Something changed meanwhile. Look at the new advice, and decide again.")
      }
      if doubt != nil, let witness, witness.account != identity.account {
        try witness.requireIndependence(of: identity.name, before: change.now, in: db)
      } else if doubt != nil, witness == nil, let asked {
        let time = ISOTime.milliseconds(asked.at) ?? 0
        try identity.requireIndependence(of: asked.by, before: time, in: db)
      }
      let isAsking = try doubt != nil && second == nil && Settings.wantsSecondPerson(in: db)
      let advice = person.forecast.map { forecast -> EventValue in
        .object([
          "median": .text(forecast.median), "not_before": .text(forecast.notBefore),
          "probability_now": .number(forecast.probabilityNow),
        ])
      }
      var new: [String: EventValue] = [
        "decision": .text(decision.decision), "advice_seq": .integer(seq),
        "advice": advice ?? .null, "signed": .text(identity.name),
      ]
      new["against"] = doubt.map(EventValue.text)
      if doubt != nil { new["second"] = second.map(EventValue.text) }
      let event = try change.log(
        Event(
          actor: identity.name, station: identity.station, issuer: identity.issuer,
          action: isAsking ? "release.ask" : "release.decide", subject: subject,
          new: .object(new), reason: reason))
      guard !isAsking else { return }
      try db.run(
        "UPDATE sessions SET state = ?, decision_seq = ? WHERE series_id = ?",
        [state, event.seq, session.series])
      let isReleased = state == "released"
      try db.run(
        "UPDATE bookings SET state = ?, changed_ms = ? WHERE series_id = ? AND state = ?",
        [
          isReleased ? "released" : "checked-in", change.now, session.series,
          isReleased ? "checked-in" : "released",
        ])
    }
    guard let decided = try await self.person(subject) else { throw Problem(.notFound) }
    return decided
  }

  /// Whose token was shown in place of a second person: the signer's, or that of another account that may decide.
  private func witness(_ text: String?, of identity: Identity) async throws -> Identity? {
    guard let text else { return nil }
    guard let token = Token(text),
      let shown = try await accounts.identity(of: token, kinds: ["station"]),
      shown.account == identity.account || shown.may(.decideRelease)
    else { throw Problem(.badToken) }
    return shown
  }
}

extension Identity {
  /// Refuses who is no second person: somebody whom the first could have made up. The account was there and signed in
  /// before it was asked, and the first invited it to nothing on the day before.
  fileprivate func requireIndependence(
    of first: String, before asked: Int64, in db: Database
  ) throws {
    let isThere = try db.has(
      """
      SELECT 1 FROM tokens JOIN accounts ON accounts.id = account_id
      WHERE tokens.id = ?1 AND tokens.made_ms < ?2 AND accounts.made_ms < ?2
      """, [token, asked])
    let isInvited = try db.has(
      """
      SELECT 1 FROM events WHERE action = 'account.invite' AND actor = ? AND at_ms > ?
        AND json_extract(new, '$.account') = ?
      """, [first, asked - 86_400_000, name])
    guard isThere, !isInvited else {
      throw Problem(
        .notAllowed,
        "A second person signs who was signed in before \(first) asked, and whom \(first) did not invite within the day."
      )
    }
  }
}

extension Person {
  /// Why a release at a moment would be against the advice; nil if it would not be.
  fileprivate func doubt(at now: Int64) -> String? {
    let last = readings.last { $0.state == "current" && $0.value["excluded"]?.string == nil }
    if let blood = last?.gPerKg, blood > releaseLimitGPerKg {
      return "The last reading is above the limit."
    }
    if let forecast {
      let isBefore = ISOTime.milliseconds(forecast.notBefore).map { now < $0 } ?? true
      return isBefore ? "The advice is: not before \(forecast.notBefore)." : nil
    }
    return drinks.contains { $0.state != "void" } ? "There is no advice." : nil
  }
}
