import Hummingbird

extension Route {
  static let queue = [
    Route(.get, "/queue", reaching: .seeQueue) { try await $0.board() },
    Route(.post, "/queue", reaching: .joinQueue) { request in
      var form = try await request.form("the number")
      let given = try form.text("subject", 1...80)
      try form.end()
      let subject = given ?? request.identity.subject
      guard request.scope == .any || subject != nil && subject == request.identity.subject else {
        throw Problem(.notAllowed)
      }
      return try await request.board { try $0.drawNumber(for: subject) }
    },
    Route(.post, "/queue/next", reaching: .callQueue) { request in
      var form = try await request.form("the call")
      let desk = try form.required("place", form.text("place", 1...40))
      try form.end()
      return try await request.board { try $0.callNext(to: desk) }
    },
    Route(.delete, "/queue/{number}", reaching: .joinQueue) { request in
      let number = try request.number("number")
      return try await request.board { try $0.endNumber(number) }
    },
  ]
}

extension AuthorisedRequest {
  /// The board, once something was changed.
  fileprivate func board(
    after body: (@Sendable (BookingDesk) throws -> Void)? = nil
  ) async throws -> Response {
    let identity = identity
    if let body {
      return try Response.json(
        try await store.change { change in
          try body(BookingDesk(change: change, identity: identity))
          return try CallBoard(for: identity, at: change.now, in: change.db)
        })
    }
    let now = store.clock.now
    return try Response.json(
      try await store.read { try CallBoard(for: identity, at: now, in: $0) })
  }
}
