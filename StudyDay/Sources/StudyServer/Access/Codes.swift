import DayDatabase
import Foundation
import GRDB
@_spi(StudyDay) import StudyStore

/// Recovery code of the owner, for when no device and no link is left: 125 random bits, for one use.
enum RecoveryCode {
  /// Crockford's alphabet, whose letters cannot be confused.
  private static let letters = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")

  /// Makes a random code, as `ABCDE-FGHJK-MNPQR-STVWX-YZ012`.
  static func made() -> String {
    var numbers = SystemRandomNumberGenerator()
    return (0..<5).map { _ in
      String((0..<5).map { _ in letters[Int.random(in: 0..<32, using: &numbers)] })
    }.joined(separator: "-")
  }

  /// Normalises what was typed: without blanks and hyphens, `O` as 0, `I` and `L` as 1.
  static func plain(_ typed: String) -> String {
    String(
      typed.uppercased().compactMap { letter in
        letter == "O" ? "0" : "IL".contains(letter) ? "1" : letters.contains(letter) ? letter : nil
      })
  }
}

/// Signing code that a member of staff chooses; it is needed for a release once the sign-in is old.
enum SigningCode {
  static let length = 6...80
}

/// A code as the database stores it.
private struct StoredCode {
  enum Kind: String {
    case recovery
    case signing

    /// Number of hashes: codes that people choose are easily guessed unless each guess takes time.
    var rounds: Int { self == .recovery ? 1 : 20_000 }
  }

  let account: Int64
  let kind: Kind
  let salt: Data
  let hash: Data

  init(_ code: String, _ kind: Kind, of account: Int64) {
    var numbers = SystemRandomNumberGenerator()
    (self.account, self.kind) = (account, kind)
    salt = Data((0..<16).map { _ in UInt8.random(in: .min ... .max, using: &numbers) })
    hash = Self.hash(code, kind, salt)
  }

  init?(_ kind: Kind, of account: Int64, in db: Database) throws {
    let row = try db.row(
      "SELECT salt, hash FROM codes WHERE account_id = ? AND kind = ?", [account, kind.rawValue])
    guard let row, let salt = row["salt"] as Data?, let hash = row["hash"] as Data? else {
      return nil
    }
    (self.account, self.kind, self.salt, self.hash) = (account, kind, salt, hash)
  }

  private static func hash(_ code: String, _ kind: Kind, _ salt: Data) -> Data {
    (0..<kind.rounds).reduce(Data("promille \(kind.rawValue) code \(code)".utf8)) { hash, _ in
      Event.sha256(salt + hash)
    }
  }

  func isOf(_ code: String) -> Bool {
    hash.isEqualInConstantTime(to: Self.hash(code, kind, salt))
  }

  /// Replaces the stored code, and logs the mark of the new one.
  func store(in change: DayChange, by actor: String, issuer: String? = nil) throws {
    let db = change.db
    try db.run("DELETE FROM codes WHERE account_id = ? AND kind = ?", [account, kind.rawValue])
    try db.insert(
      into: "codes",
      [
        "account_id": account, "kind": kind.rawValue, "salt": salt, "hash": hash,
        "made_ms": change.now,
      ])
    let name: String? = try db.value("SELECT name FROM accounts WHERE id = ?", [account])
    try change.log(
      Event(
        actor: actor, issuer: issuer, action: "code.set",
        new: .object([
          "account": .text(name ?? ""), "kind": .text(kind.rawValue),
          "mark": .text(Event.mark(of: hash)),
        ])))
  }
}

// MARK: The owner's recovery

extension Accounts {
  private static let owners = """
    SELECT id, name FROM accounts WHERE role = 'owner' AND revoked_ms IS NULL ORDER BY id
    """

  /// Makes the first recovery code; nil if there already is one, or no owner.
  func firstRecoveryCode() async throws -> String? {
    let isMissing = try await store.read { db in
      try db.has(Self.owners)
        && !db.has(
          """
          SELECT 1 FROM codes JOIN accounts ON accounts.id = account_id
          WHERE kind = 'recovery' AND revoked_ms IS NULL
          """)
    }
    guard isMissing else { return nil }
    let code = RecoveryCode.made()
    try await store.change { change in
      guard let owner = try change.db.row(Self.owners) else { throw Problem(.notFound) }
      try StoredCode(RecoveryCode.plain(code), .recovery, of: owner["id"])
        .store(in: change, by: "command line")
    }
    return code
  }

  /// Signs the owner in with the recovery code and replaces it; 401 for any other code.
  func recover(_ typed: String) async throws -> (session: NewSession, next: String) {
    let (code, next) = (RecoveryCode.plain(typed), RecoveryCode.made())
    let session = try await store.change { change in
      let db = change.db
      let owner = try db.rows(Self.owners).first {
        try StoredCode(.recovery, of: $0["id"], in: db)?.isOf(code) ?? false
      }
      guard let owner else {
        throw Problem(
          .badToken,
          "This is not the recovery code, or it was used. The last one that was shown is."
        )
      }
      var identity = Identity(
        account: owner["id"], name: owner["name"], role: .owner, token: 0, issuer: "recovery code")
      try change.log(
        Event(actor: identity.name, issuer: identity.issuer, action: "account.recover"))
      try StoredCode(RecoveryCode.plain(next), .recovery, of: identity.account)
        .store(in: change, by: identity.name, issuer: identity.issuer)
      return try Self.begin(&identity, in: change)
    }
    return (session, next)
  }
}

// MARK: Who signs a release

extension Accounts {
  /// True if the session is recent, or a program sent its token.
  private static func isFresh(_ identity: Identity, at now: Int64, in db: Database) throws -> Bool {
    try !db.has(
      "SELECT 1 FROM tokens WHERE id = ? AND kind = 'session' AND made_ms < ?",
      [identity.token, now - Lifetime.confirmation])
  }

  /// Requires the signing code if the sign-in is older than ``Lifetime/confirmation``.
  func requireConfirmation(of identity: Identity, by code: String?) async throws {
    let (isFresh, known) = try await signingCode(of: identity)
    guard !isFresh else { return }
    guard let known, let code else { throw Problem(.unconfirmed) }
    try requireRight(code, known, of: identity)
  }

  private func signingCode(
    of identity: Identity
  ) async throws -> (isFresh: Bool, known: StoredCode?) {
    let now = store.clock.now
    return try await store.read { db in
      (
        try Self.isFresh(identity, at: now, in: db),
        try StoredCode(.signing, of: identity.account, in: db)
      )
    }
  }

  private func requireRight(
    _ code: String, _ known: StoredCode, of identity: Identity
  ) throws(Problem) {
    try guesses.consume("code of \(identity.account)", perSecond: 1.0 / 120, atOnce: 5)
    guard known.isOf(code) else {
      throw Problem(.unconfirmed, "This is not your signing code. After five tries, wait.")
    }
  }

  /// Sets the signing code after a recent sign-in, or given the previous code.
  func setSigningCode(_ code: String, knowing old: String?, of identity: Identity) async throws {
    let (isFresh, known) = try await signingCode(of: identity)
    if !isFresh {
      guard let known, let old else { throw Problem(.unconfirmed) }
      try requireRight(old, known, of: identity)
    }
    let made = StoredCode(code, .signing, of: identity.account)
    try await store.change { try made.store(in: $0, by: identity.name, issuer: identity.issuer) }
  }
}
