public import GRDB
import StudyData

@_spi(StudyDay) public struct SeriesPlace: Hashable {
  public var id: Int64
  /// Whether this import made it: then there is nothing to compare with.
  var isNew: Bool
  /// Whether the study has it a second time: then it is compared with what it brought itself.
  var isRepeated = false

  /// Whether a table may have rows of the series.
  func mayHaveRows(inTableThatWasEmpty wasEmpty: Bool) -> Bool {
    isRepeated || !(isNew || wasEmpty)
  }
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
    let condition = subject == nil ? "" : "WHERE subject_id = ?"
    try db.forEach(
      "SELECT id, subject_id, occasion FROM series \(condition)",
      subject.map { [$0.databaseValue] } ?? []
    ) { row in
      places[Key(subject: row.integer(1), occasion: row.text(2))] = SeriesPlace(
        id: row.integer(0), isNew: false)
    }
  }

  static func name(
    of series: Int64, in db: Database
  ) throws -> (subject: String, occasion: String?)? {
    try db.row(
      "SELECT name, occasion FROM series JOIN subjects ON subjects.id = subject_id WHERE series.id = ?",
      [series]
    ).map { ($0["name"], $0["occasion"]) }
  }

  /// Whether a subject has a series on an occasion.
  public func has(_ occasion: String, of subject: Int64) -> Bool {
    places[Key(subject: subject, occasion: occasion)] != nil
  }

  public func add(
    _ occasion: String?, of subject: Int64, startsUTC: String? = nil, day: String? = nil
  ) throws -> SeriesPlace {
    let key = Key(subject: subject, occasion: occasion)
    if let place = places[key] {
      places[key]?.isNew = false
      places[key]?.isRepeated = true
      return place
    }
    try db.insert(
      into: "series",
      [
        "subject_id": subject, "occasion": occasion, "starts_utc": startsUTC,
        "day": day ?? occasion.flatMap(CalendarDay.init)?.text,
      ])
    let place = SeriesPlace(id: db.lastInsertedRowID, isNew: true)
    places[key] = SeriesPlace(id: place.id, isNew: false, isRepeated: true)
    return place
  }

  /// Removes what stood for a subject without any row, once there are rows under another occasion,
  /// and series that have no row any more because all were corrected to be another's.
  public func removeEmptyOnes(leftBy left: Set<Int64> = []) throws {
    let isEmpty = """
      NOT EXISTS (SELECT 1 FROM drinks WHERE series_id = series.id)
      AND NOT EXISTS (SELECT 1 FROM readings WHERE series_id = series.id)
      """
    let brought = Set(places.values.filter(\.isRepeated).map(\.id))
    for id in left.subtracting(brought).sorted() {
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
