import Foundation
import HTTPTypes
import Hummingbird
import StudyStore

/// A page of a list: what comes after a number, and how much of it.
struct Page {
  var after: Int64 = 0
  var limit = 100
}

extension Request {
  /// Which page of a list is asked for: `?after=` and `?limit=`.
  func page() throws(Problem) -> Page {
    Page(
      after: try number("after", 0...Int64.max) ?? 0,
      limit: Int(try number("limit", 1...500) ?? 100))
  }

  /// A number of the query.
  func number(_ key: String, _ range: ClosedRange<Int64>) throws(Problem) -> Int64? {
    guard let text = try query(key) else { return nil }
    guard let number = Int64(text), range.contains(number) else {
      throw Problem(
        .badRequest,
        "\(key) must be a whole number from \(range.lowerBound) to \(range.upperBound).")
    }
    return number
  }

  /// A moment of the query, in ms since 1970.
  func moment(_ key: String) throws(Problem) -> Int64? {
    guard let text = try query(key) else { return nil }
    guard let moment = ISOTime.milliseconds(text) else {
      throw Problem(.badRequest, "\(key) must be a time in UTC such as 2026-05-01T18:15:00Z.")
    }
    return moment
  }

  /// What the query says; nil if nothing.
  func query(_ key: String) throws(Problem) -> String? {
    let values = uri.queryParameters.getAll(key)
    guard values.count < 2 else { throw Problem(.badRequest, "\(key) is given twice.") }
    return values.first
  }

  /// Whether who asks has what a tag stands for already.
  func has(_ tag: String) -> Bool {
    let shown = headers[values: .ifNoneMatch].flatMap { $0.split(separator: ",") }
    return shown.contains { part in
      let known = part.trimmingCharacters(in: .whitespaces)
      return known == "*" || known == tag || known == "W/\(tag)"
    }
  }

  /// The body as a form.
  func form(_ name: String, _ context: DayContext) async throws -> Form {
    try Form(try await json(EventValue.self, context), name)
  }
}

extension Response {
  /// A page of a list, its last number as `next` if there may be more.
  static func page(
    _ items: [EventValue], _ limit: Int, next: (EventValue) -> EventValue? = { $0["id"] },
    for request: Request
  ) throws -> Response {
    var members: [String: EventValue] = ["items": .array(items)]
    if items.count == limit, let last = items.last { members["next"] = next(last) }
    return try json(EventValue.object(members), taggedFor: request)
  }

  /// Bytes with an ETag; 304 without them for who has them already.
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

extension DayContext {
  /// A number of the path, as rows have them: from 1 on.
  ///
  /// - Throws: ``Problem`` 404 if it is none.
  func number(_ key: String) throws(Problem) -> Int64 {
    guard let number = parameters.get(key).flatMap({ Int64($0) }), number > 0 else {
      throw Problem(.notFound)
    }
    return number
  }

  /// A UUID of the path.
  ///
  /// - Throws: ``Problem`` 404 if it is none.
  func uuid(_ key: String) throws(Problem) -> UUID {
    guard let uuid = parameters.get(key).flatMap(UUID.init(uuidString:)) else {
      throw Problem(.notFound)
    }
    return uuid
  }
}
