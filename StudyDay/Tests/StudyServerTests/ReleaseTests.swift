import DayDatabase
import Foundation
import HTTPTypes
import HealthData
@_spi(StudyDay) import StudyStore
import Testing

@testable import StudyServer

/// A release against the advice has more barriers than a typo.
@Suite struct ReleaseTests {
  let day: TestDay

  init() throws { day = try TestDay() }

  /// A man of 80 kg who drank 40 g, with readings that fall to a level.
  private func fill(_ client: TestClientOfDay, _ token: Token, to level: Double) async throws {
    try await day.addPerson("bob")
    _ = try await client.enter(token, entry("drink", of: "bob", ["ethanol_g": 40]))
    for minute in stride(from: 45.0, through: 235, by: 10) {
      let blood = max(0, 40 / (80 * 0.68) - 0.15 * minute / 60)
      guard blood > level else { break }
      let reading = entry(
        "reading", of: "bob", ["concentration": .number(blood), "unit": "bac_g_per_kg"],
        minute: minute)
      #expect(try await client.enter(token, reading)[0]["status"] == "stored")
    }
  }

  private func release(
    _ client: TestClientOfDay, _ token: Token, _ more: [String: EventValue] = [:]
  ) async throws -> (status: Int, json: EventValue) {
    let seq = try await client.send(.get, "/people/bob", token).json["seq"] ?? .null
    let usual: [String: EventValue] = ["decision": "released", "advice_seq": seq, "signed": true]
    let answer = try await client.send(
      .post, "/people/bob/release", token, .object(usual.merging(more) { $1 }))
    return (answer.status, answer.json)
  }

  @Test func releaseAgainstAdviceNeedsReasonAndTwoPeople() async throws {
    let operating = try await day.token(.operator)
    let ines = try await day.token(.investigator, "Ines")
    let olga = try await day.token(.owner, "Olga")
    day.clock.advance(by: 12 * 3_600_000)
    try await day.serve { client in
      try await fill(client, operating, to: 0.4)
      let bare = try await release(client, ines)
      #expect(bare.status == 422 && bare.json["code"] == "E_DAY_REASON", "\(bare.json)")
      let mouse = try await release(client, ines, ["reason": "x", "signed": "Mickey Mouse"])
      #expect(mouse.status == 422 && mouse.json["detail"]?.string?.contains("Ines") == true)
      let reason: [String: EventValue] = ["reason": "goes with a nurse", "signed": "ines"]
      for _ in 0..<2 {
        let proposal = try await release(client, ines, reason)
        #expect(proposal.status == 200 && proposal.json["state"] == "running", "\(proposal.json)")
        #expect(proposal.json["release"] == nil && proposal.json["asked"]?["by"] == "Ines")
        #expect(proposal.json["asked"]?["reason"] == "goes with a nurse")
      }
      #expect(try await day.day.notices().contains { $0.kind == .asked && $0.importance == 5 })
      // What comes in between is to be looked at again.
      _ = try await client.enter(operating, entry("note", of: "bob", ["text": "x"]))
      #expect(try await client.send(.get, "/people/bob", olga).json["asked"] == nil)
      let alone = try await release(client, olga, reason.merging(["signed": true]) { $1 })
      #expect(alone.json["asked"]?["by"] == "Olga")
      let both = try await release(client, ines)
      #expect(both.status == 200 && both.json["state"] == "released", "\(both.json)")
      #expect(both.json["release"]?["by"] == "Ines" && both.json["release"]?["second"] == "Olga")
      #expect(both.json["release"]?["signed"] == "Ines" && both.json["asked"] == nil)
    }
    let chain = try StudyStore.day(day.path, for: .reading).verifyChanges()
    #expect(chain.broken == nil && chain.different == nil, "\(chain)")
  }

  /// A program shows its token once more; that of somebody who may not decide, or none, does not count.
  @Test func stationTokenShownAgainSignsAsSecondPerson() async throws {
    let operating = try await day.token(.operator)
    let ines = try await day.token(.investigator, "Ines")
    day.clock.advance(by: 12 * 3_600_000)
    try await day.serve { client in
      try await fill(client, operating, to: 0.4)
      for other in [operating.text, Token().text, "x"] {
        let refused = try await release(client, ines, ["reason": "x", "token": .text(other)])
        #expect(refused.status == 401)
      }
      let done = try await release(client, ines, ["reason": "x", "token": .text(ines.text)])
      #expect(done.status == 200 && done.json["state"] == "released")
    }
  }

  @Test func theSettingsMayAskForLess() async throws {
    let operating = try await day.token(.operator)
    let olga = try await day.token(.owner, "Olga")
    day.clock.advance(by: 12 * 3_600_000)
    try await day.serve { client in
      try await fill(client, operating, to: 0.4)
      let settings = try await client.send(.get, "/settings", olga).json
      #expect(settings["release_second_person"] == true)
      let off: EventValue = ["release_second_person": false]
      #expect(try await client.send(.patch, "/settings", olga, off).status == 200)
      #expect(try await release(client, olga).status == 422)
      let done = try await release(client, olga, ["reason": "x"])
      #expect(done.json["state"] == "released")
    }
    let chain = try StudyStore.day(day.path, for: .reading).verifyChanges()
    #expect(chain.broken == nil && chain.different == nil, "\(chain)")
  }

  /// Below the limit, and later than the advice says, one signature is enough; so it is for who drank nothing.
  @Test func releaseByAdviceNeedsOneSignature() async throws {
    let operating = try await day.token(.operator)
    let ines = try await day.token(.investigator, "Ines")
    day.clock.advance(by: 12 * 3_600_000)
    try await day.serve { client in
      try await fill(client, operating, to: 0.15)
      day.clock.advance(by: 12 * 3_600_000)
      let done = try await release(client, ines, ["signed": "Ines"])
      #expect(done.status == 200 && done.json["state"] == "released", "\(done.json)")
      _ = try await client.enter(operating, entry("note", of: "sober", ["text": "a control"]))
      let seq = try await client.send(.get, "/people/sober", ines).json["seq"] ?? .null
      let sober = try await client.send(
        .post, "/people/sober/release", ines,
        ["decision": "released", "advice_seq": seq, "signed": true])
      #expect(sober.status == 200 && sober.json["state"] == "released")
    }
  }
}
