import Foundation
import HTTPTypes
import Hummingbird
import StudyStore

private struct SignIn: Codable {
  var token: String
}

private struct SignedIn: Codable {
  var identity: Me
  var csrf: String
  var serverTime: String
}

/// Who is signed in, as pages are told.
struct Me: Codable, Sendable {
  var name: String
  var role: Role
  var subject: String?
  var station: String?
  /// What to send as `X-CSRF-Token`; nil for programs, which show their token.
  var csrf: String?
  var serverTime: String
}

extension RouterGroup<DayContext> {
  /// `POST /sign-in`, `POST /sign-out`, `GET /me`.
  func addSignInRoutes(_ day: StudyDay) {
    post("/sign-in") { request, context in
      let body = try await request.json(SignIn.self, context)
      guard let token = Token(body.token) else { throw Problem(.badToken) }
      let (identity, session) = try await day.accounts.signIn(token)
      var response = try Response.json(
        SignedIn(
          identity: Me(identity, session, day), csrf: session.csrf,
          serverTime: ISOTime.text(day.store.clock.now)))
      response.headers[.setCookie] = day.cookie(session.text, age: Accounts.Lifetime.session / 1000)
      return response
    }
    post("/sign-out") { _, context in
      guard let identity = context.identity else { throw Problem(.noIdentity) }
      // A station's own token stays; it is revoked by who answers for it.
      if context.session != nil {
        try await day.accounts.revoke(token: identity.token, by: identity.name)
      }
      var response = Response(status: .noContent)
      response.headers[.setCookie] = day.cookie("", age: 0)
      return response
    }
    get("/me") { _, context in
      guard let identity = context.identity else { throw Problem(.noIdentity) }
      return try Response.json(Me(identity, context.session, day))
    }
  }
}

extension Me {
  fileprivate init(_ identity: Identity, _ session: Token?, _ day: StudyDay) {
    self.init(
      name: identity.name, role: identity.role, subject: identity.subject,
      station: identity.station, csrf: session?.csrf,
      serverTime: ISOTime.text(day.store.clock.now))
  }
}

extension StudyDay {
  /// The cookie of a session; no script can read it and no other site makes a browser send it.
  fileprivate func cookie(_ value: String, age: Int64) -> String {
    "promille=\(value); Path=/; Max-Age=\(age); HttpOnly; SameSite=Strict"
      + (options.isSecure ? "; Secure" : "")
  }
}
