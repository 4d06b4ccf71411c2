import DayDatabase
import GRDB
import Hummingbird
@_spi(StudyDay) import StudyStore

extension Route {
  static let notifications = [
    Route(.get, "/people/:subject/written", permitted: .withdrawConsent) { request in
      let subject = request.subject
      let channels = request.store.notificationChannels
      return try await request.read { try NotificationQueue.choice(of: subject, channels, in: $0) }
    },
    Route(.put, "/people/:subject/written", permitted: .withdrawConsent) { request in
      let json = try await request.http.json(request.context)
      var form = try Form(json, "the choice")
      let consent = try form.flag("consent")
      let list = form.value("kinds")
      try form.end()
      guard case .array(let words) = list else { throw Problem(.badValue, "kinds must be a list.") }
      let kinds = words.compactMap { $0.string.flatMap(NotificationKind.init) }
      guard kinds.count == words.count else {
        let names = NotificationKind.allCases.map(\.rawValue).joined(separator: ", ")
        throw Problem(.badValue, "kinds must be some of \(names).")
      }
      guard kinds.isEmpty || consent == true else {
        throw Problem(.badValue, "Nobody is written to without consent (consent: true).")
      }
      let subject = request.subject
      let channels = request.store.notificationChannels
      return try await request.change { desk in
        try desk.chooseNotifications(kinds, for: subject, channels)
        return try NotificationQueue.choice(of: subject, channels, in: desk.db)
      }
    },
  ]
}

extension NotificationQueue {
  fileprivate static func choice(
    of subject: String, _ channels: [String], in db: Database
  ) throws -> EventValue {
    let contact: String? = try db.value(
      "SELECT contact FROM people JOIN subjects ON subjects.id = subject_id WHERE subjects.name = ?",
      [subject])
    return .object([
      "kinds": .array(try chosen(by: subject, in: db).map { .text($0.rawValue) }),
      "known": .array(NotificationKind.allCases.map { .text($0.rawValue) }),
      "ways": .array(channels.map(EventValue.text)),
      "has_address": .bool(contact?.isMailAddress ?? false),
    ])
  }
}

extension BookingDesk {
  fileprivate func chooseNotifications(
    _ kinds: [NotificationKind], for subject: String, _ channels: [String]
  ) throws {
    guard kinds.isEmpty || !channels.isEmpty else {
      throw Problem(
        .closed,
        "This server writes to nobody: it was started without --mail-command and --webhook.")
    }
    let old = try NotificationQueue.chosen(by: subject, in: db)
    let new = NotificationKind.allCases.filter(kinds.contains)
    try db.run(
      """
      UPDATE people SET written = ? WHERE subject_id = (SELECT id FROM subjects WHERE name = ?)
      """, [new.map(\.rawValue).joined(separator: " "), subject])
    guard db.changesCount > 0 else {
      throw Problem(.notFound, "There is no consent of \(subject.quoted): book first.")
    }
    guard old != new else { return }
    func json(_ kinds: [NotificationKind]) -> EventValue {
      .object(["kinds": .array(kinds.map { .text($0.rawValue) })])
    }
    try log("letter.choose", of: subject, old: json(old), new: json(new))
  }
}
