/// Role of an account in the study.
public enum Role: String, CaseIterable, Encodable, Sendable {
  /// May do everything.
  case owner
  /// Responsible for the day: may do everything except manage other people's accounts.
  case investigator
  /// Mixes drinks and takes readings.
  case `operator`
  /// Reads only.
  case viewer
  /// Drinks, and sees only their own data.
  case participant
  /// A screen on a wall: the numbers of the call board, and no reading.
  case wall
}

/// A thing that can be done, which a rule allows or not.
public enum Action: String, CaseIterable, Encodable, Sendable {
  // The day.
  case seeDay = "day.see"
  case seePerson = "person.see"
  case followEvents = "events.follow"
  case enterEntry = "entry.enter"
  /// Vital signs: people report their own.
  case enterVital = "vital.enter"
  case correctEntry = "entry.correct"
  case voidEntry = "entry.void"
  case resolveConflict = "conflict.resolve"
  case discardEntry = "entry.discard"
  case decideRelease = "release.decide"
  // Booking.
  case seeSlots = "slots.see"
  case changeSlots = "slots.change"
  case book = "booking.make"
  case cancelBooking = "booking.cancel"
  case seeBookings = "bookings.see"
  case checkIn = "booking.check-in"
  case noteNoShow = "booking.no-show"
  case changeMeasures = "measures.change"
  case wait = "waiting.join"
  case favour = "favourite.set"
  case seeQueue = "queue.see"
  case joinQueue = "queue.join"
  case callQueue = "queue.call"
  case seeNames = "names.see"
  case withdrawConsent = "consent.withdraw"
  case checkInstrument = "instrument.check"
  // The study.
  case seeReports = "reports.see"
  case seeMetrics = "metrics.see"
  case changeSettings = "settings.change"
  // Accounts.
  case invite = "account.invite"
  case seeAccounts = "accounts.see"
  case revoke = "account.revoke"
  case restore = "account.restore"
}

/// Extent of a permission: the person's own records, or anybody's.
public enum Scope: String, CaseIterable, Encodable, Sendable {
  case own
  case any
}

/// Permissions of every role; no other table exists.
public enum Rules {
  /// Scope of every permitted action of a role; absent actions are not permitted.
  private static let table: [Role: [Action: Scope]] = [
    .owner: all(Action.allCases),
    .investigator: all(Action.allCases.filter { ![.seeAccounts, .revoke, .restore].contains($0) }),
    .operator: all([
      .seeDay, .seePerson, .followEvents, .enterEntry, .enterVital, .correctEntry, .voidEntry,
      .resolveConflict, .discardEntry, .seeSlots, .book, .cancelBooking, .seeBookings, .checkIn,
      .seeQueue, .joinQueue, .callQueue, .noteNoShow, .changeMeasures, .wait, .favour, .seeReports,
      .invite, .checkInstrument,
    ]),
    .viewer: all([.seeQueue, .seeDay, .seePerson, .followEvents, .seeSlots, .favour, .seeReports]),
    .participant: [
      .seeDay: .own, .seePerson: .own, .followEvents: .own, .seeSlots: .any, .book: .own,
      .cancelBooking: .own, .seeBookings: .own, .wait: .own, .favour: .own,
      .withdrawConsent: .own, .enterVital: .own, .seeQueue: .any, .joinQueue: .own,
    ],
    // It has nothing of its own, so that it hears only that a number was called.
    .wall: [.seeQueue: .any, .followEvents: .own],
  ]

  private static func all(_ actions: [Action]) -> [Action: Scope] {
    Dictionary(uniqueKeysWithValues: actions.map { ($0, .any) })
  }

  /// Whether a role may do something to its own or to anybody's.
  public static func allows(_ role: Role, _ action: Action, _ scope: Scope) -> Bool {
    switch table[role]?[action] {
    case .any: true
    case .own: scope == .own
    case nil: false
    }
  }

  /// Returns the scope in which a role may act; nil if it may not at all.
  public static func reach(of role: Role, in action: Action) -> Scope? { table[role]?[action] }
}
