import DayDatabase
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import Metrics
import Synchronization

/// Middleware of every request: turns errors into problems, adds the headers that isolate pages from other sites, and
/// counts and logs requests without persons.
struct SecurityHeaders: RouterMiddleware {
  let options: DayOptions

  func handle(
    _ request: Request, context: DayContext,
    next: (Request, DayContext) async throws -> Response
  ) async throws -> Response {
    let start = ContinuousClock.now
    var response: Response
    do {
      response = try await next(request, context)
    } catch {
      let problem = Problem(error)
      if problem.code == .failed || problem.code == .noRoom {
        context.logger.error(
          "request failed",
          metadata: ["code": "\(problem.code.rawValue)", "type": "\(type(of: error))"])
      }
      response = try problem.response(from: request, context: context)
    }
    for (name, value) in Self.headers where response.headers[name] == nil {
      response.headers[name] = value
    }
    if options.isSecure {
      response.headers[.strictTransportSecurity] = "max-age=31536000"
    }
    let seconds = start.duration(to: .now)
    record(request, context, response.status, seconds)
    return response
  }

  private func record(
    _ request: Request, _ context: DayContext, _ status: HTTPResponse.Status, _ time: Duration
  ) {
    // The route as it was declared: subjects and tokens are in no log.
    let route = context.endpointPath ?? "none"
    let labels = [
      ("method", request.method.rawValue), ("route", route), ("status", "\(status.code)"),
    ]
    Counter(label: "promille_requests_total", dimensions: labels).increment()
    let nanoseconds =
      time.components.seconds * 1_000_000_000 + time.components.attoseconds / 1_000_000_000
    Metrics.Timer(label: "promille_request_seconds", dimensions: [("route", route)])
      .recordNanoseconds(nanoseconds)
    context.logger.info(
      "request",
      metadata: [
        "method": "\(request.method.rawValue)", "route": "\(route)", "status": "\(status.code)",
        "ms": "\(Double(nanoseconds / 1000) / 1000)",
      ])
  }

  /// Default headers; pages set their own policy, anything else may load nothing.
  private static let headers: [(HTTPField.Name, String)] = [
    (.contentSecurityPolicy, "default-src 'none'; frame-ancestors 'none'"),
    (.xContentTypeOptions, "nosniff"), (.referrerPolicy, "no-referrer"),
    (.frameOptions, "DENY"),
    (.openerPolicy, "same-origin"),
    (.resourcePolicy, "same-origin"),
    (.permissionsPolicy, "camera=(), microphone=(), geolocation=()"),
  ]
}

/// Identifies the account, limits its rate, and refuses changes that another site made a browser send (CSRF).
struct Authentication: RouterMiddleware {
  let day: StudyDay
  let limiter: RateLimiter

  func handle(
    _ request: Request, context: DayContext,
    next: (Request, DayContext) async throws -> Response
  ) async throws -> Response {
    // RFC 9112, 3.2: exactly one, so that proxies and this server agree on the site.
    guard request.head.authority != nil, request.headers[.host] == nil else {
      throw Problem(.badRequest, "Send one Host.")
    }
    var context = context
    let address =
      day.options.isBehindProxy ? request.forwardedFor ?? context.address : context.address
    // Splits like the router, which ignores repeated slashes.
    let isSigningIn = [["api", "v1", "sign-in"], ["api", "v1", "recover"]]
      .contains(request.uri.path.split(separator: "/"))
    if isSigningIn {
      try limiter.consume(
        "sign-in \(address)", perSecond: day.options.signInsPerMinute / 60,
        atOnce: day.options.signInsPerMinute)
    }
    if let token = request.bearer {
      context.identity = try await day.accounts.identity(of: token, kinds: ["station"])
    } else if request.headers[.cookie] != nil,
      let token = request.cookies[try await day.accounts.cookieName].flatMap({ Token($0.value) })
    {
      context.identity = try await day.accounts.identity(of: token, kinds: ["session"])
      if context.identity != nil { context.session = token }
    }
    let client = context.identity.map { "token \($0.token)" } ?? "address \(address)"
    try limiter.consume(
      client, perSecond: day.options.rate.perSecond, atOnce: day.options.rate.atOnce)
    let isReading = [.get, .head].contains(request.method)
    // A participant enters by hand; stations write for many.
    if !isReading, context.identity?.role == .participant {
      let rate = day.options.ownRate
      try limiter.consume("changes of \(client)", perSecond: rate.perSecond, atOnce: rate.atOnce)
    }
    // Signing in needs a token that no other site has.
    if let session = context.session, !isSigningIn, !isReading {
      let shown = request.headers[.csrfToken] ?? ""
      guard Array(shown.utf8).isEqualInConstantTime(to: Array(session.csrf.utf8)) else {
        throw Problem(.forged)
      }
    }
    return try await next(request, context)
  }
}

extension Request {
  fileprivate var bearer: Token? {
    guard let field = headers[.authorization], field.hasPrefix("Bearer ") else { return nil }
    return Token(String(field.dropFirst(7)))
  }

  /// Address of the client by a proxy's header: the last one, which the proxy added itself.
  fileprivate var forwardedFor: String? {
    headers[.forwardedFor]?.split(separator: ",").last
      .map { $0.trimmingCharacters(in: .whitespaces) }
  }
}

/// Rate limiter with a token bucket for each client.
final class RateLimiter: Sendable {
  private struct Bucket {
    var left: Double
    var filled: ContinuousClock.Instant
  }

  private let buckets = Mutex<[String: Bucket]>([:])

  /// Takes a token from a client's bucket; 429 if it is empty.
  func consume(_ client: String, perSecond: Double, atOnce: Double) throws(Problem) {
    let now = ContinuousClock.now
    let isLeft = buckets.withLock { buckets in
      // The bucket of an idle client is full again, like that of a new one.
      if buckets.count > 10_000 {
        buckets = buckets.filter { $0.value.filled.duration(to: now) < .seconds(60) }
        if buckets.count > 10_000 { buckets.removeAll() }
      }
      var bucket = buckets[client] ?? Bucket(left: atOnce, filled: now)
      let elapsed = bucket.filled.duration(to: now) / .seconds(1)
      bucket.left = min(atOnce, bucket.left + elapsed * perSecond)
      bucket.filled = now
      let isLeft = bucket.left >= 1
      if isLeft { bucket.left -= 1 }
      buckets[client] = bucket
      return isLeft
    }
    guard isLeft else { throw Problem(.tooOften) }
  }
}

extension HTTPField.Name {
  static let referrerPolicy = Self.named("Referrer-Policy")
  static let frameOptions = Self.named("X-Frame-Options")
  static let openerPolicy = Self.named("Cross-Origin-Opener-Policy")
  static let resourcePolicy = Self.named("Cross-Origin-Resource-Policy")
  static let permissionsPolicy = Self.named("Permissions-Policy")
  static let host = Self.named("Host")
  static let csrfToken = Self.named("X-CSRF-Token")
  static let forwardedFor = Self.named("X-Forwarded-For")
  static let lastEventID = Self.named("Last-Event-ID")
  static let accelBuffering = Self.named("X-Accel-Buffering")

  /// Makes a header name; the names above are all valid.
  private static func named(_ name: String) -> Self {
    guard let field = Self(name) else { preconditionFailure("no name of a field: \(name)") }
    return field
  }
}
