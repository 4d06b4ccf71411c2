import DayDatabase
import Foundation
import GRDB
import HTTPTypes
import HealthData
import Hummingbird
import Logging
import NIOCore
import NIOEmbedded
import StudyServer
@_spi(StudyDay) import StudyStore
import Synchronization

/// A study day whose owner sends requests, at six in the evening of 1 May 2026. Each request finds it as the first did,
/// so that an input does the same each time. Slot 1 is free, slot 2 is booked.
final class FuzzedDay: Sendable {
  private struct Answer: Sendable {
    var status: Int
    var type: String
    var text: String
  }

  private let path: String
  private let respond: @Sendable (Request) async throws -> Response
  private let token: Token
  /// Sees whether the server changed the database, and puts it back.
  private let observer: DatabasePool
  private let original: DatabaseQueue
  private let version = Mutex(0)
  /// The booking of slot 2, whose name is never the same.
  private let booking = Mutex("")

  init() {
    path = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).sqlite").path
    var silent = Logger(label: "fuzz")
    silent.logLevel = .critical
    do {
      var options = DayOptions()
      (options.rate, options.signInsPerMinute) = ((perSecond: 1e9, atOnce: 1e9), 1e9)
      let day = StudyDay(
        store: try DayStore(path: path, clock: SetClock(1_777_658_400_000)), options: options,
        logger: silent)
      let responder = day.responder()
      let logger = silent
      let channel = NIOAsyncTestingChannel()
      respond = { request in
        let source = ApplicationRequestContextSource(channel: channel, logger: logger)
        return try await responder.respond(to: request, context: DayContext(source: source))
      }
      token = waiting {
        try await day.accounts.invite("owner", as: .owner, station: "bench", by: "fuzz")
      }
      observer = try StudyStore.servingPool(path)
      original = try DatabaseQueue()
      for (address, body) in Self.beginning {
        let made = answer(.post, "/api/v1/\(address)", Data(body.utf8))
        precondition(200..<300 ~= made.status, "the day did not begin: \(made.text)")
        booking.withLock { $0 = EventValue(made.text)?["id"]?.string ?? $0 }
      }
      try observer.backup(to: original)
      try keepVersion()
    } catch {
      fatalError("the day did not begin: \(error)")
    }
  }

  private static let beginning = [
    ("sites", #"{"name": "site"}"#), ("labs", #"{"name": "lab", "site": 1}"#),
    (
      "session-types",
      """
      {"name": "type", "lab": 1, "length_min": 60, "reading_interval_min": 15, "capacity": 1,
       "release_limit_g_per_kg": 0.2, "food_state": "fasted"}
      """
    ), ("slots", #"{"session_type": 1, "starts": "2026-05-01T18:15:00Z"}"#),
    ("slots", #"{"session_type": 1, "starts": "2026-05-01T18:30:00Z"}"#),
    (
      "slots/2/bookings",
      #"{"subject": "bob", "name": "Bob", "contact": "b@example.org", "consent": true}"#
    ),
    (
      "entries",
      """
      {"entries": [
        {"id": "00000000-0000-4000-8000-0000000000aa", "kind": "drink", "subject": "ann", "action": "enter",
         "device_time": "2026-05-01T16:00:00.000Z", "value": {"ethanol_g": 20}},
        {"id": "00000000-0000-4000-8000-0000000000bb", "kind": "reading", "subject": "ann", "action": "enter",
         "device_time": "2026-05-01T17:00:00.000Z", "value": {"concentration": 0.2, "unit": "brac_mg_per_l"}}]}
      """
    ),
  ]

  /// Sends a request, and ends the process if the server does not keep what it promises.
  ///
  /// - Parameter address: Path; BOOKING in it stands for the booking of slot 2.
  func send(_ method: HTTPRequest.Method, _ address: String, _ body: Data) {
    let booking = booking.withLock { $0 }
    hold(answer(method, address.replacing("BOOKING", with: booking), body))
    do {
      guard try dataVersion() != version.withLock({ $0 }) else { return }
      // What was stored can be shown and read as a study, and the chain of events is whole.
      for page in ["day", "notices", "slots", "bookings", "changes", "feed.xml", "settings"] {
        hold(answer(.get, "/api/v1/\(page)", Data()))
      }
      let store = try StudyStore.day(path, for: .reading)
      _ = try store.study()
      let chain = try store.verifyChanges()
      precondition(chain.broken == nil, "the chain of events is broken")
      try original.backup(to: observer)
      try keepVersion()
    } catch {
      fatalError("what was stored cannot be read: \(error)")
    }
  }

  private func hold(_ answer: Answer) {
    precondition(answer.status < 500, "the server failed: \(answer.text)")
    guard answer.type.hasSuffix("json") else { return }
    precondition(EventValue(answer.text) != nil, "an answer is no JSON: \(answer.text)")
  }

  private func answer(_ method: HTTPRequest.Method, _ address: String, _ body: Data) -> Answer {
    let head = HTTPRequest(
      method: method, scheme: "http", authority: "localhost", path: address,
      headerFields: [.authorization: "Bearer \(token.text)"])
    let request = Request(head: head, body: RequestBody(buffer: ByteBuffer(bytes: body)))
    return waiting { [respond] in
      let response = try await respond(request)
      let type = response.headers[.contentType] ?? ""
      let written = Written()
      // A stream of events never ends.
      if type != "text/event-stream" { try await response.body.write(written) }
      return Answer(status: response.status.code, type: type, text: written.text)
    }
  }

  private func dataVersion() throws -> Int {
    try observer.writeWithoutTransaction {
      try Int.fetchOne($0, sql: "PRAGMA data_version") ?? 0
    }
  }

  private func keepVersion() throws {
    let now = try dataVersion()
    version.withLock { $0 = now }
  }
}

/// Does something elsewhere, and waits for it.
private func waiting<Value: Sendable>(
  _ body: @escaping @Sendable () async throws -> Value
) -> Value {
  let done = DispatchSemaphore(value: 0)
  // Written before the signal and read after it.
  nonisolated(unsafe) var result: Result<Value, any Error>?
  Task.detached {
    do {
      result = .success(try await body())
    } catch {
      result = .failure(error)
    }
    done.signal()
  }
  done.wait()
  guard case .success(let value) = result else { fatalError("the server threw \(result as Any)") }
  return value
}

/// The body of an answer.
private final class Written: ResponseBodyWriter, Sendable {
  private let buffer = Mutex(ByteBuffer())

  var text: String { buffer.withLock { String(buffer: $0) } }

  func write(_ part: ByteBuffer) async throws {
    buffer.withLock { _ = $0.writeImmutableBuffer(part) }
  }

  consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
