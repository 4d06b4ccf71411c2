import DayDatabase
import Foundation
import GRDB
import Logging
import ServiceLifecycle
@_spi(StudyDay) import StudyData
@_spi(StudyDay) import StudyStore

/// Kinds of notifications; each goes only to people who chose it.
enum NotificationKind: String, CaseIterable, Encodable, Sendable {
  case place
  case moved
  case cancelled
  case turn
  case release
  case reminder

  var title: String {
    switch self {
    case .place: "You have a place"
    case .moved: "Your session was moved"
    case .cancelled: "Your session is called off"
    case .turn: "It is your turn"
    case .release: "You may go home"
    case .reminder: "Your vital signs today"
    }
  }
}

/// Queue of notifications in the database (table `letters`), filled in the transaction of their cause.
enum NotificationQueue {
  /// Total time of attempts, first and longest wait between two, in ms.
  fileprivate static let (patience, firstWait, longestWait): (Int64, Int64, Int64) = (
    86_400_000, 60_000, 3_600_000
  )

  /// Returns the kinds of notifications that a person chose; none without consent.
  static func chosen(by subject: String, in db: Database) throws -> [NotificationKind] {
    let text: String? = try db.value(
      "SELECT written FROM people JOIN subjects ON subjects.id = subject_id WHERE subjects.name = ?",
      [subject])
    return (text ?? "").split(separator: " ").compactMap { NotificationKind(rawValue: String($0)) }
  }

  /// Queues the notifications that an event causes.
  static func enqueue(_ event: Event, _ ways: [String], at now: Int64, in db: Database) throws {
    lazy var new = event.newValue
    func add(_ kind: NotificationKind, _ text: String, to subject: String) throws {
      try enqueue(kind, text, to: subject, about: "\(event.seq)", ways, at: now, in: db)
    }
    func addSession(_ kind: NotificationKind) throws {
      guard let subject = event.subject, let record = event.record else { return }
      try add(kind, "\(description(Booking.find(record, in: db).slot, in: db)).", to: subject)
    }
    switch event.action {
    case "booking.move-up": try addSession(.place)
    // No notification to the person who cancelled.
    case "booking.cancel" where try !isOwn(event, in: db): try addSession(.cancelled)
    case "slots.change":
      guard case .integer(let start) = new["starts_ms"], case .integer(let slot) = new["id"],
        event.oldValue["starts"]?.string != ISOTime.text(start)
      else { return }
      for booking in try Booking.page(after: nil, limit: .max, slot: slot, in: db)
      where booking.state == "booked" {
        try add(.moved, "It is now \(description(slot, in: db)).", to: booking.subject)
      }
    case "call.next":
      guard let subject = event.subject, case .integer(let number) = new["number"] else { return }
      try add(
        .turn, "Number \(number) is called to \(new["place"]?.string ?? "the desk").", to: subject)
    case "release.decide" where new["decision"]?.string == "released":
      guard let subject = event.subject else { return }
      try add(.release, "It was signed that you may go home. Do not drive.", to: subject)
    default: break
    }
  }

  private static func isOwn(_ event: Event, in db: Database) throws -> Bool {
    try db.has(
      """
      SELECT 1 FROM accounts JOIN subjects ON subjects.id = subject_id
      WHERE accounts.name = ? AND subjects.name = ?
      """, [event.actor, event.subject])
  }

  /// Describes a session and its time, on the clock of the server.
  private static func description(_ slot: Int64, in db: Database) throws -> String {
    let slot = try Slot.find(slot, in: db)
    let zone = ClockZone.current
    let local = ISOTime.stored(Int64(zone.local(at: Int(slot.starts / 1000))) * 1000).prefix(16)
    return "\(slot.title), \(local) (\(zone.name)), \(slot.location)"
  }

  /// Queues a notification once for each channel, if its subject chose the kind.
  static func enqueue(
    _ kind: NotificationKind, _ text: String, to subject: String, about: String, _ ways: [String],
    at now: Int64, in db: Database
  ) throws {
    guard try chosen(by: subject, in: db).contains(kind) else { return }
    for way in ways {
      try db.run(
        """
        INSERT INTO letters (subject_id, kind, way, about, text, made_ms, next_ms)
        SELECT id, ?1, ?2, ?3, ?4, ?5, ?5 FROM subjects WHERE name = ?6 ON CONFLICT DO NOTHING
        """, [kind.rawValue, way, about, text, now, subject])
    }
  }
}

/// Delivers queued notifications, one at a time per channel, and logs each outcome.
struct NotificationDelivery: Service {
  let store: DayStore
  let mail: MailCommand?
  let webhook: Webhook?
  let logger: Logger
  var interval = Duration.seconds(3)

  private struct Notification: Sendable {
    var id: Int64
    /// Subject of the notification; nil if it concerns nobody.
    var subject: String?
    /// Receiving account of staff; nil if the subject receives it.
    var account: String?
    var kind: String
    var title: String
    var way: String
    var about: String
    var text: String
    var made: Int64
    var tries: Int64
    /// Address and name; both nil once consent is withdrawn. Staff may have no address.
    var contact: String?
    var name: String?
    /// Reason not to send it any longer.
    var whyNot: String?

    init?(_ row: SafeRow) {
      kind = row["kind"]
      account = row["account"]
      let title =
        account == nil ? NotificationKind(rawValue: kind)?.title : StaffAlert(rawValue: kind)?.title
      guard let title else { return nil }
      self.title = title
      id = row["id"]
      subject = row["subject"]
      way = row["way"]
      about = row["about"]
      text = row["text"]
      made = row["made_ms"]
      tries = row["tries"]
      contact = row["contact"]
      name = row["name"]
      if account == nil, contact == nil { whyNot = "the consent was withdrawn" }
      if account != nil, row["is_wanted"] as Int64? != 1 {
        whyNot = "nobody is to be told any longer"
      }
    }

    /// Shortens the answer of the receiving side and removes the address from it.
    func withoutContact(_ text: String) -> String {
      guard let contact, !contact.isEmpty else { return String(text.prefix(300)) }
      return String(text.replacing(contact, with: "...").prefix(300))
    }
  }

  func run() async throws {
    await cancelWhenGracefulShutdown {
      // A channel that does not answer delays only itself.
      await withTaskGroup { group in
        for way in ways {
          group.addTask {
            while (try? await Task.sleep(for: interval)) != nil { await deliver(way) }
          }
        }
      }
    }
  }

  private var ways: [String] {
    (mail == nil ? [] : ["mail"]) + (webhook == nil ? [] : ["webhook"])
  }

  /// Delivers all notifications that are due.
  func deliver() async {
    for way in ways { await deliver(way) }
  }

  private func deliver(_ way: String) async {
    let now = store.clock.now
    let due = try? await store.read { db in
      try db.rows(
        """
        SELECT letters.*, subjects.name AS subject, accounts.name AS account,
          ifnull(contact, address) AS contact, ifnull(people.name, accounts.name) AS name,
          alerts.account_id IS NOT NULL AND accounts.revoked_ms IS NULL AS is_wanted
        FROM letters LEFT JOIN subjects ON subjects.id = letters.subject_id
          LEFT JOIN people ON people.subject_id = letters.subject_id AND letters.account_id IS NULL
          LEFT JOIN accounts ON accounts.id = letters.account_id
          LEFT JOIN alerts ON alerts.account_id = letters.account_id
        WHERE state = 'waiting' AND next_ms <= ? AND way = ? ORDER BY letters.id LIMIT 50
        """, [now, way]
      ).compactMap(Notification.init)
    }
    for notification in due ?? [] where !Task.isCancelled { await deliver(notification) }
  }

  private func deliver(_ notification: Notification) async {
    let now = store.clock.now
    do {
      if let whyNot = notification.whyNot { throw DeliveryFailure(reason: whyNot, isFinal: true) }
      let answer: String?
      switch notification.way {
      case "mail":
        answer = nil
        guard let contact = notification.contact else {
          throw DeliveryFailure(reason: "there is no address any longer", isFinal: true)
        }
        let place = notification.account == nil ? "the page Booking" : "any page, at your name"
        try await mail?.send(
          "\(notification.title).\n\n\(notification.text)\n\nYou chose to be written to about this, and can choose anew on \(place).\n",
          subject: notification.title, id: "letter-\(notification.id)-\(notification.made)",
          to: contact,
          name: notification.name ?? "", at: now)
      default:
        var post: [String: EventValue] = [
          "kind": .text(notification.kind), "title": .text(notification.title),
          "text": .text(notification.text),
          "at": .text(ISOTime.text(notification.made)),
        ]
        post["subject"] = notification.subject.map(EventValue.text)
        post["account"] = notification.account.map(EventValue.text)
        answer = try await webhook?.post(.object(post), id: "\(notification.id)", at: now)
      }
      await recordOutcome(of: notification, "sent", answer ?? "")
    } catch {
      let failure = error as? DeliveryFailure
      let reason = notification.withoutContact(failure?.reason ?? "\(type(of: error))")
      guard failure?.isFinal != true, now - notification.made < NotificationQueue.patience else {
        return await recordOutcome(of: notification, "failed", reason)
      }
      logger.warning(
        "a letter waits", metadata: ["way": "\(notification.way)", "because": "\(reason)"])
      let requested =
        (failure?.wait).map { 1000 * min(max($0, 0), NotificationQueue.longestWait / 1000) } ?? 0
      let wait = max(
        requested,
        min(
          NotificationQueue.firstWait << min(notification.tries, 10), NotificationQueue.longestWait)
      )
      _ = try? await store.change { change in
        try change.db.run(
          "UPDATE letters SET tries = tries + 1, next_ms = ? WHERE id = ?",
          [change.now + wait, notification.id])
      }
    }
  }

  /// Logs the outcome of a notification, without the address, and takes it off the queue.
  private func recordOutcome(of notification: Notification, _ state: String, _ answer: String) async
  {
    _ = try? await store.change { change in
      try change.db.run("UPDATE letters SET state = ? WHERE id = ?", [state, notification.id])
      var new: [String: EventValue] = [
        "kind": .text(notification.kind), "way": .text(notification.way),
        "text": .text(notification.text),
        "about": .text(notification.about), "arrived": .bool(state == "sent"),
      ]
      new["account"] = notification.account.map(EventValue.text)
      new["answer"] = .text(
        notification.withoutContact(answer).filter { !$0.isNewline && $0.isASCII && $0 != "\0" })
      // What staff were told is no change of whom it is about.
      let subject = notification.account == nil ? notification.subject : nil
      try change.log(
        Event(actor: "server", action: "letter.\(state)", subject: subject, new: .object(new)))
    }
  }
}

/// Reason of a failed delivery.
struct DeliveryFailure: Error {
  var reason: String
  /// True if another attempt cannot succeed.
  var isFinal = false
  /// Earliest time of the next attempt, in s from now.
  var wait: Int64?
}
