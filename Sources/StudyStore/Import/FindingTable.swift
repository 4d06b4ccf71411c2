import GRDB
import StudyData

/// The table of findings: those of a series give way to what is found when it is imported again.
final class FindingTable {
  private let insert: RawStatement
  private let remove: RawStatement
  private let wasEmpty: Bool

  init(on db: Database) throws {
    insert = try RawStatement(
      """
      INSERT INTO findings (series_id, code, file, line, column_number, message, remedy)
      VALUES (?, ?, ?, ?, ?, ?, ?)
      """, on: db)
    wasEmpty = try RawStatement("SELECT 1 FROM findings LIMIT 1", on: db).isEmpty()
    remove = try RawStatement("DELETE FROM findings WHERE series_id IS ?", on: db)
  }

  /// Replaces the findings on a series, or those on the study itself.
  func replace(_ diagnostics: [Diagnostic], of place: SeriesPlace?) throws {
    if place?.mayHaveRows(inTableThatWasEmpty: wasEmpty) ?? !wasEmpty {
      remove.bind(place?.id, at: 1)
      try remove.run()
    }
    for diagnostic in diagnostics {
      insert.bind(place?.id, at: 1)
      insert.bind(diagnostic.code.rawValue, at: 2)
      insert.bind(diagnostic.location.file, at: 3)
      insert.bind(diagnostic.location.line.map(Int64.init), at: 4)
      insert.bind(diagnostic.location.column.map(Int64.init), at: 5)
      insert.bind(diagnostic.message, at: 6)
      insert.bind(diagnostic.remedy, at: 7)
      try insert.run()
    }
  }
}
