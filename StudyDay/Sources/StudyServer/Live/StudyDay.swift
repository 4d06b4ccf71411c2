import DayDatabase
import Foundation
import GRDB
public import Logging
@_spi(StudyDay) import StudyStore

public struct DayOptions: Sendable {
  /// True behind a trusted proxy that names the client's address.
  public var isBehindProxy = false
  /// True if browsers use https; cookies are then sent over https only.
  public var isSecure = false
  /// URL of the server for links, without a slash at the end; nil for the address that requests name.
  public var publicURL: String?
  /// Requests of one token per second, and in a burst.
  public var rate = (perSecond: 200.0, atOnce: 1000.0)
  /// Changes of a participant per second, and in a burst.
  public var ownRate = (perSecond: 2.0, atOnce: 60.0)
  /// Attempts to sign in from one address per minute.
  public var signInsPerMinute = 20.0
  /// Time that the page of a day waits for forecasts before it shows older ones.
  public var forecastTime = Duration.milliseconds(300)
  /// Time limit of an answer.
  public var answerTime = Duration.seconds(20)
  /// Time limit of receiving a request and of sending an answer: 256 KiB at 70 kbit/s.
  public var connectionTime = Duration.seconds(30)
  /// Time limit from opening a connection to the head of a request.
  public var helloTime = Duration.seconds(10)
  /// Largest number of connections: the process' descriptors less those for files and databases.
  public var connections = {
    let descriptors = sysconf(Int32(_SC_OPEN_MAX))
    return descriptors > 0 ? max(16, descriptors - 64) : 65_536
  }()
  /// Largest number of connections from one address, unless it is a proxy's.
  public var connectionsPerAddress = 256
  /// Largest number of event streams of one token: a browser opens one for each page.
  public var streamsPerToken = 64
  /// Mail program for notifications; nil for none.
  public var mail: MailCommand?
  /// Webhook to which notifications are posted, too.
  public var webhook: Webhook?
  /// Schedule of automatic copies of the database; nil for none.
  public var backups: BackupPlan?
  /// Time for running requests after the server was asked to stop.
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
  let backups: BackupSchedule?
  /// Publisher of changes to all pages; it must run while the day is served.
  public let hub: LiveHub

  public init(
    store: DayStore, options: DayOptions = DayOptions(), logger: Logger = Logger(label: "promille")
  ) {
    self.store = store
    self.options = options
    self.logger = logger
    backups = options.backups.map { BackupSchedule($0, store, logger) }
    store.notificationChannels = [
      options.mail.map { _ in "mail" }, options.webhook.map { _ in "webhook" },
    ]
    .compactMap { $0 }
    store.onEvent = { try NotificationQueue.enqueue($0, $1, at: $2, in: $3) }
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
  /// Signature: true, or the name of the account.
  var signed: EventValue
  var reason: String?
  /// Token of a station, shown again in place of a second signature.
  var token: String?
  /// Signing code, needed if the sign-in is old.
  var code: String?

  init(_ form: Form) throws(Problem) {
    var form = form
    decision = try form.required("decision", form.string("decision"))
    adviceSeq = try form.required("advice_seq", form.integer("advice_seq", .min ... .max))
    signed = form.value("signed") ?? .null
    reason = try form.string("reason")
    token = try form.string("token")
    code = try form.string("code")
  }

  fileprivate var state: String {
    get throws(Problem) {
      guard let state = SessionRule.states[decision] else {
        throw Problem(.badValue, "decision must be released, kept or left.")
      }
      return state
    }
  }

  /// Refuses a signature with another name than the account's.
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
  /// Returns a person with the forecast of the latest session; nil if there is no session.
  func person(_ subject: String) async throws -> Person? {
    try await Self.person(subject, store, forecaster)
  }

  private static func person(
    _ subject: String, _ store: DayStore, _ forecaster: Forecaster
  ) async throws -> Person? {
    let record = try await store.read { try forecaster.records.latest(of: subject, in: $0) }
    guard let record else { return nil }
    return record.person(try await forecaster.forecast(of: record), at: store.clock.now)
  }

  /// Largest age of a session that belongs to the day, in ms.
  static let dayLength: Int64 = 36 * 3_600_000

  /// Returns the people whose session began within the last 36 hours, by name, or only one of them.
  ///
  /// - Parameter time: Time to wait for forecasts, after which people are shown without; one person is always waited for.
  func people(only subject: String? = nil, within time: Duration) async throws -> [Person] {
    if let subject { return try await person(subject).flatMap(ifOfToday).map { [$0] } ?? [] }
    let since = store.clock.now - Self.dayLength
    return try await people(within: time) { try Sessions.running(since: since, in: $0) }
  }

  private func ifOfToday(_ person: Person) -> Person? {
    let since = ISOTime.text(store.clock.now - Self.dayLength)
    return person.started >= since ? person : nil
  }

  /// - Parameter time: Time to wait for forecasts; nil waits for all.
  func people(
    within time: Duration? = nil, of sessions: @escaping @Sendable (Database) throws -> [Session]
  ) async throws -> [Person] {
    let records = try await store.read { db in
      let sessions = try sessions(db)
      forecaster.records.makeRoom(for: sessions.count)
      return try sessions.map { try forecaster.records.record(of: $0, in: db) }
    }
    try await forecaster.prepare(records, within: time)
    let now = store.clock.now
    return records.map { $0.person(forecaster.cached(for: $0), at: now) }
  }

  /// Records a decision about a session; refused if something changed since the advice that was seen.
  ///
  /// A release against the advice needs a reason and, unless the settings say otherwise, a second person: the first
  /// signature requests a second one, and that of somebody else who saw the same decides. Returns the updated person.
  func decide(
    _ decision: Decision, of subject: String, by identity: Identity
  ) async throws -> Person {
    let state = try decision.state
    try decision.requireSignature(of: identity)
    try await accounts.requireConfirmation(of: identity, by: decision.code)
    guard let person = try await person(subject) else { throw Problem(.notFound) }
    let objection = state == "released" ? person.objection(at: store.clock.now) : nil
    let reason = decision.reason.flatMap { $0.isBlank ? nil : $0 } ?? person.asked?.reason
    if let objection, reason == nil {
      throw Problem(.noReason, "\(objection) Say why \(subject) may go all the same.")
    }
    let proposal = person.asked.flatMap { $0.by == identity.name ? nil : $0 }
    let witness = try await witness(decision.token, of: identity)
    let second = witness?.name ?? proposal?.by
    try await store.change { change in
      let db = change.db
      guard let session = try Sessions.latest(of: subject, in: db) else { throw Problem(.notFound) }
      let seq = try PersonRecord.seq(of: subject, in: db)
      guard seq == decision.adviceSeq, person.seq == seq else {
        throw Problem(
          .conflict, "Something changed meanwhile. Look at the new advice, and decide again.")
      }
      if objection != nil, let witness, witness.account != identity.account {
        try witness.requireIndependence(of: identity.name, before: change.now, in: db)
      } else if objection != nil, witness == nil, let proposal {
        let time = ISOTime.milliseconds(proposal.at) ?? 0
        try identity.requireIndependence(of: proposal.by, before: time, in: db)
      }
      let isAsking = try objection != nil && second == nil && Settings.wantsSecondPerson(in: db)
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
      new["against"] = objection.map(EventValue.text)
      if objection != nil { new["second"] = second.map(EventValue.text) }
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

  /// Returns the account of the second signer's token, which must be another account that may decide.
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
  /// Refuses a second signer whom the first could have made up: the account must have existed and been signed in
  /// before the request, and not have been invited by the first within the day before.
  fileprivate func requireIndependence(
    of first: String, before moment: Int64, in db: Database
  ) throws {
    let isThere = try db.has(
      """
      SELECT 1 FROM tokens JOIN accounts ON accounts.id = account_id
      WHERE tokens.id = ?1 AND tokens.made_ms < ?2 AND accounts.made_ms < ?2
      """, [token, moment])
    let isInvited = try db.has(
      """
      SELECT 1 FROM events WHERE action = 'account.invite' AND actor = ? AND at_ms > ?
        AND json_extract(new, '$.account') = ?
      """, [first, moment - 86_400_000, name])
    guard isThere, !isInvited else {
      throw Problem(
        .notAllowed,
        "A second person signs who was signed in before \(first) asked, and whom \(first) did not invite within the day."
      )
    }
  }
}

extension Person {
  /// Reason why a release now would be against the advice; nil if it is not.
  fileprivate func objection(at now: Int64) -> String? {
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
