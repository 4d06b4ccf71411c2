public import GRDB
import StudyData

/// What study days entered. There every change is an event, and pages and fits show the same; an import that changed
/// it would be neither told nor shown.
@_spi(StudyDay) public struct ServedRecords {
  private let db: Database
  private let series: Set<Int64>
  private let subjects: Set<Int64>

  public init(in db: Database) throws {
    self.db = db
    guard try db.hasTable("sessions", of: "8-study-day") else {
      (series, subjects) = ([], [])
      return
    }
    let rows = try db.rows(
      "SELECT series_id, subject_id FROM sessions JOIN series ON series.id = sessions.series_id")
    series = Set(rows.compactMap { $0["series_id"] as Int64? })
    subjects = Set(rows.compactMap { $0["subject_id"] as Int64? })
  }

  /// Ends an import that would change a series of a study day.
  public func requireOther(series id: Int64) throws {
    guard series.contains(id) else { return }
    let (subject, occasion) = try SeriesTable.name(of: id, in: db) ?? ("", nil)
    throw StoreError(
      .served, path: "",
      message:
        "drinks and readings of \(subject.quoted) on \((occasion ?? "").quoted) were entered on a "
        + "study day, and would change")
  }

  /// Ends an import that would change the measures of somebody who took part.
  public func requireOther(subject id: Int64, _ name: String) throws {
    guard subjects.contains(id) else { return }
    throw StoreError(
      .served, path: "",
      message: "\(name.quoted) took part in a study day, and the measures of the body would change")
  }
}
