import DayDatabase
import Foundation
import HTTPTypes
import Hummingbird

private struct SignedIn: Encodable {
  var identity: CurrentUser
  var csrf: String
  var serverTime: String
  /// Next recovery code of the owner after a recovery; it is shown only once.
  var recoveryCode: String?
}

/// The account that is signed in, as pages receive it.
private struct CurrentUser: Encodable {
  var name: String
  var role: Role
  var subject: String?
  var station: String?
  /// Value of `X-CSRF-Token`; nil for programs, which send their token.
  var csrf: String?
  var serverTime: String

  init(_ identity: Identity, _ session: Token?, _ day: StudyDay) {
    name = identity.name
    role = identity.role
    subject = identity.subject
    station = identity.station
    csrf = session?.csrf
    serverTime = ISOTime.text(day.store.clock.now)
  }
}

extension Route {
  static let accounts = [
    Route(.post, open: "/sign-in") { request, context, day in
      // A form of another site cannot send this type: it prevents login CSRF.
      let type = request.headers[.contentType]?.prefix { $0 != ";" }
      guard type?.trimmingCharacters(in: .whitespaces).lowercased() == "application/json" else {
        throw Problem(.forged, "Send Content-Type: application/json.")
      }
      var form = try Form(try await request.json(context))
      guard let token = try Token(form.required("token", form.string("token"))) else {
        throw Problem(.badToken)
      }
      return try await day.signedIn(try await day.accounts.signIn(token))
    },
    Route(.post, open: "/recover") { request, context, day in
      var form = try Form(try await request.json(context))
      let code = try form.required("code", form.text("code", 1...80))
      try form.end()
      let (session, next) = try await day.accounts.recover(code)
      return try await day.signedIn(session, recoveryCode: next)
    },
    Route(.put, "/me/signing-code", permitted: .decideRelease) { request in
      var form = try await request.form("the signing code")
      let code = try form.required("code", form.text("code", SigningCode.length))
      let old = try form.text("old", SigningCode.length)
      try form.end()
      try await request.day.accounts.setSigningCode(code, knowing: old, of: request.identity)
      return Response(status: .noContent)
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
      // On a full disk the session lasts as long as it did.
      if let session = context.session, let age = try? await day.accounts.renew(identity) {
        response.headers[.setCookie] = try await day.cookie(session.text, age: age)
      }
      return response
    },
    Route(.post, "/invitations", permitted: .invite) { request in
      var form = try await request.form("the invitation")
      let name = try form.required("name", form.text("name", 1...80))
      let role = try form.required("role", form.word("role", of: Role.self))
      let subject = try form.text("subject", 1...80)
      let isStation = try form.flag("station")
      let reason = try form.text("reason", 1...500)
      try form.end()
      // An invited account can do all that it can.
      guard request.identity.mayInvite(role) else {
        throw Problem(
          .notAllowed,
          "Only the owner invites owners and investigators, and operators invite participants only."
        )
      }
      let token = try await request.day.accounts.invite(
        name, as: role, subject: subject, station: isStation == true ? name : nil,
        by: request.identity.name, inviter: request.identity, because: reason)
      let link = "\(request.day.base(of: request.http))/#\(token.text)"
      var answer: [String: EventValue] = ["link": .text(link)]
      answer["qr"] = QRCode(link)?.json
      if isStation == true { answer["token"] = .text(token.text) }
      return try Response.json(EventValue.object(answer), status: .created)
    },
    Route(.get, "/accounts", permitted: .seeAccounts) { request in
      try await request.list { try Accounts.page($0, in: $1) }
    },
    Route(.get, "/accounts/{id}", permitted: .seeAccounts) { request in
      let id = try request.number()
      return try await request.read { db in
        let account = try Accounts.page(Page(after: id - 1, limit: 1), in: db).first
        guard let account, account["id"] == .integer(id) else { throw Problem(.notFound) }
        return account
      }
    },
    Route(.delete, "/accounts/{id}", permitted: .revoke) { request in
      let id = try request.number()
      guard id != request.identity.account else {
        throw Problem(.conflict, "Nobody ends their own account. Another owner can.")
      }
      try await request.day.accounts.revoke(
        account: id, by: request.identity.name, issuer: request.identity.issuer)
      return Response(status: .noContent)
    },
    Route(.post, "/accounts/{id}/restore", permitted: .restore) { request in
      try await request.day.accounts.restore(
        account: try request.number(), by: request.identity.name, issuer: request.identity.issuer)
      return Response(status: .noContent)
    },
    Route(.delete, "/tokens/{id}", permitted: .revoke) { request in
      try await request.day.accounts.revoke(
        token: try request.number(), by: request.identity.name, issuer: request.identity.issuer)
      return Response(status: .noContent)
    },
    Route(.get, "/settings", permitted: .changeSettings) { request in
      try await request.read { try Settings.json(of: $0) }
    },
    Route(.patch, "/settings", permitted: .changeSettings) { request in
      let change = try Settings(try await request.form("the settings"))
      return try await request.change { desk in
        let old = try Settings.json(of: desk.db)
        try change.store(in: desk.db)
        let new = try Settings.json(of: desk.db)
        if old != new {
          let event = try desk.log("settings.change", old: old, new: new)
          try desk.db.recordSettingsChange(event.seq)
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
    case .operator, .viewer, .wall: role != .operator
    case .participant: true
    }
  }
}

extension StudyDay {
  /// Makes the response to a sign-in.
  fileprivate func signedIn(
    _ session: Accounts.NewSession, recoveryCode: String? = nil
  ) async throws -> Response {
    let me = CurrentUser(session.identity, session.token, self)
    var response = try Response.json(
      SignedIn(
        identity: me, csrf: session.token.csrf, serverTime: me.serverTime,
        recoveryCode: recoveryCode))
    response.headers[.setCookie] = try await cookie(session.token.text, age: session.age)
    return response
  }

  /// The cookie of a session; no script can read it and no other site makes a browser send it.
  fileprivate func cookie(_ value: String, age: Int64) async throws -> String {
    let name = try await accounts.cookieName
    return "\(name)=\(value); Path=/; Max-Age=\(age); HttpOnly; SameSite=Strict"
      + (options.isSecure ? "; Secure" : "")
  }

  /// Returns the base URL for links: the configured one, or the address that a request was sent to.
  fileprivate func base(of request: Request) -> String {
    if let url = options.publicURL { return url }
    let forwarded = HTTPField.Name("X-Forwarded-Proto").flatMap { request.headers[$0] }
    let isSecure = options.isSecure || options.isBehindProxy && forwarded == "https"
    // Only a valid name and port goes into a link that people open.
    let host = request.head.authority.flatMap { $0.wholeMatch(of: /[A-Za-z0-9._:\[\]-]{1,260}/) }
    return "\(isSecure ? "https" : "http")://\(host.map { String($0.output) } ?? "localhost")"
  }
}
