public import GRDB
import StudyData

@_spi(StudyDay) public struct SeriesPlace: Hashable {
  public var id: Int64
  /// True if it was just made: then there is nothing to compare with.
  var isNew = false
  /// True if the import has already added to it: then records are compared with those, too.
  var isRepeated = false
}

/// The table of series, with its keys in memory.
@_spi(StudyDay) public final class SeriesTable {
  private struct Key: Hashable {
    var subject: Int64
    var occasion: String?
  }

  private let db: Database
  /// The subject whose series are meant; nil for all.
  private let subject: Int64?
  private var places: [Key: SeriesPlace] = [:]

  /// - Parameter subject: The subject whose series are meant; nil for all.
  public init(of subject: Int64? = nil, on db: Database) throws {
    self.db = db
    self.subject = subject
    let rows = try db.rows(
      "SELECT id, subject_id, occasion FROM series WHERE ?1 IS NULL OR subject_id = ?1", [subject])
    for row in rows {
      places[Key(subject: row["subject_id"], occasion: row["occasion"])] = SeriesPlace(
        id: row["id"])
    }
  }

  /// Whether a subject has a series on an occasion.
  public func has(_ occasion: String, of subject: Int64) -> Bool {
    places[Key(subject: subject, occasion: occasion)] != nil
  }

  public func add(
    _ occasion: String?, of subject: Int64, startsUTC: String? = nil, day: String? = nil
  ) throws -> SeriesPlace {
    let key = Key(subject: subject, occasion: occasion)
    if let series = places[key] {
      places[key]?.isRepeated = true
      return series
    }
    try db.insert(
      into: "series",
      [
        "subject_id": subject, "occasion": occasion, "starts_utc": startsUTC,
        "day": day ?? occasion.flatMap(CalendarDay.init)?.text,
      ])
    let id = db.lastInsertedRowID
    places[key] = SeriesPlace(id: id, isRepeated: true)
    return SeriesPlace(id: id, isNew: true)
  }

  /// Removes a subject's series without rows and occasion once it has rows on an occasion, and vacated
  /// series that have no row any more.
  public func removeEmptyOnes(vacated: Set<Int64> = []) throws {
    let isEmpty = """
      NOT EXISTS (SELECT 1 FROM drinks WHERE series_id = series.id)
      AND NOT EXISTS (SELECT 1 FROM readings WHERE series_id = series.id)
      """
    let brought = Set(places.values.filter(\.isRepeated).map(\.id))
    for id in vacated.subtracting(brought).sorted() {
      try db.run("DELETE FROM series WHERE id = ? AND \(isEmpty)", [id])
    }
    try db.run(
      """
      DELETE FROM series
      WHERE (?1 IS NULL OR subject_id = ?1) AND occasion IS NULL AND \(isEmpty)
        AND EXISTS (
          SELECT 1 FROM series AS other
          WHERE other.subject_id = series.subject_id AND other.occasion IS NOT NULL)
      """, [subject])
  }
}
