import DayDatabase
import GRDB
import ServiceLifecycle
@_spi(StudyDay) import StudyData
@_spi(StudyDay) import StudyStore

struct Notice: Encodable, Hashable, Sendable {
  enum Kind: String, Encodable, Sendable {
    case due
    /// The time before which nobody should go home is over.
    case release
    /// A vital sign lies beyond a threshold.
    case vital
    /// No vital sign was entered on a day, and the hour is over that its person set.
    case reminder
    case place
    case changed
    /// Somebody signed a release against the advice, which a second person must sign, too.
    case asked
  }

  var kind: Kind
  var subject: String
  var text: String
  var importance: Int
  var since: String
}

enum Notices {
  /// What is to be noticed of the people of a day: what happened in the 24 hours before, and vital signs of today.
  static func all(
    of people: [Person], at now: Int64, _ today: ZonedDay, in db: Database
  ) throws -> [Notice] {
    let day = 86_400_000 as Int64
    return people.compactMap(change) + people.compactMap(request)
      + people.compactMap { due($0, now) }
      + people.compactMap { release($0, now) } + (try crossings(during: today, in: db))
      + (try reminders(at: now, in: db))
      + (try places(from: now - day, to: now, in: db))
  }

  private static func due(_ person: Person, _ now: Int64) -> Notice? {
    guard person.state == "running", let time = person.nextReadingDue,
      let due = ISOTime.milliseconds(time), due <= now
    else { return nil }
    let late = (now - due) / 60_000
    return Notice(
      kind: .due, subject: person.subject, text: "A reading of \(person.subject) is due.",
      importance: late >= Int64(person.readingIntervalMin) ? 4 : 3, since: time)
  }

  private static func release(_ person: Person, _ now: Int64) -> Notice? {
    guard person.state == "running", let forecast = person.forecast,
      let time = ISOTime.milliseconds(forecast.notBefore), time <= now
    else { return nil }
    return Notice(
      kind: .release, subject: person.subject,
      text:
        "\(person.subject) is probably below \(forecast.thresholdGPerKg) g/kg. Take a reading, look and decide.",
      importance: 4, since: forecast.notBefore)
  }

  private static func request(_ person: Person) -> Notice? {
    person.asked.map { asked in
      Notice(
        kind: .asked, subject: person.subject,
        text:
          "\(asked.by) signed that \(person.subject) may go against the advice: \(asked.reason ?? ""). A second person must sign, too.",
        importance: 5, since: asked.at)
    }
  }

  private static func change(_ person: Person) -> Notice? {
    guard let release = person.release, let since = release.changedAt else { return nil }
    return Notice(
      kind: .changed, subject: person.subject,
      text:
        "\(person.subject) \(release.decision == "left" ? "had left" : "was released"), and something was entered or corrected since. Look and decide again.",
      importance: 5, since: since)
  }

  /// The last value of each vital sign of a day that lies beyond a threshold. It is not averaged: 41 degrees are a
  /// fever, whatever was measured before and after.
  static func crossings(during day: ZonedDay, in db: Database) throws -> [Notice] {
    let values = try VitalValue.all(during: day.moments, in: db)
    let last = Dictionary(values.filter { $0.crossed != nil }.map { ([$0.subject, $0.kind], $0) }) {
      $1
    }
    return last.sorted { $0.key.lexicographicallyPrecedes($1.key) }.compactMap { _, vital in
      vital.crossed.map { side, threshold in
        Notice(
          kind: .vital, subject: vital.subject,
          text:
            "\(vital.words) of \(vital.subject) is \(vital.value.shown) \(vital.unit), \(side) \(threshold.shown).",
          importance: vital.importance, since: ISOTime.text(vital.at))
      }
    }
  }

  static func places(from: Int64, to: Int64, in db: Database) throws -> [Notice] {
    // In this order: there are far more events than bookings.
    try db.rows(
      """
      SELECT events.subject, at_ms, slots.starts_ms, session_types.name
      FROM bookings CROSS JOIN events ON events.record = bookings.uuid
        JOIN slots ON slots.id = slot_id JOIN session_types ON session_types.id = session_type_id
      WHERE action = 'booking.move-up' AND at_ms BETWEEN ? AND ? AND state = 'booked' ORDER BY seq
      """, [from, to]
    ).map { row in
      let starts = ISOTime.text(row["starts_ms"])
      return Notice(
        kind: .place, subject: row["subject"],
        text:
          "A place became free: \(row["subject"] as String) has it, for \(row["name"] as String) on "
          + "\(starts.prefix(10)) at \(starts.dropFirst(11).prefix(5)) UTC.",
        importance: 3, since: ISOTime.text(row["at_ms"]))
    }
  }
}

/// Looks every few seconds what is to be noticed, and tells pages what is new.
struct NoticeWatch: Service {
  let day: StudyDay
  var interval = Duration.seconds(2)

  func run() async throws {
    await cancelWhenGracefulShutdown {
      var known: Set<Notice> = []
      while (try? await Task.sleep(for: interval)) != nil {
        // A disk that fails now may work again in a moment.
        guard let (notices, pending) = try? await day.notices(within: .zero) else { continue }
        for notice in notices where !known.contains(notice) {
          if notice.kind == .reminder { await remind(notice) }
          guard let message = try? LiveMessage(notice) else { continue }
          day.hub.messages.send(message)
        }
        // A forecast that is computed anew says the same again, as a rule.
        known = known.filter { $0.kind == .release && pending.contains($0.subject) }
          .union(notices)
      }
    }
  }

  /// Writes to who is to be reminded, once for each reminder.
  private func remind(_ notice: Notice) async {
    let ways = day.store.letterWays
    guard !ways.isEmpty else { return }
    _ = try? await day.store.change { change in
      try NotificationQueue.add(
        .reminder, "No vital sign was entered.", to: notice.subject,
        about: "reminder \(notice.since)", ways, at: change.now, in: change.db)
    }
  }
}

extension StudyDay {
  /// What is to be noticed now, on the day of a zone.
  func notices(zone: ClockZone = .current) async throws -> [Notice] {
    try await notices(zone: zone, within: options.forecastTime).notices
  }

  /// - Parameter time: How long to wait for forecasts.
  /// - Returns: What is to be noticed, and the people whose forecast is still being computed.
  fileprivate func notices(
    zone: ClockZone = .current, within time: Duration
  ) async throws -> (notices: [Notice], pending: Set<String>) {
    let (people, now) = (try await people(within: time), store.clock.now)
    let today = ZonedDay(containing: now, in: zone)
    let notices = try await store.read { try Notices.all(of: people, at: now, today, in: $0) }
    return (notices, Set(people.filter { $0.pending == true }.map(\.subject)))
  }
}
