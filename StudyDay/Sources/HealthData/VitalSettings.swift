import DayDatabase
import Foundation
import GRDB
@_spi(StudyDay) public import StudyStore

/// Settings of a kind of vital sign.
public struct VitalSetting: Hashable, Sendable {
  public var kind: VitalKind
  /// Importance from 1 to 5, by default 3. Thresholds count above 3.
  public var importance: Int
  /// Plausible range, in the unit of the kind.
  public var range: ClosedRange<Double>
  /// The threshold that the mean should not fall below.
  public var below: Double?
  /// The threshold that the mean should not rise above.
  public var above: Double?
}

extension StudyStore {
  /// Returns the settings of each kind of vital sign, and the span of its means in days.
  ///
  /// - Throws: `StoreError` if the database cannot be read.
  public func vitalSettings() throws(StoreError) -> (kinds: [VitalSetting], spanDays: Int) {
    try read(StudyStore.vitalTables) { db in
      let settings = try VitalSettings(db)
      return (settings.all, settings.spanDays)
    }
  }

  /// Changes settings in one transaction, and logs the change.
  ///
  /// - Parameters:
  ///   - spanDays: The days a mean is taken over; nil leaves them.
  ///   - body: Changes a kind's settings.
  /// - Throws: `StoreError`, with the database as it was.
  public func changeVitalSettings(
    spanDays: Int? = nil, _ body: (inout VitalSetting) -> Void
  ) throws(StoreError) {
    try write(StudyStore.vitalTables + StudyStore.eventTables) { db in
      let old = try VitalSettings.json(of: db)
      for var setting in try VitalSettings(db).all {
        let kind = setting.kind.rawValue
        body(&setting)
        try db.run(
          """
          UPDATE vital_kinds SET least = ?, most = ?, importance = ?, below = ?, above = ? WHERE kind = ?
          """,
          [
            setting.range.lowerBound, setting.range.upperBound, setting.importance, setting.below,
            setting.above, kind,
          ])
      }
      if let spanDays { try db.set(VitalSettings.span, to: Double(spanDays)) }
      let new = try VitalSettings.json(of: db)
      guard new != old else { return }
      let event = try EventLog.append(
        Event(actor: "command line", action: "settings.change", old: old, new: new),
        at: Int64(Date().timeIntervalSince1970 * 1000), after: EventLog.last(in: db), in: db)
      try db.recordSettingsChange(event.seq)
    }
  }
}

struct VitalSettings {
  fileprivate static let span = "span_days"

  let all: [VitalSetting]
  let spanDays: Int

  fileprivate static func json(of db: Database) throws -> EventValue {
    .object([
      "vitals": try db.vitalKinds(),
      span: .integer(Int64(try VitalSettings(db).spanDays)),
    ])
  }

  init(_ db: Database) throws {
    // Skips unknown kinds and invalid rows.
    all = try VitalKind.allCases.compactMap { kind in
      guard let row = try db.row("SELECT * FROM vital_kinds WHERE kind = ?", [kind.rawValue]) else {
        return nil
      }
      let (least, most): (Double, Double) = (row["least"], row["most"])
      guard least <= most else { return nil }
      return VitalSetting(
        kind: kind, importance: row["importance"], range: least...most, below: row["below"],
        above: row["above"])
    }
    spanDays = try db.setting(Self.span).map { Int(max(1, min($0, 100_000))) } ?? 7
  }

  /// Plausible range of each kind, in its unit.
  var ranges: [VitalKind: ClosedRange<Double>] {
    Dictionary(uniqueKeysWithValues: all.map { ($0.kind, $0.range) })
  }
}
