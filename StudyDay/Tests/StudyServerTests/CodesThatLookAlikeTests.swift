import DayDatabase
import Foundation
import GRDB
import HTTPTypes
import NIOCore
import Testing

@testable import StudyServer

/// Codes of people that would be taken for each other, and who gets around a limit or a second person.
@Suite struct CodesThatLookAlikeTests {
  private let day: TestDay

  init() throws { day = try TestDay() }

  private func names() async throws -> [String] {
    try await day.day.store.read {
      try String.fetchAll($0, sql: "SELECT name FROM subjects ORDER BY id")
    }
  }

  /// With blanks around it, in wide letters, with what nobody sees.
  @Test(arguments: [
    "pa1 ", " pa1", "pa1\u{200B}", "\u{FF50}a1", "pa1\u{FE0F}", "p\u{AD}a1", "pa1\u{A0}",
  ])
  func theSameCodeIsTheSamePerson(_ code: String) async throws {
    let token = try await day.token(.owner)
    try await day.serve { client in
      for subject in ["pa1", code] {
        let result = try await client.enter(token, entry("note", of: subject, ["text": "x"]))
        #expect(result[0]["status"] == "stored", "\(result)")
      }
      var form = ServedDay.form.members
      form["subject"] = .text(code)
      _ = try await client.send(.post, "/slots/1/bookings", token, .object(form))
      let invitation: EventValue = ["name": .text(code), "role": "participant"]
      #expect(try await client.send(.post, "/invitations", token, invitation).status == 201)
    }
    #expect(try await names() == ["pa1"])
    #expect(try await day.count("accounts") == 2)
  }

  /// Cyrillic and Greek letters, and digits that look like letters.
  @Test(arguments: ["pа1", "рa1", "pal", "paI", "pα1"])
  func confusableCodeIsRefused(_ code: String) async throws {
    let token = try await day.token(.owner)
    try await day.serve { client in
      _ = try await client.enter(token, entry("note", of: "pa1", ["text": "x"]))
      let result = try await client.enter(token, entry("note", of: code, ["text": "x"]))
      #expect(result[0]["problem"]?["code"] == "E_DAY_CONFLICT", "\(result)")
      let invitation: EventValue = ["name": .text(code), "role": "participant"]
      #expect(try await client.send(.post, "/invitations", token, invitation).status == 409)
    }
    #expect(try await names() == ["pa1"])
  }

  @Test func theLimitOfSignInsHoldsForEveryPath() async throws {
    let body = ByteBuffer(string: #"{"token": "\#(Token().text)"}"#)
    try await day.serve { client in
      var limited = 0
      for index in 0..<60 {
        let uri = [
          "/api/v1/sign-in", "//api/v1/sign-in", "/api/v1/sign-in/", "/api//v1///sign-in//",
        ]
        let answer = try await client.client.executeRequest(
          uri: uri[index % 4], method: .post, headers: [.contentType: "application/json"],
          body: body)
        #expect([401, 429].contains(answer.status.code), "\(uri[index % 4])")
        limited += answer.status == .tooManyRequests ? 1 : 0
      }
      #expect(limited >= 35)
    }
  }

  /// The second is nobody whom the first just made up.
  @Test func aSecondPersonIsNotInvitedByTheFirst() async throws {
    let operating = try await day.token(.operator)
    let ines = try await day.token(.investigator, "Ines")
    try await day.addPerson("bob")
    day.clock.advance(by: 48 * 3_600_000)
    try await day.serve { client in
      let drink = entry("drink", of: "bob", ["ethanol_g": 40], minute: 47 * 60)
      #expect(try await client.enter(operating, drink)[0]["status"] == "stored")
      let seq = try await client.send(.get, "/people/bob", ines).json["seq"] ?? .null
      let reason: [String: EventValue] = [
        "decision": "released", "advice_seq": seq, "signed": true, "reason": "x",
      ]
      func release(_ token: Token, _ more: [String: EventValue] = [:]) async throws -> (
        Int, EventValue
      ) {
        let answer = try await client.send(
          .post, "/people/bob/release", token, .object(reason.merging(more) { $1 }))
        return (answer.status, answer.json)
      }
      let shill = try await day.day.accounts.invite(
        "Ines' other name", as: .investigator, station: "x", by: "Ines")
      day.clock.advance(by: 60_000)
      #expect(try await release(ines, ["token": .text(shill.text)]).0 == 403)
      let proposal = try await release(ines)
      #expect(proposal.1["asked"]?["by"] == "Ines", "\(proposal)")
      let seen: [String: EventValue] = ["advice_seq": proposal.1["seq"] ?? .null]
      #expect(try await release(shill, seen).0 == 403)
      // Nor somebody who came after it was asked.
      day.clock.advance(by: 60_000)
      let late = try await day.token(.owner, "Late")
      #expect(try await release(late, seen).0 == 403)
    }
  }
}
