import DayDatabase
import GRDB
import Hummingbird
@_spi(StudyDay) import StudyStore

/// Alert for staff outside an open page, sent to those who chose it.
enum StaffAlert: String, CaseIterable, Encodable, Sendable {
  /// A reading is late by one interval.
  case due
  case vital
  case device

  /// Returns the alert for a notice; nil if it is only shown on pages.
  init?(_ notice: Notice) {
    switch notice.kind {
    case .due where notice.importance >= 4: self = .due
    case .vital: self = .vital
    case .device: self = .device
    default: return nil
    }
  }

  var title: String {
    switch self {
    case .due: "A reading is late"
    case .vital: "A vital sign is beyond a limit"
    case .device: "A device is silent"
    }
  }

  /// Returns the active accounts that chose an alert, with their addresses.
  static func who(
    wants alert: StaffAlert, in db: Database
  ) throws -> [(account: Int64, address: String?)] {
    try db.rows(
      """
      SELECT account_id, address FROM alerts JOIN accounts ON accounts.id = account_id
      WHERE revoked_ms IS NULL AND ' ' || kinds || ' ' LIKE '% ' || ? || ' %' ORDER BY account_id
      """, [alert.rawValue]
    ).map { ($0["account_id"], $0["address"]) }
  }
}

extension NotificationQueue {
  /// Shortest time between two alerts of the same kind and person, in ms: a monitor may measure each second.
  static let quiet: Int64 = 900_000

  /// Queues an alert for each account that chose it, unless it was sent before or a similar one was just sent.
  static func enqueue(
    _ alert: StaffAlert, _ notice: Notice, _ ways: [String], at now: Int64, in db: Database
  ) throws {
    let topic = "\(alert.rawValue) \(notice.topic) "
    for (account, address) in try StaffAlert.who(wants: alert, in: db) {
      for way in ways where way != "mail" || address != nil {
        try db.run(
          """
          INSERT INTO letters (subject_id, account_id, kind, way, about, text, made_ms, next_ms)
          SELECT (SELECT id FROM subjects WHERE name = ?1), ?2, ?3, ?4, ?5, ?6, ?7, ?7
          WHERE NOT EXISTS (
            SELECT 1 FROM letters WHERE account_id = ?2 AND way = ?4 AND kind = ?3
              AND subject_id IS (SELECT id FROM subjects WHERE name = ?1)
              AND substr(about, 1, length(?8)) = ?8 AND made_ms > ?9)
          ON CONFLICT DO NOTHING
          """,
          [
            notice.subject, account, alert.rawValue, way, topic + notice.since, notice.text, now,
            topic, now - quiet,
          ])
      }
    }
  }
}

/// Alerts that a member of staff chose.
private struct AlertChoice: Sendable {
  var kinds: [StaffAlert]
  var address: String?

  init(_ form: Form) throws(Problem) {
    var form = form
    guard case .array(let words) = form.value("kinds") else {
      throw Problem(.badValue, "kinds must be a list.")
    }
    let chosen = words.compactMap { $0.string.flatMap { StaffAlert(rawValue: $0) } }
    guard chosen.count == words.count else {
      let known = StaffAlert.allCases.map(\.rawValue).joined(separator: ", ")
      throw Problem(.badValue, "kinds must be some of \(known).")
    }
    kinds = StaffAlert.allCases.filter(chosen.contains)
    address = try form.text("address", 3...254)
    try form.end()
    guard address?.isMailAddress ?? true else {
      throw Problem(.badValue, "address must be an address of mail.")
    }
  }

  init(of account: Int64, in db: Database) throws {
    let row = try db.row("SELECT kinds, address FROM alerts WHERE account_id = ?", [account])
    let text: String = row?["kinds"] ?? ""
    kinds = text.split(separator: " ").compactMap { StaffAlert(rawValue: String($0)) }
    address = row?["address"]
  }

  func json(_ ways: [String]) -> EventValue {
    var members: [String: EventValue] = [
      "kinds": Self.list(kinds.map(\.rawValue)), "ways": Self.list(ways),
      "known": Self.list(StaffAlert.allCases.map(\.rawValue)),
    ]
    members["address"] = address.map(EventValue.text)
    return .object(members)
  }

  static func list(_ words: [String]) -> EventValue { .array(words.map(EventValue.text)) }
}

extension Route {
  static let alerts = [
    Route(.get, "/me/alerts", permitted: .seeReports) { request in
      let (account, ways) = (request.identity.account, request.store.notificationChannels)
      return try await request.read { try AlertChoice(of: account, in: $0).json(ways) }
    },
    Route(.put, "/me/alerts", permitted: .seeReports) { request in
      let choice = try AlertChoice(try await request.form("the choice"))
      let ways = request.store.notificationChannels
      guard choice.kinds.isEmpty || !ways.isEmpty else {
        throw Problem(
          .closed,
          "This server writes to nobody: it was started without --mail-command and --webhook.")
      }
      guard choice.kinds.isEmpty || choice.address != nil || ways.contains("webhook") else {
        throw Problem(.badValue, "Give the address of mail that is to be written to.")
      }
      return try await request.change { desk in
        try desk.choose(choice)
        return choice.json(ways)
      }
    },
  ]
}

extension BookingDesk {
  /// Stores the choice of the account; the address is not logged.
  fileprivate func choose(_ choice: AlertChoice) throws {
    let old = try AlertChoice(of: identity.account, in: db)
    try db.run(
      """
      INSERT INTO alerts (account_id, kinds, address) VALUES (?1, ?2, ?3)
        ON CONFLICT DO UPDATE SET kinds = ?2, address = ?3
      """, [identity.account, choice.kinds.map(\.rawValue).joined(separator: " "), choice.address])
    guard old.kinds != choice.kinds || old.address != choice.address else { return }
    func json(_ choice: AlertChoice) -> EventValue {
      .object(["kinds": AlertChoice.list(choice.kinds.map(\.rawValue))])
    }
    try log("letter.choose", old: json(old), new: json(choice))
  }
}
