@_spi(StudyDay) import AlcoholKinetics
@_spi(StudyDay) import DayDatabase
import Foundation
import GRDB
import Hummingbird
@_spi(StudyDay) import StudyStore

/// Calibration check of an instrument with a known standard. Checks are stored in the log alone. Of checks at one time the
/// last stored holds.
struct CalibrationCheck: Sendable {
  static let longestSerial = 80
  /// Longest time until the next check, in ms.
  private static let longest: Int64 = 5 * 366 * 86_400_000

  var serial: String
  /// Value of the standard and result of the instrument, in the unit.
  var standard: Double
  var measured: Double
  var tolerance: Double
  var unit: String
  /// Name of the standard, such as the lot of a dry gas.
  var standardName: String?
  /// Time of the check, and when the next one is due, in ms since 1970.
  var at: Int64
  var due: Int64

  /// True if the result lies within the tolerance, apart from rounding of decimal numbers.
  var isPassed: Bool { abs(measured - standard) <= tolerance + 1e-9 * max(1, abs(standard)) }

  init(_ form: Form, at now: Int64) throws(Problem) {
    var form = form
    serial = try form.required("serial", form.text("serial", 1...Self.longestSerial))
    standard = try form.required("standard", form.number("standard", 0...10_000))
    measured = try form.required("measured", form.number("measured", 0...10_000))
    tolerance = try form.required("tolerance", form.number("tolerance", 0...10_000))
    let units = ConcentrationUnit.allCases.map(\.rawValue)
    unit = try form.required("unit", form.word("unit", units))
    standardName = try form.text("standard_name", 1...200)
    at = try form.moment("at") ?? now
    due = try form.required("due", form.moment("due"))
    try form.end()
    guard serial == Code.normalised(serial) else {
      throw Problem(.badValue, "serial must have no blanks at its ends, and single ones within.")
    }
    guard now - Self.longest...now + 300_000 ~= at, at + 1...at + Self.longest ~= due else {
      throw Problem(
        .badValue, "at must be a time that was, and due one within five years after it.")
    }
  }

  private init?(_ json: EventValue?) {
    guard let json, let serial = json["serial"]?.string, let unit = json["unit"]?.string,
      let standard = json["standard"]?.double, let measured = json["measured"]?.double,
      let tolerance = json["tolerance"]?.double,
      let at = json["at"]?.string.flatMap(ISOTime.milliseconds),
      let due = json["due"]?.string.flatMap(ISOTime.milliseconds)
    else { return nil }
    (self.serial, self.unit, self.at, self.due) = (serial, unit, at, due)
    (self.standard, self.measured, self.tolerance) = (standard, measured, tolerance)
    standardName = json["standard_name"]?.string
  }

  var json: [String: EventValue] {
    var members: [String: EventValue] = [
      "serial": .text(serial), "standard": .number(standard), "measured": .number(measured),
      "tolerance": .number(tolerance), "unit": .text(unit), "at": .text(ISOTime.text(at)),
      "due": .text(ISOTime.text(due)), "passed": .bool(isPassed),
    ]
    members["standard_name"] = standardName.map(EventValue.text)
    return members
  }

  /// State of the instrument at a moment: ok, failed or overdue.
  private func state(at moment: Int64) -> String {
    isPassed ? due < moment ? "overdue" : "ok" : "failed"
  }
}

extension CalibrationCheck {
  /// Record under which the log has the checks of an instrument; it derives from the serial number.
  private static func record(of serial: String) -> UUID {
    let hash = Event.sha256(Data("promille instrument \(serial)".utf8))
    return hash.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
  }

  fileprivate var record: UUID { Self.record(of: serial) }

  /// Returns the checks of an instrument in order of their times.
  static func all(of serial: String, in db: Database) throws -> [CalibrationCheck] {
    let checks = try db.rows(
      "SELECT new FROM events WHERE record = ? AND action = 'instrument.check' ORDER BY seq",
      [record(of: serial)]
    ).compactMap { CalibrationCheck($0.json("new")) }
    return Dictionary(checks.map { ($0.at, $0) }, uniquingKeysWith: { $1 }).values
      .sorted { $0.at < $1.at }
  }

  /// Returns the last check of each instrument by serial number, with the present state.
  fileprivate static func latest(at now: Int64, in db: Database) throws -> [EventValue] {
    try db.rows(
      """
      SELECT new, actor, max(printf('%s %020d', new ->> 'at', seq)) FROM events
      WHERE action = 'instrument.check' GROUP BY record
      """
    ).compactMap { row in
      CalibrationCheck(row.json("new")).map { (check: $0, by: row["actor"] as String) }
    }.sorted { $0.check.serial < $1.check.serial }.map { check, actor in
      .object(
        check.json.merging(["state": .text(check.state(at: now)), "by": .text(actor)]) { $1 })
    }
  }
}

extension [CalibrationCheck] {
  /// Returns the reason to doubt a reading at a moment of the instrument that these checks are of; nil if there is none.
  func doubt(about serial: String, at moment: Int64) -> String? {
    func day(_ moment: Int64) -> String { String(ISOTime.text(moment).prefix(10)) }
    let last = self.last { $0.at <= moment }
    if let last, !last.isPassed {
      return "instrument \(serial) failed its calibration check of \(day(last.at))"
    }
    if let next = first(where: { $0.at > moment }), !next.isPassed {
      return "instrument \(serial) failed its next calibration check, of \(day(next.at))"
    }
    guard let last else { return "instrument \(serial) had no calibration check" }
    return last.due < moment
      ? "the calibration check of instrument \(serial) was due \(day(last.due))" : nil
  }
}

extension Route {
  static let instruments = [
    Route(.get, "/instruments", permitted: .seeReports) { request in
      let now = request.store.clock.now
      return try await request.read {
        EventValue.object(["items": .array(try CalibrationCheck.latest(at: now, in: $0))])
      }
    },
    Route(.post, "/instruments", permitted: .checkInstrument) { request in
      let form = try await request.form("the check")
      return try await request.change(status: .created) { desk in
        let check = try CalibrationCheck(form, at: desk.now)
        try desk.log("instrument.check", record: check.record, new: .object(check.json))
        try EntryWriter(desk.change, for: desk.identity).judgeReadings(around: check)
        return .object(check.json)
      }
    },
  ]
}
