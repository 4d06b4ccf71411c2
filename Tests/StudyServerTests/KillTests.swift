import Foundation
import GRDB
import HTTPTypes
import HummingbirdTesting
import NIOCore
import StudyData
import StudyStore
import Synchronization
import TestSupport
import Testing

@testable import StudyServer

/// A 2xx means that an entry is on disk, whatever happens to the server. `Tests/Tools/serve_kill.py` does this at 200
/// moments.
@Suite struct KillTests {
  /// What the server said that it has.
  private final class Acknowledged: Sendable { let ids = Mutex<Set<String>>([]) }

  /// The server, beside the tests.
  private static let program =
    Bundle.main.executableURL?.deletingLastPathComponent()
    .appending(path: "promille-serve").path ?? ""

  /// Starts the server; the port that it says it listens on.
  private static func start(_ database: String) throws -> (Process, Int) {
    let (process, output) = (Process(), Pipe())
    process.executableURL = URL(
      filePath: [program, "\(PackageFolder.root.path)/.build/debug/promille-serve"].first {
        FileManager.default.isExecutableFile(atPath: $0)
      } ?? program)
    process.arguments = [database, "--port", "0", "--quiet"]
    process.standardOutput = output
    try process.run()
    var text = ""
    while !text.contains("\n") {
      let data = output.fileHandleForReading.availableData
      try #require(!data.isEmpty, "the server did not start")
      text += String(decoding: data, as: UTF8.self)
    }
    let port = try #require(text.firstMatch(of: /127\.0\.0\.1:(\d+)/).flatMap { Int($0.1) })
    return (process, port)
  }

  @Test func losesNoAcknowledgedEntry() async throws {
    let folder = try TemporaryFolder()
    let path = folder("study.sqlite")
    let token = try await {
      try await Accounts(store: DayStore(path: path)).invite(
        "bridge", as: .operator, station: "bridge", by: "test")
    }()
    let acknowledged = Acknowledged()
    for (count, milliseconds) in [(5, 3), (30, 17), (60, 41)] {
      let (process, port) = try Self.start(path)
      await withTaskGroup { group in
        for writer in 0..<4 {
          group.addTask {
            try? await TestClient.withClient(host: "127.0.0.1", port: port) { client in
              for index in 0..<1000 {
                let id = UUID()
                let now = ISOTime.text(SystemClock().now)
                let entry: EventValue = [
                  "id": .text(id.uuidString), "kind": "reading",
                  "subject": .text("person \(writer)"),
                  "action": "enter", "device_time": .text(now),
                  "value": reading(Double(index % 90) / 100),
                ]
                let body: EventValue = ["entries": .array([entry])]
                let answer = try await client.post(
                  "/api/v1/entries", headers: [.authorization: "Bearer \(token.text)"],
                  body: ByteBuffer(string: body.text))
                if answer.status == .ok { _ = acknowledged.ids.withLock { $0.insert(id.text) } }
              }
            }
          }
        }
        // In the middle of the work, however fast the machine is.
        let start = ContinuousClock.now
        while acknowledged.ids.withLock({ $0.count }) < count,
          start.duration(to: .now) < .seconds(20)
        {
          try? await Task.sleep(for: .milliseconds(5))
        }
        try? await Task.sleep(for: .milliseconds(milliseconds))
        kill(process.processIdentifier, SIGKILL)
      }
      process.waitUntilExit()
    }
    let events = try StudyStore(path: path, for: .reading).changes()
    let stored = Set(events.map(\.uuid.text))
    let lost = acknowledged.ids.withLock { $0.subtracting(stored) }
    #expect(lost.isEmpty)
    #expect(acknowledged.ids.withLock { $0.count } > 0)
    #expect(try StudyStore(path: path, for: .reading).verifyChanges().broken == nil)
  }
}
