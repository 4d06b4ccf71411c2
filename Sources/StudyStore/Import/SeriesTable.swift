import GRDB

/// The table of series, with its keys in memory.
final class SeriesTable {
  private struct Key: Hashable {
    var subject: Int64
    var occasion: String?
  }

  private let db: Database
  private let insert: RawStatement
  private var places: [Key: SeriesPlace] = [:]

  init(on db: Database) throws {
    self.db = db
    insert = try RawStatement(
      "INSERT INTO series (subject_id, occasion, starts_utc, day) VALUES (?, ?, ?, ?)", on: db)
    let all = try RawStatement("SELECT id, subject_id, occasion FROM series", on: db)
    try all.forEach { row in
      let key = Key(subject: row.integer(1), occasion: row.text(2))
      places[key] = SeriesPlace(id: row.integer(0), isNew: false)
    }
  }

  /// Finds or makes the series of a subject on an occasion.
  func add(
    _ occasion: String?, of subject: Int64, startsUTC: String? = nil, day: String? = nil
  ) throws -> SeriesPlace {
    let key = Key(subject: subject, occasion: occasion)
    if let place = places[key] {
      places[key]?.isNew = false
      places[key]?.isRepeated = true
      return place
    }
    insert.bind(subject, at: 1)
    insert.bind(occasion, at: 2)
    insert.bind(startsUTC, at: 3)
    insert.bind(day ?? occasion.flatMap(CalendarDay.init)?.text, at: 4)
    try insert.run()
    let place = SeriesPlace(id: db.lastInsertedRowID, isNew: true)
    places[key] = SeriesPlace(id: place.id, isNew: false, isRepeated: true)
    return place
  }

  /// Removes what stood for a subject without any row, once there are rows under another occasion,
  /// and series that have no row any more because all were corrected to be another's.
  func removeEmptyOnes(leftBy left: Set<Int64> = []) throws {
    let brought = Set(places.values.filter(\.isRepeated).map(\.id))
    for id in left.subtracting(brought) {
      try db.execute(
        sql: """
          DELETE FROM series
          WHERE id = ? AND NOT EXISTS (SELECT 1 FROM drinks WHERE series_id = series.id)
            AND NOT EXISTS (SELECT 1 FROM readings WHERE series_id = series.id)
          """, arguments: [id])
    }
    try db.execute(
      sql: """
        DELETE FROM series
        WHERE occasion IS NULL
          AND NOT EXISTS (SELECT 1 FROM drinks WHERE series_id = series.id)
          AND NOT EXISTS (SELECT 1 FROM readings WHERE series_id = series.id)
          AND EXISTS (
            SELECT 1 FROM series AS other
            WHERE other.subject_id = series.subject_id AND other.occasion IS NOT NULL)
        """)
  }
}
