import Foundation
import GRDB
import StudyStore

/// Accounts, invitations and tokens.
public struct Accounts: Sendable {
  /// How long tokens last, in ms.
  public enum Lifetime {
    /// A week to open an invitation.
    public static let invitation: Int64 = 7 * 86_400_000
    /// A day signed in, which outlasts a session and its night.
    public static let session: Int64 = 86_400_000
    /// A station stays for 30 days.
    public static let station: Int64 = 30 * 86_400_000
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
  /// - Returns: The token, which is shown this once.
  /// - Throws: ``Problem``.
  public func invite(
    _ name: String, as role: Role, subject: String? = nil, station: String? = nil, by actor: String
  ) async throws -> Token {
    let name = role == .participant ? subject ?? name : name
    guard 1...80 ~= name.count, name.allSatisfy({ !$0.isNewline }),
      subject == nil || role == .participant
    else {
      throw Problem(
        .badValue, "Give a name of 1 to 80 characters; only participants have a subject.")
    }
    let (token, now) = (Token(), store.clock.now)
    try await store.change { db in
      let account = try Self.account(name, role, now, in: db)
      let kind = station == nil ? "invitation" : "station"
      try db.execute(
        sql: """
          INSERT INTO tokens (hash, account_id, kind, label, made_ms, expires_ms)
          VALUES (?, ?, ?, ?, ?, ?)
          """,
        values: [
          token.hash, account, kind, station, now,
          now + (station == nil ? Lifetime.invitation : Lifetime.station),
        ])
      let new = EventValue.object([
        "account": .text(name), "role": .text(role.rawValue), "kind": .text(kind),
      ])
      return [try store.log(NewEvent(actor: actor, action: "account.invite", new: new), in: db)]
    }
    return token
  }

  private static func account(
    _ name: String, _ role: Role, _ now: Int64, in db: Database
  ) throws -> Int64 {
    let known = try SafeRow.first(
      db, "SELECT id, role, revoked_ms FROM accounts WHERE name = ?", [name])
    if let known {
      guard known["role"] == role.rawValue, (known["revoked_ms"] as Int64?) == nil else {
        throw Problem(
          .badValue, "There is an account of this name with another role, or it was revoked.")
      }
      return known["id"]
    }
    let subject = role == .participant ? try Sessions.subject(name, in: db) : nil
    try db.execute(
      sql: "INSERT INTO accounts (name, role, subject_id, made_ms) VALUES (?, ?, ?, ?)",
      values: [name, role.rawValue, subject, now])
    return db.lastInsertedRowID
  }

  /// Signs in with an invitation, which is used up by it, or with a station's token.
  ///
  /// - Returns: Who that is, and the token of the session.
  /// - Throws: ``Problem`` 401.
  func signIn(_ shown: Token) async throws -> (identity: Identity, session: Token) {
    let (session, now) = (Token(), store.clock.now)
    let hash = shown.hash
    let identity = try await store.changing { db -> (Identity, [Event]) in
      guard var identity = try Self.identity(hash, kinds: ["invitation", "station"], now, in: db)
      else { throw Problem(.badToken) }
      try db.execute(
        sql: "UPDATE tokens SET used_ms = ? WHERE id = ?", values: [now, identity.token])
      try db.execute(
        sql: """
          INSERT INTO tokens (hash, account_id, kind, label, made_ms, expires_ms)
          VALUES (?, ?, 'session', ?, ?, ?)
          """,
        values: [session.hash, identity.account, identity.station, now, now + Lifetime.session])
      identity.token = db.lastInsertedRowID
      let event = NewEvent(
        actor: identity.name, station: identity.station, action: "account.sign-in")
      return (identity, [try store.log(event, in: db)])
    }
    return (identity, session)
  }

  /// Who shows a token of a session or a station; nil if nobody may with it.
  func identity(of token: Token, kinds: Set<String>) async throws -> Identity? {
    let (hash, now) = (token.hash, store.clock.now)
    return try await store.read { try Self.identity(hash, kinds: kinds, now, in: $0) }
  }

  private static func identity(
    _ hash: Data, kinds: Set<String>, _ now: Int64, in db: Database
  ) throws -> Identity? {
    let row = try Row.fetchOne(
      db,
      sql: """
        SELECT tokens.id, tokens.hash, kind, label, used_ms, expires_ms, account_id, accounts.name,
          role, subjects.name AS subject
        FROM tokens JOIN accounts ON accounts.id = account_id
          LEFT JOIN subjects ON subjects.id = subject_id
        WHERE hash = ? AND tokens.revoked_ms IS NULL AND accounts.revoked_ms IS NULL
        """, arguments: [hash])
    guard let row, let id = Int64.fromDatabaseValue(row["id"]),
      let stored = Data.fromDatabaseValue(row["hash"]), stored.isEqualInConstantTime(to: hash),
      let kind = String.fromDatabaseValue(row["kind"]), kinds.contains(kind),
      let expires = Int64.fromDatabaseValue(row["expires_ms"]), now < expires,
      let account = Int64.fromDatabaseValue(row["account_id"]),
      let name = String.fromDatabaseValue(row["name"]),
      let role = String.fromDatabaseValue(row["role"]).flatMap(Role.init)
    else { return nil }
    let isUsed = Int64.fromDatabaseValue(row["used_ms"]) != nil
    guard kind != "invitation" || !isUsed else { return nil }
    return Identity(
      account: account, name: name, role: role, subject: String.fromDatabaseValue(row["subject"]),
      station: String.fromDatabaseValue(row["label"]), token: id)
  }

  /// Whether a token that was good still is.
  func isAlive(_ token: Int64) async throws -> Bool {
    let now = store.clock.now
    return try await store.read { db in
      try Bool.fetchOne(
        db,
        sql: """
          SELECT EXISTS (SELECT 1 FROM tokens JOIN accounts ON accounts.id = account_id
            WHERE tokens.id = ? AND tokens.revoked_ms IS NULL AND accounts.revoked_ms IS NULL
              AND expires_ms > ?)
          """, arguments: [token, now]) ?? false
    }
  }

  /// Ends a token.
  ///
  /// - Throws: ``Problem`` 404 if there is none.
  func revoke(token: Int64, by actor: String) async throws {
    try await revoke("tokens", token, action: "token.revoke", by: actor)
  }

  /// Ends an account and with it all of its tokens.
  ///
  /// - Throws: ``Problem`` 404 if there is none.
  func revoke(account: Int64, by actor: String) async throws {
    try await revoke("accounts", account, action: "account.revoke", by: actor)
  }

  private func revoke(_ table: String, _ id: Int64, action: String, by actor: String) async throws {
    let now = store.clock.now
    try await store.change { db in
      try db.execute(
        sql: "UPDATE \(table) SET revoked_ms = ? WHERE id = ? AND revoked_ms IS NULL",
        values: [now, id])
      guard db.changesCount == 1 else { throw Problem(.notFound) }
      let event = NewEvent(
        actor: actor, action: action, new: .object(["id": .integer(id)]))
      return [try store.log(event, in: db)]
    }
  }
}
