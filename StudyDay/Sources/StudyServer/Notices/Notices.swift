import DayDatabase
import GRDB
import ServiceLifecycle
@_spi(StudyDay) import StudyData
@_spi(StudyDay) import StudyStore

struct Notice: Encodable, Hashable, Sendable {
  enum Kind: String, Encodable, Sendable {
    case due
    /// The time of "not before" has passed.
    case release
    /// A vital sign lies beyond a threshold.
    case vital
    /// No vital sign was entered by the hour that the person set.
    case reminder
    case place
    case changed
    /// A release against the advice awaits its second signature.
    case asked
    /// A device of the lab stopped reporting.
    case device
  }

  var kind: Kind
  /// Nil if it concerns nobody.
  var subject: String?
  var text: String
  var importance: Int
  var since: String
  /// Topic within the kind: a vital sign, a device.
  var topic = ""

  private enum CodingKeys: CodingKey {
    case kind, subject, text, importance, since
  }
}

enum Notices {
  /// Returns the notices of a day's people: of the 24 hours before, and of today's vital signs.
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
    person.asked.map { proposal in
      Notice(
        kind: .asked, subject: person.subject,
        text:
          "\(proposal.by) signed that \(person.subject) may go against the advice: \(proposal.reason ?? ""). A second person must sign, too.",
        importance: 5, since: proposal.at)
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

  /// Returns the last value of each vital sign of a day beyond a threshold. Values are not averaged: 41 degrees are a
  /// fever, whatever came before and after.
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
          importance: vital.importance, since: ISOTime.text(vital.at), topic: vital.kind)
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

/// Computes notices every few seconds and sends new ones to pages.
struct NoticeWatch: Service {
  let day: StudyDay
  var interval = Duration.seconds(2)

  func run() async throws {
    await cancelWhenGracefulShutdown {
      var last = Look()
      while (try? await Task.sleep(for: interval)) != nil { last = await look(after: last) }
    }
  }

  struct Look: Sendable {
    fileprivate var known: Set<Notice> = []
    /// Notices whose alerts could not be queued, as on a full disk.
    fileprivate var untold: Set<Notice> = []
  }

  /// Sends the notices that are new since the last look.
  func look(after last: Look = Look()) async -> Look {
    // A disk that fails now may work again in a moment.
    guard let (notices, pending) = try? await day.notices(within: .zero) else { return last }
    var untold: Set<Notice> = []
    for notice in notices where !last.known.contains(notice) || last.untold.contains(notice) {
      if await !alert(notice) { untold.insert(notice) }
      guard !last.known.contains(notice) else { continue }
      if notice.kind == .reminder { await remind(notice) }
      let topic = notice.subject == nil ? notice.kind.rawValue : nil
      guard let message = try? LiveMessage(notice: notice, of: notice.subject, topic: topic)
      else { continue }
      day.hub.messages.send(message)
    }
    // Keeps a release notice while its forecast is recomputed, which rarely changes it.
    let known = last.known.filter { notice in
      notice.kind == .release && notice.subject.map(pending.contains) == true
    }
    return Look(known: known.union(notices), untold: untold)
  }

  /// Queues a reminder's notification, at most one a day.
  private func remind(_ notice: Notice) async {
    let ways = day.store.notificationChannels
    guard !ways.isEmpty, let subject = notice.subject else { return }
    _ = try? await day.store.change { change in
      try NotificationQueue.enqueue(
        .reminder, "No vital sign was entered today.", to: subject,
        about: "reminder \(notice.since.prefix(10))", ways, at: change.now, in: change.db)
    }
  }

  /// Queues alerts for staff; false if that failed and must be repeated.
  private func alert(_ notice: Notice) async -> Bool {
    let ways = day.store.notificationChannels
    guard !ways.isEmpty, let kind = StaffAlert(notice) else { return true }
    do {
      // A change is written even where nobody chose anything.
      let isWanted = try await day.store.read { try !StaffAlert.who(wants: kind, in: $0).isEmpty }
      guard isWanted else { return true }
      try await day.store.change { change in
        try NotificationQueue.enqueue(kind, notice, ways, at: change.now, in: change.db)
      }
      return true
    } catch {
      return false
    }
  }
}

extension StudyDay {
  /// Returns the current notices, for the day of a time zone.
  func notices(zone: ClockZone = .current) async throws -> [Notice] {
    try await notices(zone: zone, within: options.forecastTime).notices
  }

  /// - Parameter time: Time to wait for forecasts.
  /// - Returns: The notices, and the people whose forecast is still being computed.
  fileprivate func notices(
    zone: ClockZone = .current, within time: Duration
  ) async throws -> (notices: [Notice], pending: Set<String>) {
    let people = try await people(within: time)
    let now = store.clock.now
    let today = ZonedDay(containing: now, in: zone)
    let silent = people.contains { $0.state == "running" } ? devices.silent(at: now) : []
    let notices =
      silent + (try await store.read { try Notices.all(of: people, at: now, today, in: $0) })
    return (notices, Set(people.filter { $0.pending == true }.map(\.subject)))
  }
}
