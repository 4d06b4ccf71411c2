import DayDatabase
import Foundation
public import Hummingbird
import NIOCore
import NIOHTTP1
@_spi(StudyDay) import StudyStore

/// Why a request was not done, as RFC 9457 writes it.
public struct Problem: Error, Hashable, Sendable {
  /// The stable codes; they are never renamed or reused.
  public enum Code: String, CaseIterable, Encodable, Sendable {
    case noIdentity = "E_DAY_NO_IDENTITY"
    case badToken = "E_DAY_TOKEN"
    case notAllowed = "E_DAY_NOT_ALLOWED"
    case forged = "E_DAY_FORGED"
    case unconfirmed = "E_DAY_CONFIRM"
    case notFound = "E_DAY_NOT_FOUND"
    case badRequest = "E_DAY_REQUEST"
    case badValue = "E_DAY_VALUE"
    case noReason = "E_DAY_REASON"
    case conflict = "E_DAY_CONFLICT"
    case full = "E_DAY_FULL"
    case closed = "E_DAY_CLOSED"
    case tooLarge = "E_DAY_TOO_LARGE"
    case tooOften = "E_DAY_TOO_OFTEN"
    case noRoom = "E_DAY_NO_ROOM"
    case busy = "E_DAY_BUSY"
    case slow = "E_DAY_SLOW"
    case slowRequest = "E_DAY_SLOW_REQUEST"
    case failed = "E_DAY_FAILED"

    var meaning: (status: HTTPResponse.Status, title: String) {
      switch self {
      case .noIdentity: (.unauthorized, "Not signed in")
      case .badToken: (.unauthorized, "The link or token is not valid")
      case .notAllowed: (.forbidden, "Not allowed")
      case .forged: (.forbidden, "The request did not come from the page")
      case .unconfirmed: (.forbidden, "Say again who you are")
      case .notFound: (.notFound, "Not found")
      case .badRequest: (.badRequest, "The request cannot be read")
      case .badValue: (.unprocessableContent, "A value is not possible")
      case .noReason: (.unprocessableContent, "A correction needs a reason")
      case .conflict: (.conflict, "Somebody else changed it")
      case .full: (.conflict, "No place is left")
      case .closed: (.conflict, "It is closed")
      case .tooLarge: (.contentTooLarge, "The request is too large")
      case .tooOften: (.tooManyRequests, "Too many requests")
      case .noRoom:
        (HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage"), "The disk is full")
      case .busy: (.serviceUnavailable, "The database is busy")
      case .slow: (.serviceUnavailable, "The answer took too long")
      case .slowRequest: (.requestTimeout, "The request did not come in time")
      case .failed: (.internalServerError, "The server failed")
      }
    }

    var detail: String {
      switch self {
      case .noIdentity: "Open your link again, or ask for a new invitation."
      case .badToken: "It was used, has expired or was revoked. Ask for a new invitation."
      case .notAllowed: "Your role does not allow this. Ask the owner of the study."
      case .forged:
        "Reload the page and try again. Programs send Authorization: Bearer instead of a cookie."
      case .unconfirmed:
        "You signed in more than 12 hours ago. Give your signing code, or open a new link on this device and set one."
      case .notFound: "There is nothing at this address that you may see."
      case .badRequest: "Check the request against /api/v1/openapi.json."
      case .badValue: "Correct the value. Nothing was stored."
      case .noReason: "Say why the value is corrected. Nothing was stored."
      case .conflict: "Look at both values and decide which one holds."
      case .full: "Choose another slot, or join the waiting list."
      case .closed: "Choose another one."
      case .tooLarge: "Send fewer entries at a time."
      case .tooOften: "Wait a minute and try again."
      case .noRoom: "Nothing was stored. Free some space on the server and send the entries again."
      case .busy: "Nothing was stored. Try again in a moment."
      case .slow: "Send it again in a moment. Entries that were stored are not stored twice."
      case .slowRequest: "Nothing was stored. Send it again, over a better connection."
      case .failed: "Nothing was stored. Try again, and look at the server's log."
      }
    }
  }

  public var code: Code
  public var detail: String

  /// Describes a problem; unless something better is known, by what helps with the code.
  public init(_ code: Code, _ detail: String? = nil) {
    self.code = code
    self.detail = detail ?? code.detail
  }

  /// Refuses a reason that is no text, or too long.
  static func requireReason(_ reason: String?) throws(Problem) {
    guard reason?.isText(0...500, hasLines: true) ?? true else {
      throw Problem(
        .badValue,
        "reason must have no more than 500 characters, none of them a control character.")
    }
  }

  /// Maps any error to a problem for the client; failures of the database get their own codes.
  public init(_ error: any Error) {
    switch error {
    case let problem as Problem: self = problem
    case let error as StoreError:
      switch error.code {
      case .full: self.init(.noRoom)
      case .locked: self.init(.busy)
      case .value: self.init(.badValue)
      default: self.init(.failed)
      }
    case is NIOTooManyBytesError: self.init(.tooLarge)
    case is HTTPParserError: self.init(.badRequest)
    case let error as HTTPError where error.status == .contentTooLarge: self.init(.tooLarge)
    case let error as HTTPError where error.status == .notFound: self.init(.notFound)
    case let error as HTTPError where error.status.kind == .clientError: self.init(.badRequest)
    case is CancellationError: self.init(.slow)
    default: self.init(.failed)
    }
  }
}

extension Problem {
  /// Returns the problem document (RFC 9457).
  func json(instance: String? = nil) -> EventValue {
    let meaning = code.meaning
    var members: [String: EventValue] = [
      "type": .text("urn:promille:problem:\(code.rawValue)"), "title": .text(meaning.title),
      "status": .integer(Int64(meaning.status.code)), "detail": .text(detail),
      "code": .text(code.rawValue),
    ]
    members["instance"] = instance.map(EventValue.text)
    return .object(members)
  }
}

extension Problem: HTTPResponseError {
  public var status: HTTPResponse.Status { code.meaning.status }

  public func response(from request: Request, context: some RequestContext) throws -> Response {
    var response = try Response.json(json(instance: request.uri.path), status: status)
    response.headers[.contentType] = "application/problem+json"
    response.headers[.cacheControl] = "no-store"
    if [.tooOften, .busy, .slow].contains(code) { response.headers[.retryAfter] = "5" }
    return response
  }
}

extension Response {
  static func json(_ value: some Encodable, status: HTTPResponse.Status = .ok) throws -> Response {
    let data = try JSONText.encode(value)
    return Response(
      status: status, headers: [.contentType: "application/json", .cacheControl: "no-store"],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: data)))
  }
}

/// Encodes answers: names in snake case, times in ISO 8601 with milliseconds, keys sorted.
enum JSONText {
  static func encode(_ value: some Encodable) throws -> Data {
    if let value = value as? EventValue { return Data(value.text.utf8) }
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(value)
  }

  static func text(_ value: some Encodable) throws -> String {
    String(decoding: try encode(value), as: UTF8.self)
  }
}
