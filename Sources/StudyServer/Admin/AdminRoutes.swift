import GRDB
import HTTPTypes
import Hummingbird
import StudyStore

extension RouterGroup<DayContext> {
  /// Invitations, accounts, tokens and settings.
  func addAdminRoutes(_ day: StudyDay) {
    let store = day.store
    post("/invitations") { request, context in
      let identity = try context.require(.invite)
      var form = try await request.form("the invitation", context)
      let name = try form.required("name", form.text("name", 1...80))
      let word = try form.required(
        "role", form.word("role", Role.allCases.map(\.rawValue)))
      let (subject, isStation) = (try form.text("subject", 1...80), try form.flag("station"))
      try form.end()
      // Who is invited into an account can do all that it can.
      guard let role = Role(rawValue: word), identity.mayInvite(role) else {
        throw Problem(.notAllowed, "Only the owner invites owners and investigators.")
      }
      let token = try await day.accounts.invite(
        name, as: role, subject: subject, station: isStation == true ? name : nil, by: identity.name
      )
      let link = EventValue.text("\(day.base(of: request))/#\(token.text)")
      let made: [String: EventValue] =
        isStation == true ? ["link": link, "token": .text(token.text)] : ["link": link]
      return try Response.json(EventValue.object(made), status: .created)
    }
    get("/accounts") { request, context in
      _ = try context.require(.seeAccounts)
      let page = try request.page()
      let items = try await store.read { try Accounts.page(page, in: $0) }
      return try Response.page(items, page.limit, for: request)
    }
    get("/accounts/{id}") { request, context in
      _ = try context.require(.seeAccounts)
      let id = try context.number("id")
      let found = try await store.read {
        try Accounts.page(Page(after: id - 1, limit: 1), in: $0).first
      }
      guard let found, found["id"] == .integer(id) else { throw Problem(.notFound) }
      return try Response.json(found, taggedFor: request)
    }
    delete("/accounts/{id}") { _, context in
      let identity = try context.require(.revoke)
      let id = try context.number("id")
      guard id != identity.account else {
        throw Problem(.conflict, "Nobody ends their own account. Another owner can.")
      }
      try await day.accounts.revoke(account: id, by: identity.name)
      return Response(status: .noContent)
    }
    post("/accounts/{id}/restore") { _, context in
      let identity = try context.require(.restore)
      try await day.accounts.restore(account: try context.number("id"), by: identity.name)
      return Response(status: .noContent)
    }
    delete("/tokens/{id}") { _, context in
      let identity = try context.require(.revoke)
      try await day.accounts.revoke(token: try context.number("id"), by: identity.name)
      return Response(status: .noContent)
    }
    get("/settings") { request, context in
      _ = try context.require(.changeSettings)
      return try Response.json(
        try await store.read { try Settings.json(of: $0) }, taggedFor: request)
    }
    patch("/settings") { request, context in
      let identity = try context.require(.changeSettings)
      let change = try Settings(try await request.form("the settings", context))
      return try Response.json(
        try await BookingDesk.open(store, for: identity) { desk in
          let old = try Settings.json(of: desk.db)
          try change.store(in: desk.db)
          let new = try Settings.json(of: desk.db)
          if old != new {
            try desk.log("settings.change", old: old, new: new)
            if let seq = desk.events.last?.seq { try Settings.note(change: seq, in: desk.db) }
          }
          return new
        })
    }
  }
}

extension Identity {
  /// Whether this one may let somebody into an account of a role.
  fileprivate func mayInvite(_ other: Role) -> Bool {
    role == .owner || [.operator, .viewer, .participant].contains(other)
  }
}

extension StudyDay {
  /// How browsers reach the server, for links: as it was told, or else the address that a request was sent to.
  fileprivate func base(of request: Request) -> String {
    if let url = options.publicURL { return url }
    let forwarded = HTTPField.Name("X-Forwarded-Proto").flatMap { request.headers[$0] }
    let isSecure = options.isSecure || options.isBehindProxy && forwarded == "https"
    return "\(isSecure ? "https" : "http")://\(request.head.authority ?? "localhost")"
  }
}

extension Accounts {
  /// Accounts with their tokens, of which the database knows no more than when they were made and used.
  static func page(_ page: Page, in db: Database) throws -> [EventValue] {
    func time(_ row: SafeRow, _ column: String) -> EventValue {
      (row[column] as Int64?).map { .text(ISOTime.text($0)) } ?? .null
    }
    func text(_ row: SafeRow, _ column: String) -> EventValue {
      (row[column] as String?).map(EventValue.text) ?? .null
    }
    return try SafeRow.all(
      db,
      """
      SELECT accounts.*, subjects.name AS subject,
        (SELECT max(used_ms) FROM tokens WHERE account_id = accounts.id) AS last_used_ms
      FROM accounts LEFT JOIN subjects ON subjects.id = subject_id
      WHERE accounts.id > ? ORDER BY accounts.id LIMIT ?
      """, [page.after, page.limit]
    ).map { row in
      let tokens = try SafeRow.all(
        db, "SELECT * FROM tokens WHERE account_id = ? ORDER BY id", [row["id"] as Int64])
      return .object([
        "id": .integer(row["id"]), "name": text(row, "name"), "role": text(row, "role"),
        "subject": text(row, "subject"), "made": time(row, "made_ms"),
        "last_used": time(row, "last_used_ms"), "revoked": time(row, "revoked_ms"),
        "tokens": .array(
          tokens.map { token in
            .object([
              "id": .integer(token["id"]), "kind": text(token, "kind"),
              "label": text(token, "label"), "made": time(token, "made_ms"),
              "expires": time(token, "expires_ms"), "used": time(token, "used_ms"),
              "revoked": time(token, "revoked_ms"),
            ])
          }),
      ])
    }
  }
}
