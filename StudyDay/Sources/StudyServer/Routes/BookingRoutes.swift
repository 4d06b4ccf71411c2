import DayDatabase
import Foundation
import HTTPTypes
import Hummingbird

extension Route {
  static let bookings =
    [
      Route(.get, "/slots", permitted: .seeSlots) { request in
        let from = try request.http.moment("from")
        let to = try request.http.moment("to")
        return try await request.list { page, db in
          let subject = try request.identity.subjectNumber(in: db)
          return try Slot.page(page, from: from, to: to, in: db).map {
            try $0.json(for: subject, account: request.identity.account, in: db)
          }
        }
      },
      Route(.post, "/slots/{id}/bookings", reaching: .book) { request in
        let form = try await request.bookingForm()
        let slot = try request.number()
        return try await request.change(status: .created) { desk in
          try desk.book(slot, form).json(areNamesShown: true, in: desk.db)
        }
      },
      Route(.post, "/slots/{id}/waiting", reaching: .wait) { request in
        let form = try await request.bookingForm()
        let slot = try request.number()
        return try await request.change(status: .created) { try $0.wait(for: slot, form) }
      },
      Route(.delete, "/slots/{id}/waiting", reaching: .wait) { request in
        let named = try request.http.query("subject")
        try request.requireOwn(named)
        let slot = try request.number()
        guard let subject = named ?? request.identity.subject else {
          throw Problem(.badRequest, "Say who no longer waits (?subject=).")
        }
        return try await request.changeSilently { try $0.stopWaiting(for: slot, subject: subject) }
      },
      Route(.put, "/slots/{id}/favourite", reaching: .favour) { request in
        let slot = try request.number()
        return try await request.changeSilently { try $0.setFavourite(true, slot) }
      },
      Route(.delete, "/slots/{id}/favourite", reaching: .favour) { request in
        let slot = try request.number()
        return try await request.changeSilently { try $0.setFavourite(false, slot) }
      },
      Route(.get, "/bookings", reaching: .seeBookings) { request in
        let http = request.http
        let limit = Int(try http.number("limit", 1...500) ?? 100)
        let slot = try http.number("slot", 1...Int64.max)
        let after = try http.query("after")
        let start = after.flatMap(UUID.init(uuidString:))
        guard after == nil || start != nil else {
          throw Problem(.badRequest, "after must be the id of a booking.")
        }
        let identity = request.identity
        let isMine = try request.scope == .own || http.query("mine") != nil
        let items = try await request.store.read { db -> [EventValue] in
          guard !isMine || identity.subject != nil else { return [] }
          return try Booking.page(
            after: start, limit: limit, subject: isMine ? identity.subject : nil, slot: slot, in: db
          ).map { try $0.json(areNamesShown: identity.maySeeNames(of: $0), in: db) }
        }
        return try Response.page(items, limit, for: http)
      },
      Route(.get, "/bookings/{id}", reaching: .seeBookings) { request in
        let booking = try await request.booking(.seeBookings)
        return try await request.read {
          try booking.json(areNamesShown: request.identity.maySeeNames(of: booking), in: $0)
        }
      },
      Route(.delete, "/bookings/{id}", reaching: .cancelBooking) { request in
        try await request.changeBooking(.cancelBooking) { try $0.cancel($1) }
      },
      Route(.post, "/bookings/{id}/check-in", reaching: .checkIn) { request in
        let isSure = try request.http.query("sure") != nil
        return try await request.changeBooking(.checkIn) { try $0.checkIn($1, isSure: isSure) }
      },
      Route(.delete, "/bookings/{id}/check-in", reaching: .checkIn) { request in
        try await request.changeBooking(.checkIn) { try $0.undoCheckIn($1) }
      },
      Route(.post, "/bookings/{id}/no-show", reaching: .noteNoShow) { request in
        try await request.changeBooking(.noteNoShow) { try $0.noteNoShow($1) }
      },
      Route(.get, "/bookings/{id}/calendar.ics", reaching: .seeBookings) { request in
        let booking = try await request.booking(.seeBookings)
        let now = request.store.clock.now
        let text = try await request.store.read { try booking.calendar(at: now, in: $0).text }
        var response = Response.tagged(
          Data(text.utf8), "text/calendar; charset=utf-8", for: request.http)
        response.headers[.contentDisposition] = "attachment; filename=\"session.ics\""
        return response
      },
      Route(.get, "/people/:subject/measures", permitted: .changeMeasures) { request in
        try Response.json(
          try await request.store.read { try KnownMeasures(of: request.subject, in: $0).json })
      },
      Route(.patch, "/people/:subject/measures", permitted: .changeMeasures) { request in
        var form = try await request.form("the measures")
        let measures = try Measures(&form)
        let base = try form.integer("base", 0...Int64.max)
        guard let reason = try form.text("reason", 1...500), !reason.isBlank else {
          throw Problem(.noReason)
        }
        try form.end()
        return try await request.change {
          try $0.setMeasures(of: request.subject, measures, base: base, because: reason)
        }
      },
      Route(.delete, "/people/:subject/consent", permitted: .withdrawConsent) { request in
        let response = try await request.changeSilently {
          try $0.withdrawConsent(of: request.subject)
        }
        await request.store.emptyLog()
        return response
      },
      Route(.get, open: "/feed.json") { request, context, day in
        try Response.json(try await day.feed(context), taggedFor: request)
      },
      Route(.get, open: "/feed.xml") { request, context, day in
        Response.tagged(
          Data(try await day.feed(context).xml.utf8), "application/xml; charset=utf-8", for: request
        )
      },
    ] + Offer.allCases.flatMap(offers)

  private static func offers(_ offer: Offer) -> [Route] {
    let path = "/\(offer.path)"
    let seeing = Route(.get, path, permitted: .seeSlots) { request in
      try await request.list { try offer.page($0, in: $1) }
    }
    return (offer == .slots ? [] : [seeing]) + [
      Route(.post, path, permitted: .changeSlots) { request in
        let json = try await request.http.json(request.context)
        let name = "the \(offer.word)"
        guard offer == .slots, case .array(let starts) = json["starts"] else {
          let change = try OfferChange(offer, Form(json, name), isNew: true)
          return try await request.change(status: .created) { try $0.make(change) }
        }
        guard 1...200 ~= starts.count, case .object(let members) = json else {
          throw Problem(.badValue, "starts in \(name) must be a time, or a list of 1 to 200.")
        }
        let changes = try starts.map { start in
          let slot = EventValue.object(members.merging(["starts": start]) { $1 })
          return try OfferChange(offer, Form(slot, name), isNew: true)
        }
        // All or none: a transaction.
        return try await request.change(status: .created) { desk in
          .object(["items": .array(try changes.map(desk.make))])
        }
      },
      Route(.patch, "\(path)/{id}", permitted: .changeSlots) { request in
        let id = try request.number()
        let change = try OfferChange(
          offer, try await request.form("the \(offer.word)"), isNew: false)
        return try await request.change { try $0.change(id, change) }
      },
    ]
  }
}

extension Identity {
  fileprivate func maySeeNames(of booking: Booking) -> Bool {
    booking.subject == subject || may(.seeNames)
  }
}

extension AuthorisedRequest {
  /// Refuses another subject than the account's own without a wider scope.
  fileprivate func requireOwn(_ subject: String?) throws(Problem) {
    guard scope == .any || subject == nil || subject == identity.subject else {
      throw Problem(.notAllowed)
    }
  }

  /// Reads a booking form; participants book or wait only for themselves.
  fileprivate func bookingForm() async throws -> BookingForm {
    let form = try BookingForm(try await http.json(context))
    try requireOwn(form.subject)
    return form
  }

  fileprivate func booking(_ action: Action) async throws -> Booking {
    guard let uuid = context.parameters.get("id").flatMap(UUID.init(uuidString:)) else {
      throw Problem(.notFound)
    }
    let booking = try await store.read { try Booking.find(uuid, in: $0) }
    try identity.require(action, of: booking.subject)
    return booking
  }

  fileprivate func changeBooking(
    _ action: Action, _ body: @escaping @Sendable (BookingDesk, UUID) throws -> Booking
  ) async throws -> Response {
    let uuid = try await booking(action).uuid
    return try await change { desk in
      let changed = try body(desk, uuid)
      return try changed.json(
        areNamesShown: desk.identity.maySeeNames(of: changed), in: desk.db)
    }
  }
}

extension StudyDay {
  /// Returns the feed: for accounts that may see slots, and without sign-in as far as the owner allows.
  fileprivate func feed(_ context: DayContext) async throws -> Feed {
    let now = store.clock.now
    let isPublic = context.identity == nil
    try context.identity?.require(.seeSlots)
    let feed = try await store.read { try Feed(from: now, isPublic: isPublic, in: $0) }
    if isPublic, feed.sites.isEmpty { throw Problem(.noIdentity) }
    return feed
  }
}
