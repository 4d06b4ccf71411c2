import DayDatabase
import Foundation
import HTTPTypes
@_spi(StudyDay) import StudyStore
import Testing

@testable import StudyServer

/// The rules of booking, reports and administration, cell by cell, against the routes.
@Suite struct BookingRulesTests {
  /// A request, what it does, and whose it is about.
  struct Cell: Sendable, CustomTestStringConvertible {
    var method: HTTPRequest.Method
    var path: String
    var action: Action
    var subject: String?
    var body: EventValue?
    /// Whether who may do it to nothing but their own gets an answer without the others'.
    var isOwnEnough = false

    var testDescription: String { "\(method) \(path)" }
  }

  static let nobody = "00000000-0000-4000-8000-000000000000"

  /// `{own}` and `{other}` stand for bookings of p01 and p02.
  static let cells: [Cell] = [
    Cell(method: .get, path: "/sites", action: .seeSlots),
    Cell(method: .get, path: "/labs", action: .seeSlots),
    Cell(method: .get, path: "/session-types", action: .seeSlots),
    Cell(method: .get, path: "/slots", action: .seeSlots),
    Cell(method: .post, path: "/sites", action: .changeSlots, body: ["name": "S"]),
    Cell(method: .post, path: "/labs", action: .changeSlots, body: ["name": "S", "site": 1]),
    Cell(method: .post, path: "/session-types", action: .changeSlots, body: [:]),
    Cell(method: .post, path: "/slots", action: .changeSlots, body: [:]),
    Cell(method: .patch, path: "/sites/1", action: .changeSlots, body: [:]),
    Cell(method: .patch, path: "/labs/1", action: .changeSlots, body: [:]),
    Cell(method: .patch, path: "/session-types/1", action: .changeSlots, body: [:]),
    Cell(method: .patch, path: "/slots/1", action: .changeSlots, body: [:]),
    Cell(
      method: .post, path: "/slots/1/bookings", action: .book, subject: "p01",
      body: form(of: "p01")),
    Cell(
      method: .post, path: "/slots/1/bookings", action: .book, subject: "p02",
      body: form(of: "p02")),
    Cell(
      method: .post, path: "/slots/1/waiting", action: .wait, subject: "p01",
      body: form(of: "p01")),
    Cell(
      method: .post, path: "/slots/1/waiting", action: .wait, subject: "p02",
      body: form(of: "p02")),
    Cell(method: .delete, path: "/slots/1/waiting?subject=p01", action: .wait, subject: "p01"),
    Cell(method: .delete, path: "/slots/1/waiting?subject=p02", action: .wait, subject: "p02"),
    Cell(
      method: .delete, path: "/people/p01/consent", action: .withdrawConsent, subject: "p01"),
    Cell(
      method: .delete, path: "/people/p02/consent", action: .withdrawConsent, subject: "p02"),
    Cell(method: .put, path: "/slots/1/favourite", action: .favour, isOwnEnough: true),
    Cell(method: .delete, path: "/slots/1/favourite", action: .favour, isOwnEnough: true),
    Cell(method: .get, path: "/bookings", action: .seeBookings, isOwnEnough: true),
    Cell(method: .get, path: "/bookings/{own}", action: .seeBookings, subject: "p01"),
    Cell(method: .get, path: "/bookings/{other}", action: .seeBookings, subject: "p02"),
    Cell(method: .get, path: "/bookings/{own}/calendar.ics", action: .seeBookings, subject: "p01"),
    Cell(
      method: .get, path: "/bookings/{other}/calendar.ics", action: .seeBookings, subject: "p02"),
    Cell(method: .post, path: "/bookings/{own}/check-in", action: .checkIn, subject: "p01"),
    Cell(method: .delete, path: "/bookings/{own}/check-in", action: .checkIn, subject: "p01"),
    Cell(method: .post, path: "/bookings/{own}/no-show", action: .noteNoShow, subject: "p01"),
    Cell(method: .delete, path: "/bookings/{own}", action: .cancelBooking, subject: "p01"),
    Cell(method: .delete, path: "/bookings/{other}", action: .cancelBooking, subject: "p02"),
    Cell(method: .get, path: "/notices", action: .seeDay, isOwnEnough: true),
    Cell(method: .get, path: "/reports/2026-05-01", action: .seeReports),
    Cell(method: .post, path: "/invitations", action: .invite, body: [:]),
    Cell(method: .get, path: "/accounts", action: .seeAccounts),
    Cell(method: .get, path: "/accounts/1", action: .seeAccounts),
    Cell(method: .delete, path: "/accounts/99", action: .revoke),
    Cell(method: .post, path: "/accounts/99/restore", action: .restore),
    Cell(method: .delete, path: "/tokens/99", action: .revoke),
    Cell(method: .get, path: "/settings", action: .changeSettings),
    Cell(method: .patch, path: "/settings", action: .changeSettings, body: [:]),
  ]

  private static func form(of subject: String) -> EventValue {
    .object(ServedDay.form.members.merging(["subject": .text(subject)]) { $1 })
  }

  @Test(arguments: cells)
  func routesKeepToTheTable(_ cell: Cell) async throws {
    try await ServedDay.run { served in
      let slot = try await served.makeSlot(places: 2)
      #expect(slot == 1)
      var path = cell.path
      for (mark, name) in [("{own}", "p01"), ("{other}", "p02")] where path.contains(mark) {
        let id = try await served.book(slot, as: name).json["id"]?.string
        path = path.replacing(mark, with: try #require(id))
      }
      let stranger = try await served.send(cell.method, path, cell.body)
      #expect(stranger.status == 401 && stranger.code == "E_DAY_NO_IDENTITY")
      let forged = try await served.send(
        cell.method, path, as: "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", cell.body)
      #expect(forged.status == 401)
      for (name, role) in ServedDay.accounts where name != "p02" && name != "p03" {
        let isOwn = cell.subject == name
        let reach = Rules.reach(of: role, in: cell.action)
        let isAllowed = reach == .any || reach == .own && (isOwn || cell.isOwnEnough)
        let answer = try await served.send(cell.method, path, as: name, cell.body)
        #expect((answer.status == 403) == !isAllowed, "\(name): \(answer.status) \(answer.text)")
        #expect(answer.status != 401 && answer.status < 500, "\(name): \(answer.text)")
      }
    }
  }

  @Test func nobodyInvitesAboveThemselves() async throws {
    try await ServedDay.run { served in
      for (name, role, status) in [
        ("ines", "owner", 403), ("ines", "investigator", 403), ("ines", "operator", 201),
        ("olga", "owner", 201), ("oskar", "viewer", 403),
      ] {
        let invited = try await served.send(
          .post, "/invitations", as: name,
          ["name": .text("new \(name) \(role)"), "role": .text(role)])
        #expect(invited.status == status, "\(name) invites \(role): \(invited.text)")
      }
      let person = try await served.send(
        .post, "/invitations", as: "ines", ["name": "olga", "role": "operator"])
      #expect(person.status == 422, "an account keeps its role")
    }
  }
}
