import Foundation
import GRDB
import HealthData
import Hummingbird
import ServiceLifecycle
import StudyStore

/// What somebody should look at now.
struct Notice: Codable, Hashable, Sendable {
  enum Kind: String, Codable, Sendable {
    /// A reading is due.
    case due
    /// The time before which nobody should go home is over.
    case release
    /// The mean of a vital sign that matters lies beyond a threshold.
    case vital
    /// Who waited got a place.
    case place
  }

  var kind: Kind
  var subject: String
  var text: String
  /// From 1 to 5.
  var importance: Int
  /// Since when.
  var since: String
}

enum Notices {
  /// Which importance a vital sign must have to be noticed, as `promille vitals` has it.
  private static let important = 4

  /// What is to be noticed of the people of a day.
  ///
  /// - Parameter now: In ms since 1970; what happened in the 24 hours before counts.
  static func all(of people: [Person], at now: Int64, in db: Database) throws -> [Notice] {
    let day = 86_400_000 as Int64
    return people.compactMap { due($0, now) } + people.compactMap { release($0, now) }
      + (try vitals(of: people, on: String(ISOTime.text(now).prefix(10)), in: db))
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

  /// Crossings of a day. What was entered with an importance has that, anything else that of its kind.
  static func vitals(of people: [Person], on day: String, in db: Database) throws -> [Notice] {
    var entered: [[String]: Int] = [:]
    for person in people {
      for entry in person.vitals where entry.state == "current" && entry.at.hasPrefix(day) {
        guard let kind = entry.value["kind"]?.string,
          case .integer(let importance) = entry.value["importance"]
        else { continue }
        entered[[person.subject, kind], default: 0] = max(
          entered[[person.subject, kind]] ?? 0, Int(importance))
      }
    }
    let usual = Dictionary(
      try SafeRow.all(db, "SELECT kind, importance FROM vital_kinds").map {
        ($0["kind"] as String, $0["importance"] as Int)
      }, uniquingKeysWith: { $1 })
    return try VitalCrossing.all(VitalFilter(days: day...day), in: db) { _ in true }
      .compactMap { crossing in
        let kind = crossing.kind
        let importance = entered[[crossing.subject, kind.rawValue]] ?? usual[kind.rawValue] ?? 3
        guard importance >= important, crossing.lastDay == day else { return nil }
        let mean = (crossing.extreme * 100).rounded() / 100
        return Notice(
          kind: .vital, subject: crossing.subject,
          text:
            "\(kind.rawValue) of \(crossing.subject) is \(crossing.side.rawValue) "
            + "\(crossing.threshold) \(kind.unit): \(mean) on average.",
          importance: importance, since: "\(crossing.firstDay)T00:00:00.000Z")
      }
  }

  /// Who moved up from a waiting list.
  static func places(from: Int64, to: Int64, in db: Database) throws -> [Notice] {
    try SafeRow.all(
      db,
      """
      SELECT events.subject, at_ms, slots.starts_ms, session_types.name FROM events
        JOIN bookings ON bookings.uuid = events.record JOIN slots ON slots.id = slot_id
        JOIN session_types ON session_types.id = session_type_id
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
        guard let notices = try? await day.notices() else { continue }
        for notice in notices where !known.contains(notice) {
          guard let message = try? LiveMessage(notice: notice, of: notice.subject) else { continue }
          day.hub.send(message)
        }
        known = Set(notices)
      }
    }
  }
}

extension StudyDay {
  /// What is to be noticed now.
  func notices() async throws -> [Notice] {
    let (people, now) = (try await people(), store.clock.now)
    return try await store.read { try Notices.all(of: people, at: now, in: $0) }
  }
}

extension RouterGroup<DayContext> {
  /// `GET /notices`.
  func addNoticeRoutes(_ day: StudyDay) {
    get("/notices") { request, context in
      let (identity, _) = try context.reach(.seeDay)
      let notices = try await day.notices().filter { identity.may(.seeDay, of: $0.subject) }
      return try Response.json(["items": notices], taggedFor: request)
    }
  }
}
