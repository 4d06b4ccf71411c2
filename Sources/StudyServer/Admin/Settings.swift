import GRDB
import HealthData
import StudyStore

/// What a request makes of the settings of the day: what no-shows cost, and which vital signs matter.
struct Settings: Sendable {
  /// What is said of a kind of vital sign.
  private struct Vital {
    var kind: String
    var importance: Int64?
    var below: EventValue?
    var above: EventValue?
  }

  private var noShowCost: Int64?
  private var vitals: [Vital] = []

  /// Reads a form: `no_show_cost`, and `vitals`, a list of kinds with what is to change.
  ///
  /// - Throws: ``Problem`` if something is impossible.
  init(_ form: Form) throws(Problem) {
    var form = form
    noShowCost = try form.integer("no_show_cost", 0...100)
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

  /// Changes what was said; null takes a threshold away.
  func store(in db: Database) throws {
    if let noShowCost {
      try db.execute(
        sql: """
          INSERT INTO settings (name, value) VALUES ('no_show_cost', ?1)
          ON CONFLICT DO UPDATE SET value = ?1
          """, arguments: [Double(noShowCost)])
      // Who waits already is judged like who comes later.
      try db.execute(
        sql: """
          UPDATE waiting SET priority = -?1 * ifnull(
            (SELECT no_shows FROM people WHERE people.subject_id = waiting.subject_id), 0)
          """, arguments: [noShowCost])
    }
    for vital in vitals {
      try db.execute(
        sql: """
          UPDATE vital_kinds SET importance = coalesce(?, importance),
            below = CASE WHEN ? THEN ? ELSE below END, above = CASE WHEN ? THEN ? ELSE above END
          WHERE kind = ?
          """,
        arguments: [
          vital.importance, vital.below != nil, vital.below?.double, vital.above != nil,
          vital.above?.double, vital.kind,
        ])
    }
  }

  /// The settings as they are sent.
  static func json(of db: Database) throws -> EventValue {
    let cost = try Double.fetchOne(
      db, sql: "SELECT value FROM settings WHERE name = 'no_show_cost'")
    let vitals = try SafeRow.all(db, "SELECT * FROM vital_kinds ORDER BY kind").map { row in
      EventValue.object([
        "kind": .text(row["kind"]), "unit": .text(row["unit"]),
        "importance": .integer(row["importance"]),
        "below": (row["below"] as Double?).map(EventValue.number) ?? .null,
        "above": (row["above"] as Double?).map(EventValue.number) ?? .null,
      ])
    }
    return .object(["no_show_cost": .integer(Int64(cost ?? 0)), "vitals": .array(vitals)])
  }
}
