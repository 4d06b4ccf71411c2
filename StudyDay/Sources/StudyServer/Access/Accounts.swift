@_spi(StudyDay) import DayDatabase
import Foundation
import GRDB
@_spi(StudyDay) import StudyData
@_spi(StudyDay) import StudyStore

/// Accounts, invitations and tokens.
public struct Accounts: Sendable {
  /// How long tokens last, in ms.
  public enum Lifetime {
    public static let invitation: Int64 = 7 * 86_400_000
    /// A day signed in, which outlasts a session and its night.
    public static let session: Int64 = 86_400_000
    /// As long as browsers keep a cookie. It begins anew on each day on which a participant comes back, and ends when
    /// the consent is withdrawn: a link that works once must last for a study.
    public static let participant: Int64 = 400 * 86_400_000
    public static let station: Int64 = 30 * 86_400_000

    static func session(of role: Role) -> Int64 { role == .participant ? participant : session }
  }

  let store: DayStore

  /// Makes an invitation, and the account if there is none of the name.
  ///
  /// - Parameters:
  ///   - name: The account. A participant's is what the study calls the person, since events carry it.
  ///   - role: What the invited may do.
  ///   - subject: Who it is in the study; made if the study has nobody of the name. Participants only.
  ///   - station: The name of a station, whose token is used again and again until it is revoked; nil for a
  ///     one-time link.
  ///   - actor: Who invites.
  ///   - inviter: The account that invites, which ``Accounts/requireMayLink(_:to:because:in:)`` limits; nil for who has a
  ///     shell on the machine.
  ///   - reason: Why the owner makes a link into an account that is there.
  /// - Returns: The token, which is shown this once.
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
      let (db, now) = (change.db, change.now)
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
      var new = Self.made(token, kind, station, until: end, in: db)
      new["account"] = .text(name)
      new["role"] = .text(role.rawValue)
      try change.log(
        Event(
          actor: actor, station: inviter?.station, issuer: inviter?.issuer,
          action: "account.invite", new: .object(new), reason: reason))
    }
    return token
  }

  /// Refuses a link by which somebody would become another person: into an account in which somebody was signed in, which
  /// the owner alone makes and gives a reason for, or to the name and contact of a person, which who makes it may see or
  /// has entered.
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

  /// What the log says of a token that was just stored, by which it is known again.
  private static func made(
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
    let known = try db.row("SELECT id, role, revoked_ms FROM accounts WHERE name = ?", [name])
    if let known {
      guard known["role"] == role.rawValue else {
        throw Problem(.badValue, "There is an account of this name with another role.")
      }
      guard (known["revoked_ms"] as Int64?) == nil else {
        throw Problem(
          .badValue, "The account of this name was revoked. The owner can restore it.")
      }
      return known["id"]
    }
    try Code.requireDistinct(name, from: db.values("SELECT name FROM accounts"))
    let subject = role == .participant ? try Sessions.subject(name, in: db) : nil
    try db.insert(
      into: "accounts",
      ["name": name, "role": role.rawValue, "subject_id": subject, "made_ms": now])
    return db.lastInsertedRowID
  }

  /// Signs in with an invitation, which is used up by it, or with a station's token; 401 for any other.
  func signIn(_ shown: Token) async throws -> (identity: Identity, session: Token) {
    let session = Token()
    let identity = try await store.change { change in
      let (db, now) = (change.db, change.now)
      guard var identity = try Self.identity(shown, kinds: ["invitation", "station"], now, in: db)
      else { throw Problem(.badToken) }
      try db.run("UPDATE tokens SET used_ms = ? WHERE id = ?", [now, identity.token])
      // No session outlasts the token of its station.
      let station: Int64? = try db.value(
        "SELECT expires_ms FROM tokens WHERE id = ? AND kind = 'station'", [identity.token])
      let end = min(now + Lifetime.session(of: identity.role), station ?? .max)
      try db.insert(
        into: "tokens",
        [
          "hash": session.hash, "account_id": identity.account, "kind": "session",
          "label": identity.station, "made_ms": now, "expires_ms": end,
          "issued_by": identity.issuer,
        ])
      var new = Self.made(session, "session", identity.station, until: end, in: db)
      new["shown"] = .integer(identity.token)
      identity.token = db.lastInsertedRowID
      try change.log(
        Event(
          actor: identity.name, station: identity.station, issuer: identity.issuer,
          action: "account.sign-in", new: .object(new)))
      return identity
    }
    return (identity, session)
  }

  /// What the cookie of a session is called: browsers keep one jar for all ports of a host, and two studies on it
  /// must not sign each other out. The first event tells studies apart, of copies too.
  var cookieName: String {
    get async throws {
      "promille-" + (try await store.firstHash()?.prefix(6).hexadecimal ?? "none")
    }
  }

  /// Who shows a token of a session or a station; nil if nobody may with it.
  func identity(of token: Token, kinds: Set<String>) async throws -> Identity? {
    let (now, hash) = (store.clock.now, token.hash)
    let (changes, known) = store.recent.known(hash, at: now)
    if let holder = known as? TokenHolder { return holder.identity(kinds: kinds, now) }
    guard let holder = try await store.read({ try Self.holder(hash, in: $0) }) else { return nil }
    store.recent.note(holder, hash, unlessAfter: changes, at: now)
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
        accounts.name, role, subjects.name AS subject
      FROM tokens JOIN accounts ON accounts.id = account_id
        LEFT JOIN subjects ON subjects.id = subject_id
      WHERE hash = ? AND tokens.revoked_ms IS NULL AND accounts.revoked_ms IS NULL
      """, [hash])
    guard let row, let stored = row["hash"] as Data?, stored.isEqualInConstantTime(to: hash),
      let role = Role(rawValue: row["role"]),
      row["kind"] != "invitation" || row["used_ms"] as Int64? == nil
    else { return nil }
    return TokenHolder(
      identity: Identity(
        account: row["account_id"], name: row["name"], role: role, subject: row["subject"],
        station: row["label"], token: row["id"], issuer: row["issued_by"],
        concealed: try Concealment(from: role, in: db)),
      kind: row["kind"], expires: row["expires_ms"])
  }

  /// Whether a token that was good still is.
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

  /// Lets a participant stay signed in, from now on as long as at first; whether that changed anything, as once a day.
  func renew(_ identity: Identity) async throws -> Bool {
    guard identity.role == .participant else { return false }
    return try await store.change { change in
      let end = change.now + Lifetime.participant
      try change.db.run(
        "UPDATE tokens SET expires_ms = ?1 WHERE id = ?2 AND kind = 'session' AND expires_ms < ?3",
        [end, identity.token, end - Lifetime.session])
      guard change.db.changesCount > 0 else { return false }
      try change.log(
        Event(
          actor: identity.name, issuer: identity.issuer, action: "token.renew",
          new: .object(["token": .integer(identity.token), "expires": .text(ISOTime.text(end))])))
      return true
    }
  }

  /// Ends a token, and the sessions that were signed in with it; 404 if there is none.
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

  /// Ends an account and with it all of its tokens; 404 if there is none.
  func revoke(account: Int64, by actor: String, issuer: String? = nil) async throws {
    try await change("account.revoke", account, by: actor, issuer) { db, now in
      try db.run(
        "UPDATE accounts SET revoked_ms = ?1 WHERE id = ?2 AND revoked_ms IS NULL", [now, account])
    }
  }

  /// Takes the end of an account back, so that its entries can come in: it can be invited again. Its old tokens
  /// stay ended; 404 if there is none that was ended.
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

/// Who holds a token.
struct TokenHolder: Sendable {
  fileprivate var identity: Identity
  fileprivate var kind: String
  fileprivate var expires: Int64

  fileprivate func identity(kinds: Set<String>, _ now: Int64) -> Identity? {
    kinds.contains(kind) && now < expires ? identity : nil
  }
}

extension Accounts {
  /// Accounts with their tokens, of which the database knows no more than when they were made and used.
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
        "id": .integer(row["id"]), "name": row.value("name"), "role": row.value("role"),
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
