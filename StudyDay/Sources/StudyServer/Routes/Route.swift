import DayDatabase
import Foundation
import GRDB
import HTTPTypes
public import Hummingbird
import ServiceLifecycle

public struct DayContext: RequestContext, Sendable {
  public var coreContext: CoreRequestContextStorage
  public var identity: Identity?
  /// The token of the browser's cookie; nil for programs, which show theirs.
  var session: Token?
  /// Address of the client, for rate limits.
  public let address: String
  let clock = AnswerClock()

  public init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    address = source.channel.remoteAddress?.ipAddress ?? "local"
  }

  /// The largest body of a request, in bytes.
  public var maxUploadSize: Int { 256 * 1024 }

  /// The account that asks; 401 without identity.
  func signedIn() throws(Problem) -> Identity {
    guard let identity else { throw Problem(.noIdentity) }
    return identity
  }

  /// A part of the path, of at most 80 characters; 404 for any other.
  func text(_ key: String) throws(Problem) -> String {
    guard let text = parameters.get(key)?.removingPercentEncoding, text.isText(1...80) else {
      throw Problem(.notFound)
    }
    return text
  }
}

/// A route of the interface: method, path, permission and handler. The tables of routes are lists of these.
struct Route: Sendable {
  let method: HTTPRequest.Method
  let path: String
  let answer: @Sendable (Request, DayContext, StudyDay) async throws -> Response

  init(
    _ method: HTTPRequest.Method, open path: String,
    _ answer: @escaping @Sendable (Request, DayContext, StudyDay) async throws -> Response
  ) {
    self.method = method
    self.path = path
    self.answer = answer
  }

  /// A route for accounts with a permission for the subject in the path, or for everybody.
  init(
    _ method: HTTPRequest.Method, _ path: String, permitted action: Action,
    _ answer: @escaping @Sendable (AuthorisedRequest) async throws -> Response
  ) {
    let hasSubject = path.contains(":subject")
    self.init(method, open: path) { request, context, day in
      let subject = hasSubject ? try context.text("subject") : nil
      let identity = try context.signedIn()
      try identity.require(action, of: subject)
      return try await answer(
        AuthorisedRequest(
          http: request, context: context, day: day, identity: identity, scope: .any,
          subject: subject ?? ""))
    }
  }

  /// A route for accounts with a permission of any scope; the handler checks the scope.
  init(
    _ method: HTTPRequest.Method, _ path: String, reaching action: Action,
    _ answer: @escaping @Sendable (AuthorisedRequest) async throws -> Response
  ) {
    self.init(method, open: path) { request, context, day in
      let identity = try context.signedIn()
      guard let scope = Rules.reach(of: identity.role, in: action) else {
        throw Problem(.notAllowed)
      }
      return try await answer(
        AuthorisedRequest(
          http: request, context: context, day: day, identity: identity, scope: scope,
          subject: ""))
    }
  }
}

extension Route {
  /// Routes under `/api/v1`.
  static let all =
    accounts + alerts + day + drinks + health + instruments + queue + notifications + methods
    + operation + bookings
}

struct AuthorisedRequest: Sendable {
  /// The request of HTTP.
  let http: Request
  let context: DayContext
  let day: StudyDay
  let identity: Identity
  /// Whether only the account's own things are permitted.
  let scope: Scope
  /// The subject in the path; empty if it has none.
  let subject: String

  var store: DayStore { day.store }
  /// The subject to which the account is limited; nil for no limit.
  var onlySubject: String? { scope == .own ? identity.subject : nil }
  /// True if the account may see only its own things and has none.
  var seesNothing: Bool { scope == .own && identity.subject == nil }

  // MARK: Request

  /// A number of the path, as rows have them: from 1 on; 404 for any other.
  func number(_ key: String = "id") throws(Problem) -> Int64 {
    guard let number = context.parameters.get(key).flatMap({ Int64($0) }), number > 0 else {
      throw Problem(.notFound)
    }
    return number
  }

  func form(_ name: String) async throws -> Form {
    try Form(try await http.json(context), name)
  }

  // MARK: Response

  /// Reads from the database and answers with JSON and an ETag.
  func read(
    _ body: @escaping @Sendable (Database) throws -> some Encodable & Sendable
  ) async throws -> Response {
    try Response.json(try await store.read(body), taggedFor: http)
  }

  func list(
    _ items: @escaping @Sendable (Page, Database) throws -> [EventValue]
  ) async throws -> Response {
    let page = try http.page()
    return try Response.page(
      try await store.read { try items(page, $0) }, page.limit, for: http)
  }

  /// Changes something and answers with the result.
  func change(
    status: HTTPResponse.Status = .ok,
    _ body: @escaping @Sendable (BookingDesk) throws -> EventValue
  ) async throws -> Response {
    try Response.json(
      try await store.change { try body(BookingDesk(change: $0, identity: identity)) },
      status: status)
  }

  /// Changes something and answers 204.
  func changeSilently(
    _ body: @escaping @Sendable (BookingDesk) throws -> Void
  ) async throws -> Response {
    try await store.change { try body(BookingDesk(change: $0, identity: identity)) }
    return Response(status: .noContent)
  }
}

extension StudyDay {
  /// Services that run while the day is served.
  var services: [any Service] {
    var services: [any Service] = [
      hub, NoticeWatch(day: self), FileWatch(store: store, logger: logger),
    ]
    if let backups { services.append(backups) }
    // A service that has nothing to do would end, and the server with it.
    guard !store.notificationChannels.isEmpty else { return services }
    let delivery = NotificationDelivery(
      store: store, mail: options.mail, webhook: options.webhook, logger: logger)
    return services + [delivery]
  }

  /// Returns the responder of all requests, with its time limit.
  public func responder() -> some HTTPResponder<DayContext> {
    RequestTimeout(inner: router().buildResponder(), limit: options.answerTime)
  }

  func router() -> Router<DayContext> {
    let router = Router(context: DayContext.self)
    router.add(middleware: SecurityHeaders(options: options))
    router.add(middleware: Authentication(day: self, limiter: RateLimiter()))
    let api = router.group("/api/v1")
    for route in Route.all {
      api.on(RouterPath(route.path), method: route.method) { request, context in
        try await route.answer(request, context, self)
      }
    }
    Pages.addRoutes(to: router)
    return router
  }
}
