import Foundation
import HTTPTypes
import HummingbirdTesting
import StudyStore
import Testing

@testable import StudyServer

/// Streams of events.
@Suite struct LiveTests {
  let day: TestDay

  init() throws { day = try TestDay() }

  /// The events of a stream, as they come.
  private final class Listener: @unchecked Sendable {
    private let descriptor: Int32
    private var rest = ""

    init(port: Int, _ token: Token, _ path: String, lastID: Int64? = nil) throws {
      #if canImport(Darwin)
        let kind = SOCK_STREAM
      #else
        let kind = Int32(SOCK_STREAM.rawValue)
      #endif
      descriptor = socket(AF_INET, kind, 0)
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = UInt16(port).bigEndian
      address.sin_addr.s_addr = inet_addr("127.0.0.1")
      let code = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
      try #require(code == 0)
      let id = lastID.map { "Last-Event-ID: \($0)\r\n" } ?? ""
      let head =
        "GET /api/v1\(path) HTTP/1.1\r\nHost: x\r\n\(id)Authorization: Bearer \(token.text)\r\n\r\n"
      _ = head.withCString { send(descriptor, $0, strlen($0), 0) }
    }

    deinit { close(descriptor) }

    /// The next event of a name, as its data; nil if none comes.
    ///
    /// It waits without holding a thread, which the server in this process may need.
    func next(_ name: String) async throws -> EventValue? {
      let end = ContinuousClock.now + .seconds(60)
      var buffer = [UInt8](repeating: 0, count: 65_536)
      while true {
        if let found = rest.firstMatch(of: /event: ([a-z]+)\ndata: (.*)\n\n/) {
          let (kind, data) = (String(found.1), String(found.2))
          rest.removeSubrange(..<found.range.upperBound)
          if kind == name { return EventValue(data) }
          continue
        }
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while poll(&waiting, 1, 0) == 0 {
          guard ContinuousClock.now < end else { return nil }
          try await Task.sleep(for: .milliseconds(5))
        }
        let count = recv(descriptor, &buffer, buffer.count, 0)
        guard count > 0 else { return nil }
        // The lengths of chunks stand between; no event is cut by one.
        rest += String(decoding: buffer[..<count], as: UTF8.self).replacing("\r\n", with: "")
      }
    }
  }

  @Test func everyChangeIsHeardOnceAndInOrder() async throws {
    let token = try await day.token(.operator)
    try await day.serve(.live) { client in
      let port = try #require(client.client.port)
      _ = try await client.enter(token, entry("note", of: "ann", ["text": "missed 1"]))
      _ = try await client.enter(token, entry("note", of: "ann", ["text": "missed 2"]))
      let listener = try Listener(port: port, token, "/events", lastID: 2)
      _ = try await client.enter(token, entry("note", of: "ann", ["text": "live"]))
      var texts: [String?] = []
      for _ in 0..<2 {
        texts.append(try await listener.next("change")?["new"]?["value"]?["text"]?.string)
      }
      #expect(texts == ["missed 2", "live"])
    }
  }

  @Test func aChangeIsFollowedByThePerson() async throws {
    try await day.addPerson("ann")
    let token = try await day.token(.operator)
    try await day.serve(.live) { client in
      let listener = try Listener(port: try #require(client.client.port), token, "/events?after=0")
      _ = try await listener.next("change")
      _ = try await client.enter(token, entry("reading", of: "ann", reading(0.2)))
      let person = try #require(try await listener.next("person"))
      #expect(person["subject"] == "ann" && person["readings"]?.items.count == 1)
    }
  }

  @Test func aParticipantHearsOfNobodyElse() async throws {
    let (token, pat) = (try await day.token(.operator), try await day.token(.participant, "pat"))
    try await day.serve(.live) { client in
      let listener = try Listener(port: try #require(client.client.port), pat, "/events?after=0")
      _ = try await client.enter(token, entry("note", of: "ann", ["text": "of ann"]))
      _ = try await client.enter(token, entry("note", of: "pat", ["text": "of pat"]))
      let first = try #require(try await listener.next("change"))
      #expect(first["subject"] == "pat" && first["new"]?["value"]?["text"] == "of pat", "\(first)")
    }
  }

  @Test func whatIsNobodysHasAnAudience() async throws {
    func message(_ action: String) async throws -> LiveMessage {
      let store = day.day.store
      let events = try await store.change { db in
        [try store.log(NewEvent(actor: "owner", action: action), in: db)]
      }
      return try LiveMessage(try #require(events.first))
    }
    func identity(_ role: Role) -> Identity {
      Identity(account: 1, name: "x", role: role, subject: nil, station: nil, token: 1)
    }
    #expect(try await message("account.invite").isFor(identity(.owner)))
    #expect(try await !message("account.invite").isFor(identity(.viewer)))
    #expect(try await !message("token.revoke").isFor(identity(.participant)))
  }
}
