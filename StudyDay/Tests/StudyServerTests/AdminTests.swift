import DayDatabase
import HTTPTypes
import NIOCore
@_spi(StudyDay) import StudyStore
import Testing

@testable import StudyServer

/// Accounts, invitations and settings.
@Suite struct AdminTests {
  @Test func invitationsOpenOnceAndStationsAgain() async throws {
    try await ServedDay.run { served in
      let invited = try await served.send(
        .post, "/invitations", as: "olga", ["name": "nils", "role": "operator"])
      let link = try #require(invited.json["link"]?.string)
      #expect(link.hasPrefix("http://") && invited.json["token"] == nil)
      let token = String(link.suffix(43))
      for status in [200, 401] {
        let opened = try await served.send(.post, "/sign-in", ["token": .text(token)])
        #expect(opened.status == status)
      }
      let station = try await served.send(
        .post, "/invitations", as: "olga", ["name": "bridge", "role": "operator", "station": true])
      let shown = try #require(station.json["token"]?.string)
      for _ in 1...2 { #expect(try await served.send(.get, "/me", as: shown).status == 200) }
    }
  }

  @Test func revokedTokensEnd() async throws {
    try await ServedDay.run { served in
      let accounts = try await served.send(.get, "/accounts", as: "olga")
      #expect(!accounts.text.contains("hash"))
      let oskar = try #require(
        accounts.json["items"]?.list.first { $0["name"] == "oskar" })
      let token = try #require(oskar["tokens"]?.list.first?["id"]?.integer)
      #expect(try await served.send(.delete, "/tokens/\(token)", as: "olga").status == 204)
      #expect(try await served.send(.get, "/me", as: "oskar").status == 401)
      let vera = try #require(
        accounts.json["items"]?.list.first { $0["name"] == "vera" }?["id"]?.integer)
      #expect(try await served.send(.delete, "/accounts/\(vera)", as: "olga").status == 204)
      #expect(try await served.send(.get, "/me", as: "vera").status == 401)
      #expect(try await served.send(.get, "/accounts/\(vera)", as: "olga").json["revoked"] != .null)
      let olga = try #require(
        accounts.json["items"]?.list.first { $0["name"] == "olga" }?["id"]?.integer)
      #expect(try await served.send(.delete, "/accounts/\(olga)", as: "olga").status == 409)
      #expect(try await served.send(.get, "/accounts/999", as: "olga").status == 404)
    }
  }

  @Test func listsComeInPagesWithTags() async throws {
    try await ServedDay.run { served in
      var names: [String] = []
      var after: Int64 = 0
      while true {
        let page = try await served.send(
          .get, "/accounts?limit=3&after=\(after)", as: "olga"
        ).json
        names += page["items"]?.list.compactMap { $0["name"]?.string } ?? []
        guard let next = page["next"]?.integer else { break }
        after = next
      }
      #expect(names == ServedDay.accounts.map(\.0))
      let first = try await served.send(.get, "/settings", as: "olga")
      let tag = try #require(first.headers[.eTag])
      for known in [tag, "W/\(tag)", "\"x\", \(tag)", "*"] {
        let again = try await served.send(
          .get, "/settings", as: "olga", headers: [.ifNoneMatch: known])
        #expect(again.status == 304 && again.text.isEmpty, "\(known)")
      }
      let secondSlot = try await served.send(
        .get, "/settings", as: "olga", headers: [.ifNoneMatch: "\"x\""])
      #expect(secondSlot.status == 200)
      for query in ["limit=0", "limit=x", "after=-1", "limit=1&limit=2", "limit=501"] {
        #expect(try await served.send(.get, "/accounts?\(query)", as: "olga").status == 400)
      }
    }
  }

  @Test func settingsOfVitalSigns() async throws {
    try await ServedDay.run { served in
      let changed = try await served.send(
        .patch, "/settings", as: "ines",
        ["vitals": [["kind": "HeartRate", "importance": 5, "above": 120]]])
      let rate = changed.json["vitals"]?.list.first { $0["kind"] == "HeartRate" }
      #expect(rate?["importance"] == 5 && rate?["above"]?.double == 120, "\(changed.text)")
      let cleared = try await served.send(
        .patch, "/settings", as: "ines", ["vitals": [["kind": "HeartRate", "above": .null]]])
      let after = cleared.json["vitals"]?.list.first { $0["kind"] == "HeartRate" }
      #expect(after?["above"] == .null && after?["importance"] == 5)
      for wrong in [
        ["blood_breath_ratio": 999], ["blood_breath_ratio": "2100"],
        ["vitals": [["kind": "Mood"]]], ["vitals": [["kind": "HeartRate", "importance": 6]]],
        ["no_show_cost": -1], ["vitals": 1], ["other": 1],
      ] as [EventValue] {
        #expect(try await served.send(.patch, "/settings", as: "ines", wrong).status == 422)
      }
    }
  }

  @Test(arguments: [
    ("lab.example.org:8443", "lab.example.org:8443"), ("[::1]:80", "[::1]:80"),
    ("evil.example/?x=", "localhost"), ("me@evil.example", "localhost"), ("", "localhost"),
  ])
  func linksAreToHosts(_ host: String, _ shown: String) async throws {
    try await ServedDay.run { served in
      let body = EventValue.object(["name": "nils", "role": "operator"])
      let answer = try await served.client.executeRequest(
        uri: "/api/v1/invitations", method: .post,
        headers: [.authorization: "Bearer \(served.tokens["olga"]?.text ?? "")"],
        body: ByteBuffer(string: body.text), host: host)
      let link = EventValue(String(buffer: answer.body))?["link"]?.string
      #expect(link?.hasPrefix("http://\(shown)/#") == true, "\(link ?? "")")
    }
  }

  @Test func linksUseConfiguredURL() async throws {
    var options = DayOptions()
    options.publicURL = "https://lab.example.org/day"
    let day = try TestDay(options: options)
    let owner = try await day.token(.owner)
    try await day.serve { client in
      let invited = try await client.send(
        .post, "/invitations", owner, ["name": "nils", "role": "operator"])
      #expect(
        invited.json["link"]?.string?.hasPrefix("https://lab.example.org/day/#") == true,
        "\(invited.json)")
    }
  }
}
