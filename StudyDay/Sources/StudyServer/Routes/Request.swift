import DayDatabase
import Foundation
import HTTPTypes
import Hummingbird

extension Request {
  /// Returns the requested page of a list: `?after=` and `?limit=`.
  func page() throws(Problem) -> Page {
    Page(
      after: try number("after", 0...Int64.max) ?? 0,
      limit: Int(try number("limit", 1...500) ?? 100))
  }

  func number(_ key: String, _ range: ClosedRange<Int64>) throws(Problem) -> Int64? {
    guard let text = try query(key) else { return nil }
    guard let number = Int64(text), range.contains(number) else {
      throw Problem(
        .badRequest,
        "\(key) must be a whole number from \(range.lowerBound) to \(range.upperBound).")
    }
    return number
  }

  func moment(_ key: String) throws(Problem) -> Int64? {
    guard let text = try query(key) else { return nil }
    guard let moment = ISOTime.milliseconds(text) else {
      throw Problem(.badRequest, "\(key) must be a time in UTC such as 2026-05-01T18:15:00Z.")
    }
    return moment
  }

  func query(_ key: String) throws(Problem) -> String? {
    let values = uri.queryParameters.getAll(key)
    guard values.count < 2 else { throw Problem(.badRequest, "\(key) is given twice.") }
    return values.first
  }

  /// True if the client has the version of a tag already (If-None-Match).
  func has(_ tag: String) -> Bool {
    let shown = headers[values: .ifNoneMatch].flatMap { $0.split(separator: ",") }
    return shown.contains { part in
      let shownTag = part.trimmingCharacters(in: .whitespaces)
      return shownTag == "*" || shownTag == tag || shownTag == "W/\(tag)"
    }
  }

  /// The body as JSON; 400 if it is none, and 413 if it is larger than the context allows.
  func json(_ context: DayContext) async throws -> EventValue {
    let buffer = try await context.clock.receive {
      try await body.collect(upTo: context.maxUploadSize)
    }
    guard let json = buffer.withUnsafeReadableBytes({ EventValue(json: $0) }) else {
      throw Problem(.badRequest, "The body is not JSON. Check it against /api/v1/openapi.json.")
    }
    return json
  }
}

extension Response {
  /// JSON with an ETag of its bytes, or 304 if the request has it already.
  static func json(_ value: some Encodable, taggedFor request: Request) throws -> Response {
    tagged(try JSONText.encode(value), "application/json", for: request)
  }

  /// A page of a list, its last number as `next` if there may be more.
  static func page(_ items: [EventValue], _ limit: Int, for request: Request) throws -> Response {
    var members: [String: EventValue] = ["items": .array(items)]
    if items.count == limit, let last = items.last { members["next"] = last["id"] }
    return try json(EventValue.object(members), taggedFor: request)
  }

  /// Returns bytes with an ETag, or 304 if the client has them already.
  static func tagged(_ bytes: Data, _ type: String, for request: Request) -> Response {
    let tag = "\"\(Event.sha256(bytes).prefix(12).base64EncodedString())\""
    let headers: HTTPFields = [
      .contentType: type, .eTag: tag, .cacheControl: "private, no-cache",
    ]
    if request.has(tag) { return Response(status: .notModified, headers: [.eTag: tag]) }
    return Response(
      status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
  }
}
