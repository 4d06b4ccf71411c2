public import GRDB
import StudyData

/// The parts of a study day's tables that the toolkit reads.
@_spi(StudyDay) extension Database {
  /// The possible blood:breath ratios, as `promille case` checks them; published ones are 1800 to
  /// 2600.
  public static let bloodBreathRatios = 1000.0...4000.0

  /// A setting of the study day; nil if it is not set.
  public func setting(_ name: String) throws -> Double? {
    try value("SELECT value FROM settings WHERE name = ?", [name])
  }

  /// The blood:breath ratio that was set; nil for one that cannot be, as another program may have written anything.
  public func bloodBreathRatio() throws -> Double? {
    try setting("blood_breath_ratio").flatMap { Self.bloodBreathRatios ~= $0 ? $0 : nil }
  }

  /// Whether there is a table of a study day, which a step of its schema made.
  func hasTable(_ name: String, of step: String) throws -> Bool {
    guard try has("SELECT 1 FROM grdb_migrations WHERE identifier = ?", [step]) else {
      return false
    }
    guard try has("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?", [name]) else {
      throw StoreError.damage(name, "a study day made it, and it is gone")
    }
    return true
  }
}

/// The records entered on study days. Their changes are events, which pages and fits show; an
/// import would change them unseen.
@_spi(StudyDay) public struct ServedRecords {
  private let series: [Int64: (subject: String, occasion: String)]
  private let subjects: Set<Int64>

  public init(in db: Database) throws {
    guard try db.hasTable("sessions", of: "8-study-day") else {
      series = [:]
      subjects = []
      return
    }
    let rows = try db.rows(
      """
      SELECT series_id, subject_id, name, occasion FROM sessions
        JOIN series ON series.id = series_id JOIN subjects ON subjects.id = subject_id
      """)
    series = Dictionary(
      rows.map { ($0["series_id"], ($0["name"], $0["occasion"])) }, uniquingKeysWith: { $1 })
    subjects = Set(rows.map { $0["subject_id"] })
  }

  /// Throws if an import would change a series of a study day.
  public func requireNotServed(series id: Int64) throws {
    guard let served = series[id] else { return }
    throw StoreError(
      .served, path: "",
      message:
        "drinks and readings of \(served.subject.quoted) on \(served.occasion.quoted) were entered on "
        + "a study day, and would change")
  }

  /// Throws if an import would change the measures of somebody who took part in a study day.
  func requireNotServed(subject id: Int64, _ name: String) throws {
    guard subjects.contains(id) else { return }
    throw StoreError(
      .served, path: "",
      message: "\(name.quoted) took part in a study day, and the measures of the body would change")
  }
}
