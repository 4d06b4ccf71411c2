import DayDatabase
import Foundation
import GRDB
import HTTPTypes
import HealthData
@_spi(StudyDay) import StudyStore
import Testing

@testable import StudyServer

/// Numbers, who is served, and how long it may take.
@Suite struct CallBoardTests {
  private func numbers(_ json: EventValue, _ list: String) -> [Double] {
    (json[list]?.list ?? []).compactMap { $0["number"]?.double }
  }

  @Test func numbersAreCalledInTheirOrder() async throws {
    try await ServedDay.run { served in
      #expect(try await served.send(.post, "/queue", as: "p01", [:]).json["mine"] == 1)
      // Who has a number keeps it; who has no code yet has one, too.
      #expect(try await served.send(.post, "/queue", as: "p01", [:]).json["mine"] == 1)
      _ = try await served.send(.post, "/queue", as: "oskar", [:])
      let second = try await served.send(.post, "/queue", as: "oskar", ["subject": "p02"])
      #expect(numbers(second.json, "waiting") == [1, 2, 3])
      func next(_ place: EventValue) async throws -> EventValue {
        try await served.send(.post, "/queue/next", as: "oskar", ["place": place]).json
      }
      var board = try await next("Breath 1")
      #expect(numbers(board, "serving") == [1] && numbers(board, "waiting") == [2, 3])
      // Calls every 4 minutes; the last one was 1 minute ago.
      served.clock.advance(by: 240_000)
      board = try await next("Breath 2")
      #expect(numbers(board, "serving") == [1, 2])
      served.clock.advance(by: 60_000)
      board = try await served.send(.get, "/queue", as: "p02").json
      #expect(board["mine"] == 3 && board["wait_min"] == 7)
      #expect(board["waiting"]?.list.first?["before"] == 0)
      #expect(board["waiting"]?.list.first?["wait_min"] == 3)
      // Whose the others are is nothing to p02, nor to a screen on the wall.
      #expect(board["serving"]?.list.compactMap { $0["subject"] }.isEmpty == true)
      let wall = try await served.send(.get, "/queue", as: "vera")
      #expect(!wall.text.contains("p0"), "\(wall.text)")
      board = try await next("Breath 1")
      #expect(numbers(board, "serving") == [2, 3] && numbers(board, "waiting").isEmpty)
      #expect(try await served.send(.delete, "/queue/3", as: "p01").status == 403)
      #expect(try await served.send(.delete, "/queue/3", as: "p02").status == 200)
      #expect(try await served.send(.delete, "/queue/3", as: "p02").status == 404)
      #expect(try await served.send(.post, "/queue", as: "p01", ["subject": "p02"]).status == 403)
      #expect(try await served.send(.post, "/queue/next", as: "p01", ["place": "x"]).status == 403)
      #expect(try await served.send(.post, "/queue", as: "vera", [:]).status == 403)
      // The next day begins with 1.
      served.clock.advance(by: 86_400_000)
      #expect(try await served.send(.post, "/queue", as: "p01", [:]).json["mine"] == 1)
      let chain = try StudyStore.day(served.day.store.path, for: .reading).verifyChanges()
      #expect(chain.broken == nil && chain.different == nil)
    }
  }

  @Test func calledNumbersArePublicWithoutNames() async throws {
    try await ServedDay.run { served in
      _ = try await served.send(.post, "/queue", as: "p01", [:])
      _ = try await served.send(.post, "/queue/next", as: "oskar", ["place": "Breath 1"])
      for name in ["p02", "vera"] {
        let heard = try await served.day.store.read { db in
          try EventLog.events(after: 0, limit: 1000, in: db)
        }.filter { $0.action.hasPrefix("call.") }
        let token = try #require(served.tokens[name])
        let identity = try #require(
          try await served.day.accounts.identity(of: token, kinds: ["station"]))
        let changes = heard.compactMap { $0.change(for: identity) }
        #expect(changes.count == 2)
        #expect(
          changes.allSatisfy { $0["subject"] == nil && $0["by"] == "" && $0["new"] == nil },
          "\(changes)")
      }
    }
  }
}
