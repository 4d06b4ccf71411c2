import GRDB

/// What the researcher says of the kinds of vital signs, in the database.
struct VitalSettings {
  private let db: Database

  init(_ db: Database) {
    self.db = db
  }

  /// The settings of all kinds, in their order.
  func all() throws -> [VitalSetting] {
    var settings: [VitalKind: VitalSetting] = [:]
    for row in try SafeRow.all(
      db, "SELECT * FROM vital_kinds")
    {
      let (least, most): (Double, Double) = (row["least"], row["most"])
      guard let kind = VitalKind(rawValue: row["kind"]), least <= most else { continue }
      settings[kind] = VitalSetting(
        kind: kind, importance: row["importance"], range: least...most, below: row["below"],
        above: row["above"])
    }
    return VitalKind.allCases.compactMap { settings[$0] }
  }

  /// What can be true, per kind, in its unit.
  func ranges() throws -> [VitalKind: ClosedRange<Double>] {
    Dictionary(try all().map { ($0.kind, $0.range) }, uniquingKeysWith: { first, _ in first })
  }

  /// How many days a mean is taken over.
  func span() throws -> Int {
    let days = try Double.fetchOne(db, sql: "SELECT value FROM settings WHERE name = 'span_days'")
    return days.map { Int(max(1, min($0, 100_000))) } ?? 7
  }

  func set(_ setting: VitalSetting) throws {
    try db.execute(
      sql: """
        UPDATE vital_kinds SET importance = ?, least = ?, most = ?, below = ?, above = ?
        WHERE kind = ?
        """,
      values: [
        setting.importance, setting.range.lowerBound, setting.range.upperBound, setting.below,
        setting.above, setting.kind.rawValue,
      ])
  }

  func set(span days: Int) throws {
    try db.execute(
      sql: """
        INSERT INTO settings (name, value) VALUES ('span_days', ?)
        ON CONFLICT DO UPDATE SET value = excluded.value
        """, values: [days])
  }
}
