import DayDatabase
import Foundation
import GRDB
import HTTPTypes
import HealthData
import NIOCore
@_spi(StudyDay) import StudyData
@_spi(StudyDay) import StudyStore
import Synchronization
import TestSupport
import Testing

@testable import StudyServer

/// A 2xx means that an entry is on disk, whatever happens to the server. `StudyDay/Tests/Tools/serve_kill.py`
/// does this at 200 moments.
@Suite struct KillTests {
  /// Entries that the server acknowledged.
  private final class Acknowledged: Sendable { let ids = Mutex<Set<String>>([]) }

  /// Two servers on one database would each tell half of the pages.
  @Test func aSecondServerOnADatabaseIsRefused() throws {
    let folder = try TemporaryFolder()
    let path = folder("study.sqlite")
    let first = try ServeProgram(path)
    _ = try first.port()
    try FileManager.default.createSymbolicLink(
      atPath: folder("link.sqlite"), withDestinationPath: path)
    for name in [path, folder("link.sqlite")] {
      let refused = try ServeProgram(name).failure()
      #expect(refused.code == 75 && refused.text.contains("E_STORE_LOCKED"), "\(refused)")
    }
    // However the first one ends, the next may serve.
    _ = first.stop(SIGKILL)
    let next = try ServeProgram(path)
    _ = try next.port()
    #expect(next.stop() == 0)
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
      let program = try ServeProgram(path)
      let port = try program.port()
      await withTaskGroup { group in
        for writer in 0..<4 {
          group.addTask {
            try? await HTTPConnection.open(port: port) { connection in
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
                let text = ByteBuffer(string: body.text)
                let answer = try await connection.send(
                  HTTPRequest(
                    method: .post, scheme: "http", authority: "localhost", path: "/api/v1/entries",
                    headerFields: [
                      .authorization: "Bearer \(token.text)",
                      .contentLength: "\(text.readableBytes)",
                    ]), text)
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
        #if os(Linux)
          // Each thread would have one of its own, which keeps what it held at most.
          let heaps = try? program.heapCount()
          #expect(heaps.map { $0 <= 2 } == true, "\(heaps ?? -1)")
        #endif
        _ = program.stop(SIGKILL)
      }
    }
    let events = try StudyStore.day(path, for: .reading).changes()
    let stored = Set(events.map(\.uuid.text))
    let lost = acknowledged.ids.withLock { $0.subtracting(stored) }
    #expect(lost.isEmpty)
    #expect(acknowledged.ids.withLock { $0.count } > 0)
    #expect(try StudyStore.day(path, for: .reading).verifyChanges().broken == nil)
  }
}
