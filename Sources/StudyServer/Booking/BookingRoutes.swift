import Foundation
import GRDB
import HTTPTypes
import Hummingbird
import StudyStore

extension RouterGroup<DayContext> {
  /// Bookings, waiting lists, favourites and what becomes of a booking on its day.
  func addBookingRoutes(_ day: StudyDay) {
    let store = day.store
    get("/slots") { request, context in
      let identity = try context.require(.seeSlots)
      let (page, from) = (try request.page(), try request.moment("from"))
      let to = try request.moment("to")
      let items = try await store.read { db in
        let subject = try identity.subjectNumber(in: db)
        return try Slot.page(page, from: from, to: to, in: db).map {
          try $0.json(for: subject, account: identity.account, in: db)
        }
      }
      return try Response.page(items, page.limit, for: request)
    }
    post("/slots/{id}/bookings") { request, context in
      let (identity, form) = try await context.form(.book, of: request)
      let slot = try context.number("id")
      let booking = try await BookingDesk.open(store, for: identity) { desk in
        try desk.book(slot, form).json(areNamesShown: true, in: desk.db)
      }
      return try Response.json(booking, status: .created)
    }
    post("/slots/{id}/waiting") { request, context in
      let (identity, form) = try await context.form(.wait, of: request)
      let slot = try context.number("id")
      let place = try await BookingDesk.open(store, for: identity) { try $0.wait(for: slot, form) }
      return try Response.json(place, status: .created)
    }
    delete("/slots/{id}/waiting") { request, context in
      let (identity, scope) = try context.reach(.wait)
      let asked = try request.query("subject")
      guard scope == .any || asked == nil || asked == identity.subject else {
        throw Problem(.notAllowed)
      }
      let slot = try context.number("id")
      guard let subject = asked ?? identity.subject else {
        throw Problem(.badRequest, "Say who no longer waits (?subject=).")
      }
      try await BookingDesk.open(store, for: identity) { desk in
        try desk.stopWaiting(for: slot, subject: subject)
        return .null
      }
      return Response(status: .noContent)
    }
    for (method, isFavourite) in [(HTTPRequest.Method.put, true), (.delete, false)] {
      on("/slots/{id}/favourite", method: method) { _, context in
        let (identity, _) = try context.reach(.favour)
        let slot = try context.number("id")
        try await BookingDesk.open(store, for: identity) { desk in
          try desk.setFavourite(isFavourite, slot)
          return .null
        }
        return Response(status: .noContent)
      }
    }
    addBookings(day)
  }

  private func addBookings(_ day: StudyDay) {
    let store = day.store
    get("/bookings") { request, context in
      let (identity, scope) = try context.reach(.seeBookings)
      let limit = Int(try request.number("limit", 1...500) ?? 100)
      let slot = try request.number("slot", 1...Int64.max)
      let after = try request.query("after")
      let start = after.flatMap(UUID.init(uuidString:))
      guard after == nil || start != nil else {
        throw Problem(.badRequest, "after must be the id of a booking.")
      }
      let isMine = try scope == .own || request.query("mine") != nil
      let items = try await store.read { db -> [EventValue] in
        guard !isMine || identity.subject != nil else { return [] }
        return try Booking.page(
          after: start, limit: limit, subject: isMine ? identity.subject : nil, slot: slot, in: db
        ).map { try $0.json(areNamesShown: identity.maySeeNames(of: $0), in: db) }
      }
      return try Response.page(items, limit, for: request)
    }
    get("/bookings/{id}") { request, context in
      let (identity, booking) = try await context.booking(.seeBookings, in: store)
      let json = try await store.read {
        try booking.json(areNamesShown: identity.maySeeNames(of: booking), in: $0)
      }
      return try Response.json(json, taggedFor: request)
    }
    delete("/bookings/{id}") { _, context in
      try await context.change(.cancelBooking, in: store) { try $0.cancel($1) }
    }
    post("/bookings/{id}/check-in") { _, context in
      try await context.change(.checkIn, in: store) { try $0.checkIn($1) }
    }
    post("/bookings/{id}/no-show") { _, context in
      try await context.change(.noteNoShow, in: store) { try $0.noteNoShow($1) }
    }
    get("/bookings/{id}/calendar.ics") { request, context in
      let (_, booking) = try await context.booking(.seeBookings, in: store)
      let now = store.clock.now
      let text = try await store.read { try booking.calendar(at: now, in: $0).text }
      var response = Response.tagged(
        Data(text.utf8), "text/calendar; charset=utf-8", for: request)
      response.headers[.contentDisposition] = "attachment; filename=\"session.ics\""
      return response
    }
  }
}

extension Identity {
  /// The number of the own subject in the database.
  func subjectNumber(in db: Database) throws -> Int64? {
    try subject.flatMap {
      try Int64.fetchOne(db, sql: "SELECT id FROM subjects WHERE name = ?", arguments: [$0])
    }
  }

  fileprivate func maySeeNames(of booking: Booking) -> Bool {
    booking.subject == subject || may(.seeNames)
  }
}

extension DayContext {
  /// Who books or waits, and the form; participants for themselves only.
  fileprivate func form(
    _ action: Action, of request: Request
  ) async throws -> (Identity, BookingForm) {
    let (identity, scope) = try reach(action)
    let form = try BookingForm(try await request.json(EventValue.self, self))
    guard scope == .any || form.subject == nil || form.subject == identity.subject else {
      throw Problem(.notAllowed)
    }
    return (identity, form)
  }

  /// Who asks, and the booking of the path, if they may do something with it.
  fileprivate func booking(
    _ action: Action, in store: DayStore
  ) async throws -> (Identity, Booking) {
    // Who may do it to nobody's hears nothing of whether there is one.
    _ = try reach(action)
    let uuid = try uuid("id")
    let booking = try await store.read { try Booking.find(uuid, in: $0) }
    return (try require(action, of: booking.subject), booking)
  }

  /// Changes the booking of the path.
  fileprivate func change(
    _ action: Action, in store: DayStore,
    _ body: @escaping @Sendable (inout BookingDesk, UUID) throws -> Booking
  ) async throws -> Response {
    let (identity, booking) = try await booking(action, in: store)
    let uuid = booking.uuid
    return try Response.json(
      try await BookingDesk.open(store, for: identity) { desk in
        let changed = try body(&desk, uuid)
        return try changed.json(areNamesShown: identity.maySeeNames(of: changed), in: desk.db)
      })
  }
}
