import GRDB
public import StudyStore

/// What the researcher says of a kind of vital sign.
public struct VitalSetting: Hashable, Sendable {
  public var kind: VitalKind
  /// How much it matters, from 1 to 5; unless set, 3. Thresholds count above 3.
  public var importance: Int
  /// What can be true, in the unit of the kind.
  public var range: ClosedRange<Double>
  /// The threshold that the mean should not fall below.
  public var below: Double?
  /// The threshold that the mean should not rise above.
  public var above: Double?
}

extension StudyStore {
  /// What is set for each kind of vital sign.
  ///
  /// - Throws: `StoreError` if the database cannot be read.
  public func vitalSettings() throws(StoreError) -> (kinds: [VitalSetting], spanDays: Int) {
    try read(Schema.vitalTables) { db in
      let settings = try VitalSettings(db)
      return (settings.all, settings.spanDays)
    }
  }

  /// Changes what is set, in one transaction.
  ///
  /// - Parameters:
  ///   - spanDays: The days a mean is taken over; nil leaves them.
  ///   - body: Changes a kind's settings.
  /// - Throws: `StoreError`, with the database as it was.
  public func changeVitalSettings(
    spanDays: Int? = nil, _ body: (inout VitalSetting) -> Void
  ) throws(StoreError) {
    try write(Schema.vitalTables) { db in
      for var record in try VitalKindRecord.fetchAll(db) {
        guard var setting = record.setting else { continue }
        body(&setting)
        record.setting = setting
        try record.update(db)
      }
      if let spanDays {
        var span = SettingRecord(name: SettingRecord.span, value: Double(spanDays))
        try span.save(db)
      }
    }
  }
}

struct VitalSettings {
  let all: [VitalSetting]
  let spanDays: Int

  init(_ db: Database) throws {
    let stored = try VitalKindRecord.fetchAll(db).compactMap(\.setting)
    all = VitalKind.allCases.compactMap { kind in stored.first { $0.kind == kind } }
    let span = try SettingRecord.filter(key: SettingRecord.span).fetchOne(db)
    spanDays = span.map { Int(max(1, min($0.value, 100_000))) } ?? 7
  }

  /// What can be true, per kind, in its unit.
  var ranges: [VitalKind: ClosedRange<Double>] {
    Dictionary(uniqueKeysWithValues: all.map { ($0.kind, $0.range) })
  }
}

private struct VitalKindRecord: StoreRecord {
  static let databaseTableName = "vital_kinds"

  var kind: String
  var unit: String
  var least: Double
  var most: Double
  var importance: Int
  var below: Double?
  var above: Double?

  /// As the researcher sees it; nil for a kind that is not known, or if nothing can be true.
  var setting: VitalSetting? {
    get {
      guard let kind = VitalKind(rawValue: kind), least <= most else { return nil }
      return VitalSetting(
        kind: kind, importance: importance, range: least...most, below: below, above: above)
    }
    set {
      guard let newValue else { return }
      (least, most) = (newValue.range.lowerBound, newValue.range.upperBound)
      (importance, below, above) = (newValue.importance, newValue.below, newValue.above)
    }
  }
}

private struct SettingRecord: StoreRecord {
  static let databaseTableName = "settings"
  static let span = "span_days"

  var name: String
  var value: Double
}
