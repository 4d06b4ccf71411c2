@_spi(StudyDay) import AlcoholKinetics
@_spi(StudyDay) import DayDatabase
import GRDB
import HealthData
@_spi(StudyDay) import StudyStore

/// Changes the settings of the day: cost of no-shows, conversion of breath to blood, importance of vital signs.
struct Settings: Sendable {
  private struct Vital {
    var kind: String
    var importance: Int64?
    var below: EventValue?
    var above: EventValue?
  }

  private var noShowCost: Int64?
  private var wantsSecondPerson: Bool?
  private var staffSessionDays: Int64?
  private var bloodBreathRatio: Double?
  private var vitals: [Vital] = []

  /// Reads a form: `no_show_cost`, `blood_breath_ratio`, `release_second_person`, `staff_session_days`, and `vitals`, a
  /// list of kinds with their changes.
  init(_ form: Form) throws(Problem) {
    var form = form
    noShowCost = try form.integer("no_show_cost", 0...100)
    bloodBreathRatio = try form.number("blood_breath_ratio", Database.bloodBreathRatios)
    wantsSecondPerson = try form.flag("release_second_person")
    staffSessionDays = try form.integer("staff_session_days", 1...400)
    for var vital in try form.forms("vitals") {
      let kind = try vital.required(
        "kind", vital.word("kind", VitalKind.allCases.map(\.rawValue)))
      vitals.append(
        Vital(
          kind: kind, importance: try vital.integer("importance", 1...5),
          below: try vital.numberOrNull("below"), above: try vital.numberOrNull("above")))
      try vital.end()
    }
    try form.end()
  }

  /// Stores the changes; null removes a threshold.
  func store(in db: Database) throws {
    if let bloodBreathRatio { try db.set("blood_breath_ratio", to: bloodBreathRatio) }
    if let wantsSecondPerson {
      try db.set("release_second_person", to: wantsSecondPerson ? 1 : 0)
    }
    if let staffSessionDays { try db.set("staff_session_days", to: Double(staffSessionDays)) }
    if let noShowCost {
      try db.set("no_show_cost", to: Double(noShowCost))
      // The new cost holds for people on waiting lists, too.
      try db.run(
        """
        UPDATE waiting SET priority = -?1 * ifnull(
          (SELECT no_shows FROM people WHERE people.subject_id = waiting.subject_id), 0)
        """, [noShowCost])
    }
    for vital in vitals {
      try db.run(
        """
        UPDATE vital_kinds SET importance = coalesce(?, importance),
          below = CASE WHEN ? THEN ? ELSE below END, above = CASE WHEN ? THEN ? ELSE above END
        WHERE kind = ?
        """,
        [
          vital.importance, vital.below != nil, vital.below?.double, vital.above != nil,
          vital.above?.double, vital.kind,
        ])
    }
  }

  /// The last event that changed the settings; 0 if none did.
  static func lastChange(in db: Database) throws -> Int64 {
    let seq = try db.setting("settings_seq") ?? 0
    return Int64(exactly: seq) ?? 0
  }

  /// Whether a release against the advice needs a second person; it does unless that was turned off.
  static func wantsSecondPerson(in db: Database) throws -> Bool {
    try db.setting("release_second_person") != 0
  }

  /// Days for which a device of staff stays signed in after its last use.
  static func staffSessionDays(in db: Database) throws -> Int64 {
    let days = try db.setting("staff_session_days").flatMap { Int64(exactly: $0) }
    return min(max(days ?? Accounts.Lifetime.staff / Accounts.Lifetime.day, 1), 400)
  }

  static func factors(in db: Database) throws -> ConversionFactors {
    var factors = ConversionFactors()
    if let ratio = try db.bloodBreathRatio() { factors.bloodBreathRatio = ratio }
    return factors
  }

  static func json(of db: Database) throws -> EventValue {
    let cost = try db.setting("no_show_cost")
    return .object([
      "no_show_cost": .integer(Int64(cost ?? 0)),
      "blood_breath_ratio": .number(try factors(in: db).bloodBreathRatio),
      "release_second_person": .bool(try wantsSecondPerson(in: db)),
      "staff_session_days": .integer(try staffSessionDays(in: db)),
      "vitals": try db.vitalKinds(),
    ])
  }
}
