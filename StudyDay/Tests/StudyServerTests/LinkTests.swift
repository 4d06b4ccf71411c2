import DayDatabase
import Foundation
import HTTPTypes
import HealthData
@_spi(StudyDay) import StudyStore
import Testing

@testable import StudyServer

/// A link enrols a device; it makes nobody another person.
@Suite struct LinkTests {
  private func invite(
    _ served: ServedDay, _ name: String, as actor: String, _ role: String = "participant",
    because reason: String? = nil
  ) async throws -> ServedDay.Answer {
    try await served.send(
      .post, "/invitations", as: actor,
      ["name": .text(name), "role": .text(role), "reason": reason.map(EventValue.text) ?? .null])
  }

  @Test func nobodyMakesALinkIntoTheAccountOfSomebodyElse() async throws {
    try await ServedDay.run { served in
      _ = try await served.day.accounts.signIn(try #require(served.tokens["p01"]))
      for actor in ["oskar", "ines"] {
        #expect(try await invite(served, "p01", as: actor).status == 403)
        #expect(try await invite(served, "p01", as: actor, because: "lost").status == 403)
      }
      let bare = try await invite(served, "p01", as: "olga")
      #expect(bare.status == 422 && bare.code == "E_DAY_REASON", "\(bare.text)")
      #expect(try await invite(served, "p01", as: "olga", because: "lost the phone").status == 201)
      let last = try await served.day.store.read {
        try EventLog.events(after: 0, limit: 1000, in: $0).last { $0.action == "account.invite" }
      }
      #expect(last?.reason == "lost the phone" && last?.actor == "olga")
      // Nobody was signed in there yet.
      #expect(try await invite(served, "p09", as: "oskar").status == 201)
      #expect(try await invite(served, "p09", as: "oskar").status == 201)
    }
  }

  /// Every change says who was signed in, and who issued the sign-in.
  @Test func everyChangeHasItsIssuer() async throws {
    let day = try TestDay()
    let token = try await day.day.accounts.invite(
      "olaf", as: .operator, station: "bench", by: "olga")
    try await day.serve { client in
      _ = try await client.enter(token, entry("note", of: "ann", ["text": "x"]))
      let link = try await client.send(
        .post, "/invitations", token, ["name": "ann", "role": "participant"])
      let shown = link.json["link"]?.string.flatMap { Token(String($0.suffix(43))) }
      _ = try await day.day.accounts.signIn(try #require(shown))
    }
    let events = try await day.day.store.read { try EventLog.events(after: 0, limit: 99, in: $0) }
    #expect(events.map(\.issuer) == [nil, "olga", "olga", "olaf"])
    let chain = try StudyStore.day(day.path, for: .reading).verifyChanges()
    #expect(chain.broken == nil && chain.different == nil, "\(chain)")
  }

  /// A link into a participant's account needs the permission to see names.
  @Test func inviterMustBePermittedToSeeName() async throws {
    try await ServedDay.run { served in
      let slot = try await served.makeSlot(places: 4)
      for (subject, actor) in [("w1", "ines"), ("w2", "oskar")] {
        var form = ServedDay.form.members
        form["subject"] = .text(subject)
        let booked = try await served.send(
          .post, "/slots/\(slot)/bookings", as: actor, .object(form))
        #expect(booked.status == 201, "\(booked.text)")
      }
      #expect(try await invite(served, "w1", as: "oskar").status == 403)
      #expect(try await invite(served, "w1", as: "ines").status == 201)
      // Who entered the name knows it.
      #expect(try await invite(served, "w2", as: "oskar").status == 201)
    }
  }
}
