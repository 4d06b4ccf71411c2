import GRDB
@_spi(StudyDay) import StudyStore

/// What holds in a session where no session type says otherwise.
package enum SessionRule {
  package static let readingIntervalMin = 10
  /// In g/kg.
  package static let releaseLimit = 0.2
  package static let food = "fasted"
  /// What a decision makes of a session: somebody may go, stays, or has left without a word.
  package static let states = ["released": "released", "kept": "running", "left": "ended"]
}

/// Holds what decides about a study day, beside its entries, against the log: sessions and their limits, what is
/// offered, measures of people, accounts and settings.
struct DayCheck {
  static let tables = ["session_types", "slots", "accounts", "tokens"]

  let db: Database

  func firstDifference() throws -> EntryDifference? {
    try offers() ?? sessions() ?? measures() ?? accounts() ?? settings()
  }

  private func changes(_ actions: String...) throws -> [Event] {
    try EventLog.events(of: actions, in: db)
  }

  /// Whether a column holds what a change says of it.
  private func holds(_ row: SafeRow, _ column: String, _ value: EventValue?) -> Bool {
    value?.string.map { row[column] as String? == $0 }
      ?? Self.isNear(row[column] as Double?, value?.double)
  }

  private static func isNear(_ one: Double?, _ other: Double?) -> Bool {
    guard let one, let other else { return one == nil && other == nil }
    return abs(one - other) <= 8 * other.ulp
  }

  // MARK: What is offered

  /// Columns of what is offered that decide about sessions.
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
      // The session was begun at some time, by what held then.
      let held =
        type == nil
        ? [.object(Self.usual)]
        : types.filter { $0["id"] == type.map(EventValue.integer) }
      for column in Self.usual.keys.sorted() {
        let isTold = held.contains { $0[column] != nil && holds(row, column, $0[column]) }
        guard isTold else { return different("its \(column) was never that of its session type") }
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

  /// The columns of measures, what events call them, and how many of the one are the other.
  private static let measured = [
    ("sex", "sex", 1.0), ("age_y", "age_y", 1), ("height_m", "height_cm", 100),
    ("weight_kg", "weight_kg", 1),
  ]

  /// Measures of whom the log says something: they must be what it, or an import, once said.
  private func measures() throws -> EntryDifference? {
    let imports = try db.rows(
      "SELECT row, column_name, new_value FROM changes WHERE table_name = 'subjects'")
    for (subject, changes) in Dictionary(grouping: try changes("subject.measures"), by: \.subject)
      .sorted(by: { ($0.value.first?.seq ?? 0) < ($1.value.first?.seq ?? 0) })
    {
      guard let subject else { continue }
      let said = changes.flatMap { [$0.oldValue, $0.newValue] }
      let own = imports.filter { $0["row"] as String? == subject }
      func isTold(_ row: SafeRow) -> Bool {
        Self.measured.allSatisfy { column, name, scale in
          let told = said.compactMap { $0[name] }.map { value in
            value.double.map { EventValue.number($0 / scale) } ?? value
          }
          let brought = own.filter { $0["column_name"] == column }.map { $0.value("new_value") }
          return row.value(column) == .null
            || (told + brought).contains { holds(row, column, $0) }
        }
      }
      if let person = try db.row("SELECT * FROM subjects WHERE name = ?", [subject]),
        !isTold(person)
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
      for series in sessions where !isTold(series) {
        return EntryDifference(
          what: "session", name: "\(series["occasion"] ?? "") of \(subject)",
          message: "a measure of the body in it was never said")
      }
    }
    return nil
  }

  // MARK: Accounts and settings

  private func accounts() throws -> EntryDifference? {
    let invitations = try changes("account.invite").map(\.newValue)
    let ends = try changes("account.revoke", "account.restore")
    for row in try db.rows("SELECT * FROM accounts ORDER BY id") {
      let (id, name, role): (Int64, String, String) = (row["id"], row["name"], row["role"])
      func different(_ message: String) -> EntryDifference {
        EntryDifference(what: "account", name: name, message: message)
      }
      let own = invitations.last { $0["account"]?.string == name }
      guard let own else { return different("nobody invited it") }
      guard own["role"]?.string == role else { return different("it was invited in another role") }
      let end = ends.last { $0.newValue["id"] == .integer(id) }
      guard (end?.action == "account.revoke") == ((row["revoked_ms"] as Int64?) != nil) else {
        return different("whether it was ended is not what the log says")
      }
    }
    for end in try changes("token.revoke") {
      guard case .integer(let id) = end.newValue["id"],
        let row = try db.row("SELECT revoked_ms FROM tokens WHERE id = ?", [id]),
        (row["revoked_ms"] as Int64?) == nil
      else { continue }
      return EntryDifference(what: "token", name: "\(id)", message: "it was ended, and is not")
    }
    return nil
  }

  private func settings() throws -> EntryDifference? {
    let last = try changes("settings.change").last?.newValue
    for (name, usual) in [
      ("blood_breath_ratio", nil), ("no_show_cost", 0.0), ("release_second_person", 1.0),
    ] {
      guard let stored = try db.setting(name) else { continue }
      let said = last?[name].flatMap { $0.double ?? $0.flag.map { $0 ? 1 : 0 } }
      guard Self.isNear(stored, said ?? usual) else {
        return EntryDifference(
          what: "setting", name: name, message: "its value is not the one in the log")
      }
    }
    return nil
  }
}
