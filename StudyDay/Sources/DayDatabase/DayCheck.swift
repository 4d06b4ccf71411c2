@_spi(StudyDay) import AlcoholKinetics
import GRDB
@_spi(StudyDay) import StudyStore

/// Defaults of a session without a session type.
package enum SessionRule {
  package static let readingIntervalMin = 10
  /// The concentration below which somebody may go, in g/kg.
  package static let releaseLimit = 0.2
  package static let food = "fasted"
  /// The state of a session after each decision: released, kept, or left without a word.
  package static let states = ["released": "released", "kept": "running", "left": "ended"]
}

/// Verifies against the log what decides about a study day, beside its entries: sessions and their limits, offers,
/// measures of people, and settings.
struct DayCheck {
  static let tables = ["session_types", "slots", "settings", "vital_kinds"]

  let db: Database

  func firstDifference() throws -> EntryDifference? {
    try offers() ?? sessions() ?? measures() ?? settings()
  }

  private func changes(_ actions: String...) throws -> [Event] {
    try EventLog.events(of: actions, in: db)
  }

  /// True if a column has the value that a change states.
  private func holds(_ row: SafeRow, _ column: String, _ value: EventValue?) -> Bool {
    value?.string.map { row[column] as String? == $0 }
      ?? Self.isNear(row[column] as Double?, value?.double)
  }

  private static func isNear(_ first: Double?, _ second: Double?) -> Bool {
    guard let first, let second else { return first == nil && second == nil }
    return abs(first - second) <= 8 * second.ulp
  }

  // MARK: Offers

  /// Columns of offers that decide about sessions.
  private static let offered = [
    "session_types": ["length_min", "reading_interval_min", "release_limit_g_per_kg", "food"],
    "slots": ["session_type_id", "starts_ms"],
  ]

  private func offers() throws -> EntryDifference? {
    for (table, columns) in Self.offered.sorted(by: { $0.key < $1.key }) {
      var said: [Int64: [String: EventValue]] = [:]
      for change in try changes("\(table).make", "\(table).change") {
        guard case .object(let members) = change.newValue, case .integer(let id) = members["id"]
        else { continue }
        said[id, default: [:]].merge(members) { $1 }
      }
      for row in try db.rows("SELECT * FROM \(table) ORDER BY id") {
        let id: Int64 = row["id"]
        let name = table == "slots" ? "slot" : "session type"
        guard let values = said[id] else {
          return EntryDifference(what: name, name: "\(id)", message: "nobody made it")
        }
        for column in columns where !holds(row, column, values[column]) {
          return EntryDifference(
            what: name, name: "\(id)", message: "its \(column) is not the one in the log")
        }
      }
    }
    return nil
  }

  // MARK: Sessions

  private static let usual: [String: EventValue] = [
    "reading_interval_min": .integer(Int64(SessionRule.readingIntervalMin)),
    "release_limit_g_per_kg": .number(SessionRule.releaseLimit), "food": .text(SessionRule.food),
  ]

  private func sessions() throws -> EntryDifference? {
    let types = try changes("session_types.make", "session_types.change").map(\.newValue)
    let decisions = try changes("release.decide")
    var used: Set<Int64> = []
    let rows = try db.rows(
      """
      SELECT sessions.*, subjects.name AS subject, occasion, slots.session_type_id AS slot_type
      FROM sessions JOIN series ON series.id = series_id JOIN subjects ON subjects.id = subject_id
        LEFT JOIN slots ON slots.id = slot_id ORDER BY series_id
      """)
    for row in rows {
      let subject: String = row["subject"]
      func different(_ message: String) -> EntryDifference {
        EntryDifference(
          what: "session", name: "\(row["occasion"] ?? "") of \(subject)", message: message)
      }
      let type: Int64? = row["session_type_id"]
      guard type == row["slot_type"] as Int64? else {
        return different("its session type is not that of its slot")
      }
      // A session began under the terms of some time: any version of its type will do.
      let held =
        type == nil
        ? [.object(Self.usual)]
        : types.filter { $0["id"] == type.map(EventValue.integer) }
      for column in Self.usual.keys.sorted() {
        let isLogged = held.contains { $0[column] != nil && holds(row, column, $0[column]) }
        guard isLogged else { return different("its \(column) was never that of its session type") }
      }
      let decision = row["decision_seq"] as Int64?
      let event = decision.flatMap { seq in decisions.first { $0.seq == seq } }
      guard decision == nil || event?.subject == subject else {
        return different("the decision about it is none in the log")
      }
      let state =
        event.map { SessionRule.states[$0.newValue["decision"]?.string ?? ""] } ?? "running"
      guard state == row["state"] as String? else {
        return different("its state is not the one that was decided")
      }
      if let decision { used.insert(decision) }
    }
    var last: [String: Int64] = [:]
    for decision in decisions { last[decision.subject ?? ""] = decision.seq }
    for (subject, seq) in last.sorted(by: { $0.value < $1.value }) where !used.contains(seq) {
      return EntryDifference(
        what: "session", name: "of \(subject)", message: "the last decision about it is not noted")
    }
    return nil
  }

  // MARK: Measures

  /// Columns of measures, their names in events, and the factor between the two units.
  private static let measured = [
    ("sex", "sex", 1.0), ("age_y", "age_y", 1), ("height_m", "height_cm", 100),
    ("weight_kg", "weight_kg", 1),
  ]

  /// Checks measures of subjects in the log: each must be a value that the log or an import once had.
  private func measures() throws -> EntryDifference? {
    let imports = try db.rows(
      "SELECT row, column_name, new_value FROM changes WHERE table_name = 'subjects'")
    for (subject, changes) in Dictionary(grouping: try changes("subject.measures"), by: \.subject)
      .sorted(by: { ($0.value.first?.seq ?? 0) < ($1.value.first?.seq ?? 0) })
    {
      guard let subject else { continue }
      let said = changes.flatMap { [$0.oldValue, $0.newValue] }
      let imported = imports.filter { $0["row"] as String? == subject }
      func isLogged(_ row: SafeRow) -> Bool {
        Self.measured.allSatisfy { column, name, scale in
          let logged = said.compactMap { $0[name] }.map { value in
            value.double.map { EventValue.number($0 / scale) } ?? value
          }
          let brought = imported.filter { $0["column_name"] == column }.map {
            $0.value("new_value")
          }
          return row.value(column) == .null
            || (logged + brought).contains { holds(row, column, $0) }
        }
      }
      if let person = try db.row("SELECT * FROM subjects WHERE name = ?", [subject]),
        !isLogged(person)
      {
        return EntryDifference(
          what: "subject", name: subject, message: "a measure of the body was never said")
      }
      // Series have no sex.
      let sessions = try db.rows(
        """
        SELECT series.* FROM sessions JOIN series ON series.id = series_id
          JOIN subjects ON subjects.id = subject_id WHERE name = ? ORDER BY series.id
        """, [subject])
      for series in sessions where !isLogged(series) {
        return EntryDifference(
          what: "session", name: "\(series["occasion"] ?? "") of \(subject)",
          message: "a measure of the body in it was never said")
      }
    }
    return nil
  }

  // MARK: Settings

  /// Checks that each setting has its last logged value, or the schema's default.
  private func settings() throws -> EntryDifference? {
    var last: [String: EventValue] = [:]
    for change in try changes("settings.change") {
      if case .object(let members) = change.newValue { last.merge(members) { $1 } }
    }
    for (name, usual) in [
      ("blood_breath_ratio", ConversionFactors().bloodBreathRatio), ("no_show_cost", 0),
      ("release_second_person", 1), ("span_days", 7), ("staff_session_days", 30),
    ] {
      let said = last[name].flatMap { $0.double ?? $0.flag.map { $0 ? 1 : 0 } }
      guard Self.isNear(try db.setting(name) ?? usual, said ?? usual) else {
        return different(name)
      }
    }
    return try vitalKinds(last["vitals"])
  }

  private func different(_ setting: String) -> EntryDifference {
    EntryDifference(
      what: "setting", name: setting, message: "its value is not the one in the log")
  }

  /// Checks ranges, importance and thresholds of vital signs; ranges are fixed.
  private func vitalKinds(_ said: EventValue?) throws -> EntryDifference? {
    let usual = try StudyStore.usualVitalKinds()
    guard case .array(let usualKinds) = usual, case .array(let stored) = try db.vitalKinds() else {
      return nil
    }
    guard case .array(let saidKinds) = said ?? usual else { return nil }
    func kind(_ name: EventValue?, in kinds: [EventValue]) -> EventValue? {
      kinds.first { $0["kind"] == name }
    }
    for kind in usualKinds where !stored.contains(where: { $0["kind"] == kind["kind"] }) {
      return different(kind["kind"]?.string ?? "")
    }
    for setting in stored {
      let name = setting["kind"]?.string ?? ""
      guard let first = kind(setting["kind"], in: usualKinds) else { return different(name) }
      let last = kind(setting["kind"], in: saidKinds) ?? first
      let holds =
        ["least", "most"].allSatisfy { Self.isNear(setting[$0]?.double, first[$0]?.double) }
        && ["below", "above", "importance"].allSatisfy {
          Self.isNear(setting[$0]?.double, last[$0]?.double)
        } && setting["unit"] == first["unit"]
      guard holds else { return different(name) }
    }
    return nil
  }
}
