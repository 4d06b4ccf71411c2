@_spi(StudyDay) import DayDatabase
import Foundation
import GRDB
@_spi(StudyDay) import StudyData
@_spi(StudyDay) import StudyStore

/// Accounts, invitations and tokens.
public struct Accounts: Sendable {
  /// Lifetimes of tokens, in ms.
  public enum Lifetime {
    static let day: Int64 = 86_400_000
    public static let invitation: Int64 = 7 * day
    /// Lifetime of a staff session after its last use, unless `staff_session_days` says otherwise.
    public static let staff: Int64 = 30 * day
    /// Time after a sign-in during which a release is signed without a signing code.
    public static let confirmation: Int64 = 12 * 3_600_000
    /// The longest lifetime of a cookie. It is renewed on each day on which a participant returns and ends when
    /// consent is withdrawn: a link works only once, so that its session must last for a study.
    public static let participant: Int64 = 400 * day
    public static let station: Int64 = 30 * day

    static func session(of role: Role, in db: Database) throws -> Int64 {
      role == .participant ? participant : try Settings.staffSessionDays(in: db) * day
    }
  }

  let store: DayStore
  /// Rate limit of signing codes.
  let guesses = RateLimiter()

  /// Makes an invitation, and the account if there is none of the name.
  ///
  /// - Parameters:
  ///   - name: Name of the account; a participant's is the subject's name, since events carry it.
  ///   - role: Role of the account.
  ///   - subject: Name in the study, added if new; participants only.
  ///   - station: The name of a station, whose token is used again and again until it is revoked; nil for a
  ///     one-time link.
  ///   - actor: Name of the inviting account.
  ///   - inviter: Account that invites, within the limits of `Accounts.requireMayLink(_:to:because:in:)`; nil for a
  ///     shell on the machine.
  ///   - reason: Reason of a link into an account that is in use.
  /// - Returns: The token; it cannot be shown again.
  /// - Throws: ``Problem``.
  public func invite(
    _ name: String, as role: Role, subject: String? = nil, station: String? = nil, by actor: String,
    inviter: Identity? = nil, because reason: String? = nil
  ) async throws -> Token {
    let given = role == .participant ? subject ?? name : name
    guard given.isText(1...80), subject == nil || role == .participant else {
      throw Problem(
        .badValue, "Give a name of 1 to 80 characters; only participants have a subject.")
    }
    let token = Token()
    try await store.change { change in
      let db = change.db
      let now = change.now
      let isKnown = try db.has("SELECT 1 FROM accounts WHERE name = ?", [given])
      let name = isKnown ? given : try Code.code(given, in: db)
      if let inviter { try Self.requireMayLink(inviter, to: name, because: reason, in: db) }
      let account = try Self.account(name, role, now, in: db)
      let kind = station == nil ? "invitation" : "station"
      let end = now + (station == nil ? Lifetime.invitation : Lifetime.station)
      try db.insert(
        into: "tokens",
        [
          "hash": token.hash, "account_id": account, "kind": kind, "label": station,
          "made_ms": now, "expires_ms": end, "issued_by": actor,
        ])
      var new = Self.logged(token, kind, station, until: end, in: db)
      new["account"] = .text(name)
      new["role"] = .text(role.rawValue)
      try change.log(
        Event(
          actor: actor, station: inviter?.station, issuer: inviter?.issuer,
          action: "account.invite", new: .object(new), reason: reason))
    }
    return token
  }

  /// Refuses a link by which the inviter could become another person. A link into an account that was used needs the
  /// owner and a reason; a link to a person with a name needs an inviter who may see the name, or entered it.
  private static func requireMayLink(
    _ inviter: Identity, to name: String, because reason: String?, in db: Database
  ) throws {
    let used = try db.row(
      """
      SELECT accounts.id FROM accounts JOIN tokens ON account_id = accounts.id
      WHERE name = ? AND used_ms IS NOT NULL
      """, [name])
    if let used, used["id"] as Int64? != inviter.account {
      guard inviter.role == .owner else {
        throw Problem(
          .notAllowed,
          "\(name.quoted) is the account of somebody who was signed in. Only the owner makes a link into it."
        )
      }
      guard reason?.isBlank == false else {
        throw Problem(
          .noReason, "\(name.quoted) is the account of somebody else. Say why it gets a new link.")
      }
    }
    let consent: String? = try db.value(
      """
      SELECT actor FROM events WHERE subject = ?1
        AND action IN ('subject.consent', 'booking.make', 'waiting.join')
        AND EXISTS (SELECT 1 FROM people JOIN subjects ON subjects.id = subject_id WHERE subjects.name = ?1)
      ORDER BY action <> 'subject.consent', seq DESC LIMIT 1
      """, [name])
    if let consent, consent != inviter.name, !inviter.may(.seeNames) {
      throw Problem(
        .notAllowed,
        "\(name.quoted) is a person whose name you may not see. Ask who booked for them, an investigator or the owner."
      )
    }
  }

  /// Returns the logged value of a token that was just stored.
  private static func logged(
    _ token: Token, _ kind: String, _ station: String?, until end: Int64, in db: Database
  ) -> [String: EventValue] {
    var new: [String: EventValue] = [
      "token": .integer(db.lastInsertedRowID), "mark": .text(Event.mark(of: token.hash)),
      "kind": .text(kind), "expires": .text(ISOTime.text(end)),
    ]
    new["station"] = station.map(EventValue.text)
    return new
  }

  private static func account(
    _ name: String, _ role: Role, _ now: Int64, in db: Database
  ) throws -> Int64 {
    let existing = try db.row(
      "SELECT id, role, is_wall, revoked_ms FROM accounts WHERE name = ?", [name])
    if let existing {
      guard existing.role == role.rawValue else {
        throw Problem(.badValue, "There is an account of this name with another role.")
      }
      guard (existing["revoked_ms"] as Int64?) == nil else {
        throw Problem(
          .badValue, "The account of this name was revoked. The owner can restore it.")
      }
      return existing["id"]
    }
    try Code.requireDistinct(name, from: db.values("SELECT name FROM accounts"))
    let subject = role == .participant ? try Sessions.subject(name, in: db) : nil
    try db.insert(
      into: "accounts",
      [
        "name": name, "role": (role == .wall ? .viewer : role).rawValue,
        "is_wall": role == .wall ? 1 : 0, "subject_id": subject, "made_ms": now,
      ])
    return db.lastInsertedRowID
  }

  /// Signs in with an invitation, which works once, or with a station's token; 401 for any other.
  func signIn(_ shown: Token) async throws -> NewSession {
    try await store.change { change in
      let db = change.db
      let now = change.now
      guard var identity = try Self.identity(shown, kinds: ["invitation", "station"], now, in: db)
      else { throw Problem(.badToken) }
      try db.run("UPDATE tokens SET used_ms = ? WHERE id = ?", [now, identity.token])
      // No session outlasts the token of its station.
      let station: Int64? = try db.value(
        "SELECT expires_ms FROM tokens WHERE id = ? AND kind = 'station'", [identity.token])
      let shown = identity.token
      return try Self.begin(&identity, until: station, showing: shown, in: change)
    }
  }

  /// A new session, with the token of its cookie and its lifetime in s.
  struct NewSession: Sendable {
    var identity: Identity
    var token: Token
    var age: Int64
  }

  /// Begins a session and puts its token into the identity.
  ///
  /// - Parameter shown: The token by which somebody signed in; nil where it was none.
  static func begin(
    _ identity: inout Identity, until latest: Int64? = nil, showing shown: Int64? = nil,
    in change: DayChange
  ) throws -> NewSession {
    let (db, now, token) = (change.db, change.now, Token())
    let end = min(now + (try Lifetime.session(of: identity.role, in: db)), latest ?? .max)
    try db.insert(
      into: "tokens",
      [
        "hash": token.hash, "account_id": identity.account, "kind": "session",
        "label": identity.station, "made_ms": now, "expires_ms": end,
        "issued_by": identity.issuer,
      ])
    var new = logged(token, "session", identity.station, until: end, in: db)
    new["shown"] = shown.map(EventValue.integer)
    identity.token = db.lastInsertedRowID
    try change.log(
      Event(
        actor: identity.name, station: identity.station, issuer: identity.issuer,
        action: "account.sign-in", new: .object(new)))
    return NewSession(identity: identity, token: token, age: (end - now) / 1000)
  }

  /// Name of the session cookie, different for each study: browsers share cookies between all ports of a host, and
  /// two studies on it must not sign each other out. It derives from the first event.
  var cookieName: String {
    get async throws {
      "promille-" + (try await store.firstHash()?.prefix(6).hexadecimal ?? "none")
    }
  }

  /// Returns the identity behind a session or station token; nil if the token is not valid.
  func identity(of token: Token, kinds: Set<String>) async throws -> Identity? {
    let now = store.clock.now
    let hash = token.hash
    let (changes, cached) = store.recent.value(hash, at: now)
    if let holder = cached as? TokenHolder { return holder.identity(kinds: kinds, now) }
    guard let holder = try await store.read({ try Self.holder(hash, in: $0) }) else { return nil }
    store.recent.insert(holder, hash, unlessAfter: changes, at: now)
    return holder.identity(kinds: kinds, now)
  }

  private static func identity(
    _ token: Token, kinds: Set<String>, _ now: Int64, in db: Database
  ) throws -> Identity? {
    try holder(token.hash, in: db)?.identity(kinds: kinds, now)
  }

  private static func holder(_ hash: Data, in db: Database) throws -> TokenHolder? {
    let row = try db.row(
      """
      SELECT tokens.id, tokens.hash, kind, label, used_ms, expires_ms, issued_by, account_id,
        accounts.name, role, is_wall, subjects.name AS subject
      FROM tokens JOIN accounts ON accounts.id = account_id
        LEFT JOIN subjects ON subjects.id = subject_id
      WHERE hash = ? AND tokens.revoked_ms IS NULL AND accounts.revoked_ms IS NULL
      """, [hash])
    guard let row, let stored = row["hash"] as Data?, stored.isEqualInConstantTime(to: hash),
      let role = Role(rawValue: row.role),
      row["kind"] != "invitation" || row["used_ms"] as Int64? == nil
    else { return nil }
    return TokenHolder(
      identity: Identity(
        account: row["account_id"], name: row["name"], role: role, subject: row["subject"],
        station: row["label"], token: row["id"], issuer: row["issued_by"],
        concealed: try Concealment(from: role, in: db)),
      kind: row["kind"], expires: row["expires_ms"])
  }

  /// True if a token and its account are neither revoked nor expired.
  func isAlive(_ token: Int64) async throws -> Bool {
    let now = store.clock.now
    return try await store.read { db in
      try db.has(
        """
        SELECT 1 FROM tokens JOIN accounts ON accounts.id = account_id
        WHERE tokens.id = ? AND tokens.revoked_ms IS NULL AND accounts.revoked_ms IS NULL
          AND expires_ms > ?
        """, [token, now])
    }
  }

  /// Extends a session to its full lifetime, at most once a day. Sessions of stations end with their token.
  ///
  /// - Returns: The lifetime in seconds; nil if nothing changed.
  func renew(_ identity: Identity) async throws -> Int64? {
    let now = store.clock.now
    // Most requests change nothing, and are answered on a full disk, too.
    let time = try await store.read { db -> Int64? in
      let time = try Lifetime.session(of: identity.role, in: db)
      let end = now + time
      let isDue = try db.has(
        """
        SELECT 1 FROM tokens WHERE id = ?2 AND kind = 'session' AND label IS NULL
          AND (expires_ms < ?3 OR expires_ms > ?1)
        """, [end, identity.token, end - min(Lifetime.day, time / 2)])
      return isDue ? time : nil
    }
    guard let time else { return nil }
    return try await store.change { change in
      let end = change.now + time
      try change.db.run(
        "UPDATE tokens SET expires_ms = ? WHERE id = ?", [end, identity.token])
      try change.log(
        Event(
          actor: identity.name, issuer: identity.issuer, action: "token.renew",
          new: .object(["token": .integer(identity.token), "expires": .text(ISOTime.text(end))])))
      return time / 1000
    }
  }

  /// Revokes a token and the sessions that were signed in with it; 404 if there is none.
  func revoke(token: Int64, by actor: String, issuer: String? = nil) async throws {
    try await change("token.revoke", token, by: actor, issuer) { db, now in
      // A link is used up at the moment its session is made; a station's sessions have its name.
      try db.run(
        """
        UPDATE tokens SET revoked_ms = ?1 WHERE revoked_ms IS NULL AND kind = 'session'
          AND EXISTS (SELECT 1 FROM tokens AS shown WHERE shown.id = ?2 AND shown.revoked_ms IS NULL
            AND shown.account_id = tokens.account_id
            AND (shown.kind = 'invitation' AND shown.used_ms = tokens.made_ms
              OR shown.kind = 'station' AND shown.label IS tokens.label))
        """, [now, token])
      try db.run(
        "UPDATE tokens SET revoked_ms = ?1 WHERE id = ?2 AND revoked_ms IS NULL", [now, token])
    }
  }

  /// Revokes an account, and so all of its tokens; 404 if there is none.
  func revoke(account: Int64, by actor: String, issuer: String? = nil) async throws {
    try await change("account.revoke", account, by: actor, issuer) { db, now in
      try db.run(
        "UPDATE accounts SET revoked_ms = ?1 WHERE id = ?2 AND revoked_ms IS NULL", [now, account])
    }
  }

  /// Restores a revoked account, so that it can be invited again and its unsent entries can come in. Its old tokens stay
  /// revoked; 404 if no such account was revoked.
  func restore(account: Int64, by actor: String, issuer: String? = nil) async throws {
    try await change("account.restore", account, by: actor, issuer) { db, now in
      try db.run(
        """
        UPDATE tokens SET revoked_ms = ?1 WHERE account_id = ?2 AND revoked_ms IS NULL
          AND EXISTS (SELECT 1 FROM accounts WHERE id = ?2 AND revoked_ms IS NOT NULL)
        """, [now, account])
      try db.run(
        "UPDATE accounts SET revoked_ms = NULL WHERE id = ?1 AND revoked_ms IS NOT NULL", [account])
    }
  }

  private func change(
    _ action: String, _ id: Int64, by actor: String, _ issuer: String?,
    _ body: @escaping @Sendable (Database, Int64) throws -> Void
  ) async throws {
    try await store.change { change in
      try body(change.db, change.now)
      guard change.db.changesCount == 1 else { throw Problem(.notFound) }
      try change.log(
        Event(actor: actor, issuer: issuer, action: action, new: .object(["id": .integer(id)])))
    }
  }
}

/// Account and lifetime of a token.
struct TokenHolder: Sendable {
  fileprivate var identity: Identity
  fileprivate var kind: String
  fileprivate var expires: Int64

  fileprivate func identity(kinds: Set<String>, _ now: Int64) -> Identity? {
    kinds.contains(kind) && now < expires ? identity : nil
  }
}

extension Accounts {
  /// Returns accounts with the times of their tokens; the tokens themselves are not stored.
  static func page(_ page: Page, in db: Database) throws -> [EventValue] {
    func time(_ row: SafeRow, _ column: String) -> EventValue {
      (row[column] as Int64?).map { .text(ISOTime.text($0)) } ?? .null
    }
    return try db.rows(
      """
      SELECT accounts.*, subjects.name AS subject,
        (SELECT max(used_ms) FROM tokens WHERE account_id = accounts.id) AS last_used_ms
      FROM accounts LEFT JOIN subjects ON subjects.id = subject_id
      WHERE accounts.id > ? ORDER BY accounts.id LIMIT ?
      """, [page.after, page.limit]
    ).map { row in
      let tokens = try db.rows(
        "SELECT * FROM tokens WHERE account_id = ? ORDER BY id", [row["id"] as Int64])
      return .object([
        "id": .integer(row["id"]), "name": row.value("name"), "role": .text(row.role),
        "subject": row.value("subject"), "made": time(row, "made_ms"),
        "last_used": time(row, "last_used_ms"), "revoked": time(row, "revoked_ms"),
        "tokens": .array(
          tokens.map { token in
            .object([
              "id": .integer(token["id"]), "kind": token.value("kind"),
              "label": token.value("label"), "made": time(token, "made_ms"),
              "expires": time(token, "expires_ms"), "used": time(token, "used_ms"),
              "revoked": time(token, "revoked_ms"),
            ])
          }),
      ])
    }
  }
}
