import DayDatabase
import Foundation
import GRDB
import Logging
import ServiceLifecycle
@_spi(StudyDay) import StudyData
@_spi(StudyDay) import StudyStore

/// What people are written to about, each only who chose it.
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

/// Letters wait in the database, from the transaction of their cause until they have arrived or are given up.
enum NotificationQueue {
  /// How long it is tried, in ms, and after what time again.
  fileprivate static let (patience, firstWait, longestWait): (Int64, Int64, Int64) = (
    86_400_000, 60_000, 3_600_000
  )

  /// What a person chose to be written to about; nothing without consent.
  static func chosen(by subject: String, in db: Database) throws -> [NotificationKind] {
    let text: String? = try db.value(
      "SELECT written FROM people JOIN subjects ON subjects.id = subject_id WHERE subjects.name = ?",
      [subject])
    return (text ?? "").split(separator: " ").compactMap { NotificationKind(rawValue: String($0)) }
  }

  /// Lays a letter ready for whoever an event concerns.
  static func follow(_ event: Event, _ ways: [String], at now: Int64, in db: Database) throws {
    lazy var new = event.newValue
    func add(_ kind: NotificationKind, _ text: String, to subject: String) throws {
      try Self.add(kind, text, to: subject, about: "\(event.seq)", ways, at: now, in: db)
    }
    func addSession(_ kind: NotificationKind) throws {
      guard let subject = event.subject, let record = event.record else { return }
      try add(kind, "\(words(Booking.find(record, in: db).slot, in: db)).", to: subject)
    }
    switch event.action {
    case "booking.move-up": try addSession(.place)
    // Who cancels knows it.
    case "booking.cancel" where try !isOwn(event, in: db): try addSession(.cancelled)
    case "slots.change":
      guard case .integer(let start) = new["starts_ms"], case .integer(let slot) = new["id"],
        event.oldValue["starts"]?.string != ISOTime.text(start)
      else { return }
      for booking in try Booking.page(after: nil, limit: .max, slot: slot, in: db)
      where booking.state == "booked" {
        try add(.moved, "It is now \(words(slot, in: db)).", to: booking.subject)
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

  /// What a session is and when, on the clock of the server.
  private static func words(_ slot: Int64, in db: Database) throws -> String {
    let slot = try Slot.find(slot, in: db)
    let zone = ClockZone.current
    let local = ISOTime.stored(Int64(zone.local(at: Int(slot.starts / 1000))) * 1000).prefix(16)
    return "\(slot.title), \(local) (\(zone.name)), \(slot.location)"
  }

  /// Lays a letter ready, once for each way; nobody is written to who did not choose it.
  static func add(
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

/// Takes letters to where they go, of each way one after the other, and notes in the log what became of each.
struct NotificationDelivery: Service {
  let store: DayStore
  let mail: MailCommand?
  let webhook: Webhook?
  let logger: Logger
  var interval = Duration.seconds(3)

  private struct Notification: Sendable {
    var id: Int64
    /// Whom it is about; nil for what is about nobody.
    var subject: String?
    /// The member of staff whom it is for; nil if it is for its subject.
    var account: String?
    var kind: String
    var title: String
    var way: String
    var about: String
    var text: String
    var made: Int64
    var tries: Int64
    /// Nil once the consent is withdrawn, as the name; and if staff gave none.
    var contact: String?
    var name: String?
    /// Why nobody is to have it any longer.
    var whyNot: String?

    init?(_ row: SafeRow) {
      kind = row["kind"]
      account = row["account"]
      let title =
        account == nil ? NotificationKind(rawValue: kind)?.title : StaffAlert(rawValue: kind)?.title
      guard let title else { return nil }
      self.title = title
      (id, subject, way, about) = (row["id"], row["subject"], row["way"], row["about"])
      (text, made, tries, contact) = (row["text"], row["made_ms"], row["tries"], row["contact"])
      name = row["name"]
      if account == nil, contact == nil { whyNot = "the consent was withdrawn" }
      if account != nil, row["is_wanted"] as Int64? != 1 {
        whyNot = "nobody is to be told any longer"
      }
    }

    /// What the other side says, in short; it may hold the address.
    func withoutContact(_ text: String) -> String {
      guard let contact, !contact.isEmpty else { return String(text.prefix(300)) }
      return String(text.replacing(contact, with: "...").prefix(300))
    }
  }

  func run() async throws {
    await cancelWhenGracefulShutdown {
      // What does not answer holds up its own letters only.
      await withTaskGroup { group in
        for way in ways {
          group.addTask {
            while (try? await Task.sleep(for: interval)) != nil { await carry(way) }
          }
        }
      }
    }
  }

  private var ways: [String] {
    (mail == nil ? [] : ["mail"]) + (webhook == nil ? [] : ["webhook"])
  }

  /// Carries what is due.
  func carry() async {
    for way in ways { await carry(way) }
  }

  private func carry(_ way: String) async {
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
    for letter in due ?? [] where !Task.isCancelled { await carry(letter) }
  }

  private func carry(_ letter: Notification) async {
    let now = store.clock.now
    do {
      if let whyNot = letter.whyNot { throw DeliveryFailure(reason: whyNot, isFinal: true) }
      let answer: String?
      switch letter.way {
      case "mail":
        answer = nil
        guard let contact = letter.contact else {
          throw DeliveryFailure(reason: "there is no address any longer", isFinal: true)
        }
        let place = letter.account == nil ? "the page Booking" : "any page, at your name"
        try await mail?.send(
          "\(letter.title).\n\n\(letter.text)\n\nYou chose to be written to about this, and can choose anew on \(place).\n",
          subject: letter.title, id: "letter-\(letter.id)-\(letter.made)", to: contact,
          name: letter.name ?? "", at: now)
      default:
        var post: [String: EventValue] = [
          "kind": .text(letter.kind), "title": .text(letter.title), "text": .text(letter.text),
          "at": .text(ISOTime.text(letter.made)),
        ]
        post["subject"] = letter.subject.map(EventValue.text)
        post["account"] = letter.account.map(EventValue.text)
        answer = try await webhook?.post(.object(post), id: "\(letter.id)", at: now)
      }
      await settle(letter, "sent", answer ?? "")
    } catch {
      let failure = error as? DeliveryFailure
      let reason = letter.withoutContact(failure?.reason ?? "\(type(of: error))")
      guard failure?.isFinal != true, now - letter.made < NotificationQueue.patience else {
        return await settle(letter, "failed", reason)
      }
      logger.warning(
        "a letter waits", metadata: ["way": "\(letter.way)", "because": "\(reason)"])
      let asked =
        (failure?.wait).map { 1000 * min(max($0, 0), NotificationQueue.longestWait / 1000) } ?? 0
      let wait = max(
        asked,
        min(NotificationQueue.firstWait << min(letter.tries, 10), NotificationQueue.longestWait))
      _ = try? await store.change { change in
        try change.db.run(
          "UPDATE letters SET tries = tries + 1, next_ms = ? WHERE id = ?",
          [change.now + wait, letter.id])
      }
    }
  }

  /// Notes what became of a letter: its subject, the person, and whether it arrived. No address is in the log.
  private func settle(_ letter: Notification, _ state: String, _ answer: String) async {
    _ = try? await store.change { change in
      try change.db.run("UPDATE letters SET state = ? WHERE id = ?", [state, letter.id])
      var new: [String: EventValue] = [
        "kind": .text(letter.kind), "way": .text(letter.way), "text": .text(letter.text),
        "about": .text(letter.about), "arrived": .bool(state == "sent"),
      ]
      new["account"] = letter.account.map(EventValue.text)
      new["answer"] = .text(
        letter.withoutContact(answer).filter { !$0.isNewline && $0.isASCII && $0 != "\0" })
      // What staff were told is no change of whom it is about.
      let subject = letter.account == nil ? letter.subject : nil
      try change.log(
        Event(actor: "server", action: "letter.\(state)", subject: subject, new: .object(new)))
    }
  }
}

/// Why a letter was not delivered.
struct DeliveryFailure: Error {
  var reason: String
  /// Whether it is of no use to try again.
  var isFinal = false
  /// After how many seconds to try again at the earliest.
  var wait: Int64?
}
