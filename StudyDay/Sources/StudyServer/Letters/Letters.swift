import DayDatabase
import Foundation
import GRDB
import Logging
import ServiceLifecycle
@_spi(StudyDay) import StudyData
@_spi(StudyDay) import StudyStore

/// What people are written to about, each only who chose it.
enum LetterKind: String, CaseIterable, Encodable, Sendable {
  case place
  case moved
  case cancelled
  case turn
  case release
  case reminder

  fileprivate var title: String {
    switch self {
    case .place: "You have a place"
    case .moved: "Your session was moved"
    case .cancelled: "Your session is called off"
    case .turn: "It is your turn"
    case .release: "You may go home"
    case .reminder: "Your vital signs today"
    }
  }

  /// How long it is of use to a device, in seconds: a number that was called long ago sends nobody anywhere.
  fileprivate var lifetime: Int64 {
    switch self {
    case .turn: 600
    case .release, .reminder: 6 * 3600
    case .place, .moved, .cancelled: 24 * 3600
    }
  }

  /// Whether a newer one says all that an older one did.
  fileprivate var replacesOlder: Bool { [.turn, .release, .reminder].contains(self) }
}

/// Letters wait in the database, from the transaction of their cause until they have arrived or are given up.
enum Letters {
  /// How long it is tried, in ms, and after what time again.
  fileprivate static let (patience, firstWait, longestWait): (Int64, Int64, Int64) = (
    86_400_000, 60_000, 3_600_000
  )

  /// What a person chose to be written to about; nothing without consent.
  static func chosen(by subject: String, in db: Database) throws -> [LetterKind] {
    let text: String? = try db.value(
      "SELECT written FROM people JOIN subjects ON subjects.id = subject_id WHERE subjects.name = ?",
      [subject])
    return (text ?? "").split(separator: " ").compactMap { LetterKind(rawValue: String($0)) }
  }

  /// How people are written to: as the server was started, and by their browsers if the owner allows it.
  static func ways(_ ways: [String], in db: Database) throws -> [String] {
    ways + (try Push.isOn(in: db) ? ["push"] : [])
  }

  static func hasConsent(of subject: String, in db: Database) throws -> Bool {
    try db.has(
      "SELECT 1 FROM people JOIN subjects ON subjects.id = subject_id WHERE subjects.name = ?",
      [subject])
  }

  /// Lays a letter ready for whoever an event concerns.
  static func follow(_ event: Event, _ ways: [String], at now: Int64, in db: Database) throws {
    lazy var new = event.newValue
    func add(_ kind: LetterKind, _ text: String, to subject: String) throws {
      try Self.add(kind, text, to: subject, about: "\(event.seq)", ways, at: now, in: db)
    }
    func addSession(_ kind: LetterKind) throws {
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

  /// Lays a letter ready, once for each way and each device; nobody is written to who did not choose it.
  static func add(
    _ kind: LetterKind, _ text: String, to subject: String, about: String, _ ways: [String],
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
    guard try Push.isOn(in: db) else { return }
    try db.run(
      """
      INSERT INTO letters (subject_id, kind, way, device, about, text, made_ms, next_ms)
      SELECT subject_id, ?1, 'push', token_id, ?2, ?3, ?4, ?4 FROM push_devices
        JOIN tokens ON tokens.id = token_id JOIN accounts ON accounts.id = account_id
        JOIN subjects ON subjects.id = subject_id
      WHERE subjects.name = ?5 AND expires_ms > ?4 ON CONFLICT DO NOTHING
      """, [kind.rawValue, about, text, now, subject])
  }
}

/// Takes letters to where they go, of each way and to each device one after the other, and notes in the log what became of each.
struct LetterCarrier: Service {
  let store: DayStore
  let mail: MailServer?
  let webhook: Webhook?
  let logger: Logger
  var interval = Duration.seconds(3)
  /// Where tests listen in place of push services.
  var stand: PushStand?

  private struct Letter: Sendable {
    var id: Int64
    var subject: String
    var kind: LetterKind
    var way: String
    var about: String
    var text: String
    var made: Int64
    var tries: Int64
    var device: Int64
    /// Nil once the consent is withdrawn.
    var contact: String?
    /// Of a letter for a device: where it is told, and how; nil once it is told no longer.
    var endpoint: String?
    var keys: PushKeys?

    init?(_ row: SafeRow) {
      guard let kind = LetterKind(rawValue: row["kind"]) else { return nil }
      self.kind = kind
      (id, subject, way, about) = (row["id"], row["subject"], row["way"], row["about"])
      (text, made, tries, contact) = (row["text"], row["made_ms"], row["tries"], row["contact"])
      (device, endpoint) = (row["device"], row["endpoint"])
      if let key = row["public_key"] as Data?, let secret = row["secret"] as Data? {
        keys = PushKeys(publicKey: key, secret: secret)
      }
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
    (mail == nil ? [] : ["mail"]) + (webhook == nil ? [] : ["webhook"]) + ["push"]
  }

  /// Carries what is due.
  func carry() async {
    for way in ways { await carry(way) }
  }

  private func carry(_ way: String) async {
    let now = store.clock.now
    let due = try? await store.read { db in
      let letters = try db.rows(
        """
        SELECT letters.*, subjects.name AS subject, contact, endpoint, public_key, secret FROM letters
          JOIN subjects ON subjects.id = letters.subject_id
          LEFT JOIN people ON people.subject_id = letters.subject_id
          LEFT JOIN push_devices ON token_id = device
        WHERE state = 'waiting' AND next_ms <= ? AND way = ? ORDER BY letters.id LIMIT 50
        """, [now, way]
      ).compactMap(Letter.init)
      return (letters, letters.isEmpty ? nil : try Push.find(in: db))
    }
    guard let (letters, push) = due else { return }
    await withTaskGroup { group in
      for letters in Dictionary(grouping: letters, by: \.device).values {
        group.addTask {
          for letter in letters where !Task.isCancelled { await carry(letter, push) }
        }
      }
    }
  }

  private func carry(_ letter: Letter, _ push: Push?) async {
    let now = store.clock.now
    do {
      guard let contact = letter.contact else {
        throw DeliveryFailure(reason: "the consent was withdrawn", isFinal: true)
      }
      let answer: String?
      switch letter.way {
      case "mail":
        answer = try await mail?.send(
          "\(letter.kind.title).\n\n\(letter.text)\n\nYou chose to be written to about this, and can choose anew on the page Booking.\n",
          subject: letter.kind.title, id: "letter-\(letter.id)-\(letter.made)", to: contact, at: now
        )
      case "push": answer = try await tell(letter, push, at: now)
      default:
        answer = try await webhook?.post(
          .object([
            "kind": .text(letter.kind.rawValue), "subject": .text(letter.subject),
            "title": .text(letter.kind.title), "text": .text(letter.text),
            "at": .text(ISOTime.text(letter.made)),
          ]), id: "\(letter.id)", at: now)
      }
      await settle(letter, "sent", answer ?? "")
    } catch {
      let failure = error as? DeliveryFailure
      let reason = failure?.reason ?? "\(type(of: error))"
      guard failure?.isFinal != true, now - letter.made < Letters.patience else {
        return await settle(letter, "failed", reason, isGone: failure?.isGone == true)
      }
      logger.warning(
        "a letter waits", metadata: ["way": "\(letter.way)", "because": "\(reason)"])
      let asked = (failure?.wait).map { 1000 * min(max($0, 0), Letters.longestWait / 1000) } ?? 0
      let wait = max(
        asked, min(Letters.firstWait << min(letter.tries, 10), Letters.longestWait))
      _ = try? await store.change { change in
        try change.db.run(
          "UPDATE letters SET tries = tries + 1, next_ms = ? WHERE id = ?",
          [change.now + wait, letter.id])
      }
    }
  }

  /// Tells a device, encrypted for it; no longer than it is of use.
  private func tell(_ letter: Letter, _ push: Push?, at now: Int64) async throws -> String {
    guard let push, push.contact != nil else {
      throw DeliveryFailure(reason: "browsers are no longer told", isFinal: true)
    }
    let place = letter.endpoint.flatMap { PushEndpoint($0, services: push.services) }
    guard let place, let keys = letter.keys else {
      throw DeliveryFailure(reason: "the device is no longer told", isFinal: true)
    }
    let lifetime = letter.kind.lifetime - (now - letter.made) / 1000
    guard lifetime > 0 else { throw DeliveryFailure(reason: "it was too late", isFinal: true) }
    let topic = letter.kind.replacesOlder ? letter.kind.rawValue : nil
    let message = PushMessage(
      json: .object([
        "title": .text(letter.kind.title), "text": .text(letter.text),
        "tag": .text(topic ?? "letter-\(letter.id)"),
      ]), lifetime: lifetime, isUrgent: letter.kind == .turn, topic: topic)
    return try await message.send(to: place, keys, as: push, at: now, stand: stand)
  }

  /// Notes what became of a letter: its subject, the person, and whether it arrived. No address is in the log. A device
  /// that is gone is forgotten.
  private func settle(
    _ letter: Letter, _ state: String, _ answer: String, isGone: Bool = false
  ) async {
    _ = try? await store.change { change in
      if isGone {
        try change.db.run("DELETE FROM push_devices WHERE endpoint = ?", [letter.endpoint])
      }
      try change.db.run("UPDATE letters SET state = ? WHERE id = ?", [state, letter.id])
      var new: [String: EventValue] = [
        "kind": .text(letter.kind.rawValue), "way": .text(letter.way), "text": .text(letter.text),
        "about": .text(letter.about), "arrived": .bool(state == "sent"),
      ]
      // What the other server says may hold the address.
      let said = [letter.contact, letter.endpoint].compactMap { $0 }.filter { !$0.isEmpty }
        .reduce(answer) { $0.replacing($1, with: "...") }
      new["answer"] = .text(said.filter { !$0.isNewline && $0.isASCII && $0 != "\0" })
      try change.log(
        Event(
          actor: "server", action: "letter.\(state)", subject: letter.subject, new: .object(new)))
    }
  }
}
