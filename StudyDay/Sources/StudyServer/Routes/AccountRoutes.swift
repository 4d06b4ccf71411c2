import DayDatabase
import Foundation
import HTTPTypes
import Hummingbird

private struct SignedIn: Encodable {
  var identity: CurrentUser
  var csrf: String
  var serverTime: String
}

/// The account that is signed in, as pages receive it.
private struct CurrentUser: Encodable {
  var name: String
  var role: Role
  var subject: String?
  var station: String?
  /// What is hidden from it; nil for nothing.
  var hidden: [String]?
  /// What to send as `X-CSRF-Token`; nil for programs, which show their token.
  var csrf: String?
  var serverTime: String

  init(_ identity: Identity, _ session: Token?, _ day: StudyDay) {
    name = identity.name
    role = identity.role
    subject = identity.subject
    station = identity.station
    hidden = identity.concealed.isEmpty ? nil : identity.concealed.words
    csrf = session?.csrf
    serverTime = ISOTime.text(day.store.clock.now)
  }
}

extension Route {
  static let accounts = [
    Route(.post, open: "/sign-in") { request, context, day in
      // A form of another site cannot send this type, and so signs nobody in as somebody else.
      let type = request.headers[.contentType]?.prefix { $0 != ";" }
      guard type?.trimmingCharacters(in: .whitespaces).lowercased() == "application/json" else {
        throw Problem(.forged, "Send Content-Type: application/json.")
      }
      var form = try Form(try await request.json(context))
      guard let token = try Token(form.required("token", form.string("token"))) else {
        throw Problem(.badToken)
      }
      let (identity, session) = try await day.accounts.signIn(token)
      let me = CurrentUser(identity, session, day)
      var response = try Response.json(
        SignedIn(identity: me, csrf: session.csrf, serverTime: me.serverTime))
      response.headers[.setCookie] = try await day.cookie(
        session.text, age: Accounts.Lifetime.session(of: identity.role) / 1000)
      return response
    },
    Route(.post, open: "/sign-out") { _, context, day in
      let identity = try context.signedIn()
      // A station's own token stays; it is revoked by who answers for it.
      if context.session != nil {
        try await day.accounts.revoke(
          token: identity.token, by: identity.name, issuer: identity.issuer)
      }
      var response = Response(status: .noContent)
      response.headers[.setCookie] = try await day.cookie("", age: 0)
      return response
    },
    Route(.get, open: "/me") { _, context, day in
      let identity = try context.signedIn()
      var response = try Response.json(CurrentUser(identity, context.session, day))
      if let session = context.session, try await day.accounts.renew(identity) {
        response.headers[.setCookie] = try await day.cookie(
          session.text, age: Accounts.Lifetime.participant / 1000)
      }
      return response
    },
    Route(.post, "/invitations", permitted: .invite) { asked in
      var form = try await asked.form("the invitation")
      let name = try form.required("name", form.text("name", 1...80))
      let role = try form.required("role", form.word("role", of: Role.self))
      let (subject, isStation) = (try form.text("subject", 1...80), try form.flag("station"))
      let reason = try form.text("reason", 1...500)
      try form.end()
      // An invited account can do all that it can.
      guard asked.identity.mayInvite(role) else {
        throw Problem(
          .notAllowed,
          "Only the owner invites owners and investigators, and operators invite participants only."
        )
      }
      let token = try await asked.day.accounts.invite(
        name, as: role, subject: subject, station: isStation == true ? name : nil,
        by: asked.identity.name, inviter: asked.identity, because: reason)
      let link = "\(asked.day.base(of: asked.request))/#\(token.text)"
      var made: [String: EventValue] = ["link": .text(link)]
      made["qr"] = QRCode(link)?.json
      if isStation == true { made["token"] = .text(token.text) }
      return try Response.json(EventValue.object(made), status: .created)
    },
    Route(.get, "/accounts", permitted: .seeAccounts) { asked in
      try await asked.list { try Accounts.page($0, in: $1) }
    },
    Route(.get, "/accounts/{id}", permitted: .seeAccounts) { asked in
      let id = try asked.number()
      return try await asked.read { db in
        let found = try Accounts.page(Page(after: id - 1, limit: 1), in: db).first
        guard let found, found["id"] == .integer(id) else { throw Problem(.notFound) }
        return found
      }
    },
    Route(.delete, "/accounts/{id}", permitted: .revoke) { asked in
      let id = try asked.number()
      guard id != asked.identity.account else {
        throw Problem(.conflict, "Nobody ends their own account. Another owner can.")
      }
      try await asked.day.accounts.revoke(
        account: id, by: asked.identity.name, issuer: asked.identity.issuer)
      return Response(status: .noContent)
    },
    Route(.post, "/accounts/{id}/restore", permitted: .restore) { asked in
      try await asked.day.accounts.restore(
        account: try asked.number(), by: asked.identity.name, issuer: asked.identity.issuer)
      return Response(status: .noContent)
    },
    Route(.delete, "/tokens/{id}", permitted: .revoke) { asked in
      try await asked.day.accounts.revoke(
        token: try asked.number(), by: asked.identity.name, issuer: asked.identity.issuer)
      return Response(status: .noContent)
    },
    Route(.get, "/settings", permitted: .changeSettings) { asked in
      try await asked.read { try Settings.json(of: $0) }
    },
    Route(.patch, "/settings", permitted: .changeSettings) { asked in
      let change = try Settings(try await asked.form("the settings"))
      return try await asked.change { desk in
        let old = try Settings.json(of: desk.db)
        try change.store(in: desk.db)
        let new = try Settings.json(of: desk.db)
        if old != new {
          let event = try desk.log("settings.change", old: old, new: new)
          try desk.db.note(settingsChange: event.seq)
        }
        return new
      }
    },
  ]
}

extension Identity {
  fileprivate func mayInvite(_ other: Role) -> Bool {
    switch other {
    case .owner, .investigator: role == .owner
    case .operator, .viewer: role != .operator
    case .participant: true
    }
  }
}

extension StudyDay {
  /// The cookie of a session; no script can read it and no other site makes a browser send it.
  fileprivate func cookie(_ value: String, age: Int64) async throws -> String {
    let name = try await accounts.cookieName
    return "\(name)=\(value); Path=/; Max-Age=\(age); HttpOnly; SameSite=Strict"
      + (options.isSecure ? "; Secure" : "")
  }

  /// How browsers reach the server, for links: as it was told, or else the address that a request was sent to.
  fileprivate func base(of request: Request) -> String {
    if let url = options.publicURL { return url }
    let forwarded = HTTPField.Name("X-Forwarded-Proto").flatMap { request.headers[$0] }
    let isSecure = options.isSecure || options.isBehindProxy && forwarded == "https"
    // What is no name and port makes no link, which people open.
    let host = request.head.authority.flatMap { $0.wholeMatch(of: /[A-Za-z0-9._:\[\]-]{1,260}/) }
    return "\(isSecure ? "https" : "http")://\(host.map { String($0.output) } ?? "localhost")"
  }
}
