import DayDatabase
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import Metrics
import Synchronization

/// What holds for every request: nothing but problems goes wrong, every answer has the headers that keep pages
/// apart from other sites, and what was asked is counted and logged without who or whose.
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
    note(request, context, response.status, seconds)
    return response
  }

  private func note(
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

  /// Pages set their own policy; what is none may load nothing.
  private static let headers: [(HTTPField.Name, String)] = [
    (.contentSecurityPolicy, "default-src 'none'; frame-ancestors 'none'"),
    (.xContentTypeOptions, "nosniff"), (.referrerPolicy, "no-referrer"),
    (.frameOptions, "DENY"),
    (.openerPolicy, "same-origin"),
    (.resourcePolicy, "same-origin"),
    (.permissionsPolicy, "camera=(), microphone=(), geolocation=()"),
  ]
}

/// Finds out who asks, holds back who asks too often, and refuses changes that another site made a browser send.
struct Authentication: RouterMiddleware {
  let day: StudyDay
  let rates: Rates

  func handle(
    _ request: Request, context: DayContext,
    next: (Request, DayContext) async throws -> Response
  ) async throws -> Response {
    // RFC 9112, 3.2: one, by which proxies and this server mean the same site.
    guard request.head.authority != nil, request.headers[.host] == nil else {
      throw Problem(.badRequest, "Send one Host.")
    }
    var context = context
    let address =
      day.options.isBehindProxy ? request.forwardedFor ?? context.address : context.address
    // As the router has it: with whatever slashes.
    let isSigningIn = [["api", "v1", "sign-in"], ["api", "v1", "recover"]]
      .contains(request.uri.path.split(separator: "/"))
    if isSigningIn {
      try rates.take(
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
    let who = context.identity.map { "token \($0.token)" } ?? "address \(address)"
    try rates.take(who, perSecond: day.options.rate.perSecond, atOnce: day.options.rate.atOnce)
    let isReading = [.get, .head].contains(request.method)
    // What one person does by hand; stations write for many.
    if !isReading, context.identity?.role == .participant {
      let rate = day.options.ownRate
      try rates.take("changes of \(who)", perSecond: rate.perSecond, atOnce: rate.atOnce)
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

  /// Where a proxy says that the request came from: the last address, which it added itself.
  fileprivate var forwardedFor: String? {
    headers[.forwardedFor]?.split(separator: ",").last
      .map { $0.trimmingCharacters(in: .whitespaces) }
  }
}

/// How often everybody may ask: a bucket each, which fills as time goes.
final class Rates: Sendable {
  private struct Bucket {
    var left: Double
    var filled: ContinuousClock.Instant
  }

  private let buckets = Mutex<[String: Bucket]>([:])

  /// Takes one out of somebody's bucket; 429 if it is empty.
  func take(_ who: String, perSecond: Double, atOnce: Double) throws(Problem) {
    let now = ContinuousClock.now
    let isLeft = buckets.withLock { buckets in
      // Who has not asked for long has a full bucket, as has who never asked.
      if buckets.count > 10_000 {
        buckets = buckets.filter { $0.value.filled.duration(to: now) < .seconds(60) }
        if buckets.count > 10_000 { buckets.removeAll() }
      }
      var bucket = buckets[who] ?? Bucket(left: atOnce, filled: now)
      let elapsed = bucket.filled.duration(to: now) / .seconds(1)
      bucket.left = min(atOnce, bucket.left + elapsed * perSecond)
      bucket.filled = now
      let isLeft = bucket.left >= 1
      if isLeft { bucket.left -= 1 }
      buckets[who] = bucket
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

  /// A name that is one; the list above holds nothing else.
  private static func named(_ name: String) -> Self {
    guard let field = Self(name) else { preconditionFailure("no name of a field: \(name)") }
    return field
  }
}
