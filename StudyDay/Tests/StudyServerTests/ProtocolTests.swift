import DayDatabase
import Foundation
import HTTPTypes
import Testing

@testable import StudyServer

/// Requests that are not quite HTTP, and people who send too many.
@Suite struct ProtocolTests {
  /// Sends a request over a connection of its own; the first line of the answer.
  private static func status(
    _ port: Int?, _ head: String, body: String = "", pausing pause: Duration? = nil
  ) async throws -> String {
    let wire = try Wire(port: try #require(port))
    wire.send(head + "\r\n\r\n")
    for part in body.split(separator: "|") {
      if let pause { try await Task.sleep(for: pause) }
      wire.send(String(part))
    }
    return String(try #require(try await wire.receive()).prefix { $0 != "\r" })
  }

  @Test func requestNeedsOneHost() async throws {
    let day = try TestDay()
    try await day.serve(.live) { client in
      let port = client.client.port
      for (hosts, status) in [
        ("Host: x", "200"), ("X: y", "400"), ("Host: x\r\nHost: y", "400"),
      ] {
        let answer = try await Self.status(port, "GET /api/v1/health HTTP/1.1\r\n\(hosts)")
        #expect(answer.hasPrefix("HTTP/1.1 \(status)"), "\(hosts): \(answer)")
      }
    }
  }

  @Test func invalidChunksDoNotFailServer() async throws {
    let day = try TestDay()
    let token = try await day.token(.operator)
    try await day.serve(.live) { client in
      let answer = try await Self.status(
        client.client.port,
        "POST /api/v1/entries HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(token.text)\r\nTransfer-Encoding: chunked",
        body: "zz\r\nabc\r\n0\r\n\r\n")
      #expect(answer.hasPrefix("HTTP/1.1 400"), "\(answer)")
    }
  }

  /// The time of an answer begins when the request is there.
  @Test func slowBodyDoesNotCountAsSlowAnswer() async throws {
    var options = DayOptions()
    options.answerTime = .milliseconds(400)
    let day = try TestDay(options: options)
    let token = try await day.token(.operator)
    let body = ["entries": .array([entry("note", of: "ann", ["text": "x"])])] as EventValue
    let half = body.text.index(body.text.startIndex, offsetBy: 40)
    try await day.serve(.live) { client in
      let answer = try await Self.status(
        client.client.port,
        "POST /api/v1/entries HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(token.text)\r\nContent-Length: \(body.text.utf8.count)",
        body: "\(body.text[..<half])|\(body.text[half...])", pausing: .milliseconds(500))
      #expect(answer.hasPrefix("HTTP/1.1 200"), "\(answer)")
    }
  }

  /// The limit fits entries by hand; a station writes for many.
  @Test func aParticipantChangesSoMuchAndNoMore() async throws {
    try await ServedDay.run { served in
      var statuses: [Int: Int] = [:]
      for _ in 0..<100 {
        let answer = try await served.send(.put, "/me/reminder", as: "p01", ["times": nil])
        statuses[answer.status, default: 0] += 1
      }
      #expect((60...75) ~= statuses[200] ?? 0 && (statuses[429] ?? 0) >= 25, "\(statuses)")
      #expect(try await served.send(.get, "/day", as: "p01").status == 200)
    }
  }

  @Test func peopleAreToldInWords() async throws {
    try await ServedDay.run { served in
      let slot = try await served.makeSlot(places: 1)
      var form = ServedDay.form.members
      form["own_measures"] = ["height_cm": 3]
      let answer = try await served.send(.post, "/slots/\(slot)/bookings", as: "p01", .object(form))
      let detail = answer.json["detail"]?.string ?? ""
      #expect(detail.hasPrefix("the height in cm in the measures must be"), "\(detail)")
      #expect(try await served.send(.get, "/queue", as: "p01").json["wait_min"] == 0)
    }
  }
}
