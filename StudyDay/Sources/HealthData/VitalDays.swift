import DayDatabase
import GRDB
@_spi(StudyDay) import StudyData
@_spi(StudyDay) public import StudyStore

/// The vital signs of one kind on one day: several entries are averaged.
public struct VitalDay: Hashable, Sendable {
  public var subject: String
  /// The day on the clock of the place, as `2024-05-01`.
  public var day: String
  public var kind: VitalKind
  /// Importance from 1 to 5.
  public var importance: Int
  public var count: Int
  public var mean: Double
  public var lowest: Double
  public var highest: Double
}

/// Which vital signs are looked at.
public struct VitalFilter: Hashable, Sendable {
  /// The subjects by name; nil for all.
  public var subjects: Set<String>?
  /// The range of days, as `2024-05-01`; nil for all.
  public var days: ClosedRange<String>?
  /// The kinds; nil for all.
  public var kinds: Set<VitalKind>?
  public var importance: Int

  /// Looks at everything, unless something is said.
  public init(
    subjects: Set<String>? = nil,
    days: ClosedRange<String>? = nil,
    kinds: Set<VitalKind>? = nil,
    importance: Int = 1
  ) {
    self.subjects = subjects
    self.days = days
    self.kinds = kinds
    self.importance = importance
  }

  func takes(_ day: VitalDay) -> Bool {
    subjects?.contains(day.subject) ?? true && days?.contains(day.day) ?? true
      && kinds?.contains(day.kind) ?? true && day.importance >= importance
  }
}

extension StudyStore {
  /// The vital signs, averaged per day, by subject, kind and day.
  ///
  /// - Throws: `StoreError` if the database cannot be read.
  public func vitalDays(_ filter: VitalFilter = VitalFilter()) throws(StoreError) -> [VitalDay] {
    try read(StudyStore.vitalTables) { try VitalDay.all(filter, in: $0) }
  }
}

extension VitalDay {
  static func all(_ filter: VitalFilter, in db: Database) throws -> [VitalDay] {
    try db.rows("SELECT * FROM (\(StudyStore.dailyMeans)) ORDER BY subject, kind, day").compactMap {
      row in
      guard let kind = VitalKind(rawValue: row["kind"]) else { return nil }
      let day = VitalDay(
        subject: row["subject"], day: row["day"], kind: kind, importance: row["importance"],
        count: row["n"], mean: row["mean"], lowest: row["lowest"], highest: row["highest"])
      guard CalendarDay(day.day) != nil, day.lowest.isFinite, day.highest.isFinite else {
        throw StoreError.damage("vitals", "an entry has no valid day and value")
      }
      return filter.takes(day) ? day : nil
    }
  }
}
