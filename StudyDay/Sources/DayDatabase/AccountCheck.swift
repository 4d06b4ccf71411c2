package import Foundation
import GRDB
@_spi(StudyDay) package import StudyStore

/// Verifies accounts, tokens and consent against the log.
struct AccountCheck {
  static let tables = ["accounts", "tokens", "codes", "people"]

  let db: Database
  private let subjects: [Int64: String]

  init(db: Database) throws {
    self.db = db
    subjects = Dictionary(
      try db.rows("SELECT id, name FROM subjects").map {
        ($0["id"] as Int64, $0["name"] as String)
      }, uniquingKeysWith: { $1 })
  }

  func firstDifference() throws -> EntryDifference? {
    try accounts() ?? tokens() ?? codes() ?? consent()
  }

  // MARK: Accounts

  private func accounts() throws -> EntryDifference? {
    let invitations = Dictionary(
      grouping: try EventLog.events(of: ["account.invite"], in: db)
    ) { $0.newValue["account"]?.string ?? "" }
    let ends = try EventLog.events(of: ["account.revoke", "account.restore"], in: db)
    var names: Set<String> = []
    for row in try db.rows("SELECT * FROM accounts ORDER BY id") {
      let (id, name, role): (Int64, String, String) = (row["id"], row["name"], row.role)
      names.insert(name)
      func different(_ message: String) -> EntryDifference {
        EntryDifference(what: "account", name: name, message: message)
      }
      guard let events = invitations[name], let last = events.last else {
        return different("nobody invited it")
      }
      guard last.newValue["role"]?.string == role else {
        return different("it was invited in another role")
      }
      guard row["made_ms"] as Int64? == events.first?.at else {
        return different("it was made at another time")
      }
      // A participant's account has the name of the subject.
      let subject = (row["subject_id"] as Int64?).map { subjects[$0] ?? "" }
      guard subject == (role == "participant" ? name : nil) else {
        return different("it is not that of the person whom it was made for")
      }
      let end = ends.last { $0.newValue["id"] == .integer(id) }
      guard (end?.action == "account.revoke") == ((row["revoked_ms"] as Int64?) != nil) else {
        return different("whether it was ended is not what the log says")
      }
    }
    return invitations.keys.sorted().first { !names.contains($0) }.map {
      EntryDifference(what: "account", name: $0, message: "it was invited, and is missing")
    }
  }

  // MARK: Tokens

  /// A logged token. Earlier versions did not log its identity: it is then matched by account, kind and time.
  private struct Made: Hashable {
    var account: String
    var isSession: Bool
    var kind: String?
    var at: Int64
  }

  private func tokens() throws -> EntryDifference? {
    var said: [Int64: Event] = [:]
    var earlier: [Made: Int] = [:]
    for event in try EventLog.events(of: ["account.invite", "account.sign-in"], in: db) {
      let new = event.newValue
      if let id = new["token"]?.integer {
        said[id] = event
        continue
      }
      let isSession = event.action == "account.sign-in"
      let made = Made(
        account: isSession ? event.actor : new["account"]?.string ?? "", isSession: isSession,
        kind: isSession ? "session" : new["kind"]?.string, at: event.at)
      earlier[made, default: 0] += 1
    }
    var ends: [Int64: Int64] = [:]
    for event in try EventLog.events(of: ["token.renew"], in: db) {
      if let id = event.newValue["token"]?.integer { ends[id] = Self.moment(event.newValue) }
    }
    let revocations = try EventLog.events(
      of: ["token.revoke", "account.restore", "subject.withdraw"], in: db)
    let times = Set(revocations.map(\.at))
    let revoked = Set(
      revocations.filter { $0.action == "token.revoke" }.compactMap { $0.newValue["id"]?.integer })
    let withdrawn = Dictionary(
      revocations.filter { $0.action == "subject.withdraw" }.map { ($0.subject ?? "", $0) },
      uniquingKeysWith: { $1 })
    let used = Dictionary(
      said.values.compactMap { event in
        event.newValue["shown"]?.integer.map { ($0, event.at) }
      }, uniquingKeysWith: { max($0, $1) })
    for row in try db.rows(
      """
      SELECT tokens.*, accounts.name, accounts.subject_id FROM tokens
        LEFT JOIN accounts ON accounts.id = account_id ORDER BY tokens.id
      """)
    {
      let (id, kind, made): (Int64, String, Int64) = (row["id"], row["kind"], row["made_ms"])
      let name: String = row["name"]
      func different(_ message: String) -> EntryDifference {
        EntryDifference(what: "token", name: "\(id) of \(name)", message: message)
      }
      let event = said.removeValue(forKey: id)
      if let event {
        let new = event.newValue
        let account = event.action == "account.sign-in" ? event.actor : new["account"]?.string
        guard account == name, new["kind"]?.string == kind, event.at == made,
          new["station"]?.string == row["label"] as String?,
          [nil, event.action == "account.sign-in" ? event.issuer : event.actor]
            .contains(row["issued_by"] as String?),
          new["mark"]?.string == (row["hash"] as Data?).map(Event.mark(of:))
        else { return different("it is not the one that was made") }
        guard row["expires_ms"] as Int64? == ends[id] ?? Self.moment(new) else {
          return different("it ends at another time than the log says")
        }
        guard kind != "invitation" || row["used_ms"] as Int64? == used[id] else {
          return different("whether it was used is not what the log says")
        }
      } else {
        let key = Made(account: name, isSession: kind == "session", kind: kind, at: made)
        guard let left = earlier[key], left > 0 else { return different("nobody made it") }
        earlier[key] = left - 1
      }
      let end: Int64? = row["revoked_ms"]
      if end == nil, revoked.contains(id) { return different("it was ended, and is not") }
      let withdrawal = (row["subject_id"] as Int64?).flatMap { withdrawn[subjects[$0] ?? ""] }
      if end == nil, let withdrawal,
        event.map({ $0.seq < withdrawal.seq }) ?? (made < withdrawal.at)
      {
        return different("the consent was withdrawn, and it is not ended")
      }
      if let end, !times.contains(end) { return different("nobody ended it") }
    }
    return said.keys.min().map {
      EntryDifference(what: "token", name: "\($0)", message: "it was made, and is missing")
    }
  }

  private static func moment(_ value: EventValue) -> Int64? {
    value["expires"]?.string.flatMap(ISOTime.milliseconds)
  }

  // MARK: Codes

  /// Compares the stored codes with the marks in the log.
  private func codes() throws -> EntryDifference? {
    var said: [String: String] = [:]
    for event in try EventLog.events(of: ["code.set"], in: db) {
      let new = event.newValue
      said["\(new["kind"]?.string ?? "") code of \(new["account"]?.string ?? "")"] =
        new["mark"]?.string
    }
    let rows = try db.rows(
      "SELECT kind, hash, name FROM codes JOIN accounts ON accounts.id = account_id")
    for row in rows {
      let name = "\(row["kind"] as String) code of \(row["name"] as String)"
      guard said.removeValue(forKey: name) == (row["hash"] as Data?).map(Event.mark(of:)) else {
        return EntryDifference(what: "code", name: name, message: "it is not the one that was made")
      }
    }
    return said.keys.sorted().first.map {
      EntryDifference(what: "code", name: $0, message: "it was made, and is missing")
    }
  }

  // MARK: Consent

  /// Checks stored consents against the log: the last grant or withdrawal counts. Earlier versions logged only the
  /// booking by which consent was given.
  private func consent() throws -> EntryDifference? {
    let events = try EventLog.events(
      of: [
        "subject.consent", "subject.withdraw", "booking.make", "waiting.join", "booking.no-show",
        "booking.check-in",
      ], in: db)
    let bySubject = Dictionary(grouping: events) { $0.subject ?? "" }
    var given: Set<String> = []
    for row in try db.rows("SELECT * FROM people ORDER BY subject_id") {
      let subject = subjects[row["subject_id"]] ?? ""
      given.insert(subject)
      func different(_ message: String) -> EntryDifference {
        EntryDifference(what: "consent", name: "of \(subject)", message: message)
      }
      let events = bySubject[subject] ?? []
      let withdrawn = events.last { $0.action == "subject.withdraw" }?.seq ?? 0
      let since = events.filter { $0.seq > withdrawn }
      let at: Int64? = row["consent_ms"]
      let consent =
        since.first { $0.action == "subject.consent" }
        ?? since.first { ["booking.make", "waiting.join"].contains($0.action) }
      guard let consent else { return different("nobody gave it, or it was withdrawn") }
      guard consent.at == at else { return different("it was given at another time") }
      let missed = since.reduce(0) { count, event in
        event.action == "booking.no-show"
          ? count + 1
          : event.action == "booking.check-in" && event.oldValue["state"]?.string == "no-show"
            ? max(0, count - 1) : count
      }
      guard row["no_shows"] as Int? == missed else {
        return different("how often a place was missed is not what the log says")
      }
    }
    for (subject, events) in bySubject.sorted(by: { $0.key < $1.key })
    where !given.contains(subject) {
      let last = events.last { ["subject.consent", "subject.withdraw"].contains($0.action) }
      guard last?.action == "subject.consent" else { continue }
      return EntryDifference(
        what: "consent", name: "of \(subject)", message: "it was given, and is missing")
    }
    return nil
  }
}

extension Event {
  /// Returns the mark of a token in the log: a hash of its hash, which cannot be used to sign in.
  package static func mark(of hash: Data) -> String { sha256(hash).hexadecimal }
}

extension SafeRow {
  /// Role of an account whose row has `role` and `is_wall`.
  package var role: String { self["is_wall"] as Int64 == 1 ? "wall" : self["role"] }
}

extension EventValue {
  var integer: Int64? { if case .integer(let number) = self { number } else { nil } }
}
