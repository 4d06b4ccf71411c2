import HealthData
import Reporting
import StudyStore

extension Report {
  /// The report of vital signs per day and of thresholds that are crossed.
  static func vitals(
    _ days: [VitalDay], _ crossings: [VitalCrossing], crossingsFirst: Bool, provenance: Provenance
  ) -> Report {
    let dayColumns: [Column<VitalDay>] = [
      Column("subject", heading: "subject") { .text($0.subject) },
      Column("day", heading: "day") { .text($0.day) },
      Column("kind", heading: "kind") { .text($0.kind.rawValue) },
      Column("importance", heading: "importance") { .integer($0.importance) },
      Column("n", heading: "n") { .integer($0.count) },
      Column("mean", heading: "mean", style: .decimals(2)) { .number($0.mean) },
      Column("lowest", heading: "lowest", style: .decimals(2)) { .number($0.lowest) },
      Column("highest", heading: "highest", style: .decimals(2)) { .number($0.highest) },
      Column("unit", heading: "unit") { .text($0.kind.unit) },
    ]
    let crossingColumns: [Column<VitalCrossing>] = [
      Column("subject", heading: "subject") { .text($0.subject) },
      Column("kind", heading: "kind") { .text($0.kind.rawValue) },
      Column("side", heading: "side") { .text($0.side.rawValue) },
      Column("threshold", heading: "threshold", style: .whole) { .number($0.threshold) },
      Column("first_day", heading: "first day") { .text($0.firstDay) },
      Column("last_day", heading: "last day") { .text($0.lastDay) },
      Column("extreme_mean", heading: "extreme mean", style: .decimals(2)) {
        .number($0.extreme)
      },
      Column("unit", heading: "unit") { .text($0.kind.unit) },
    ]
    let sections = [
      Section(name: "days", table: Table(dayColumns, rows: days)),
      Section(name: "crossings", table: Table(crossingColumns, rows: crossings)),
    ]
    return Report(
      sections: crossingsFirst ? sections.reversed() : sections,
      notes: days.isEmpty
        ? [
          "There are no such vital signs; promille import reads them from Apple Health and vitals.csv."
        ]
        : ["thresholds crossed: \(crossings.count)"],
      provenance: provenance)
  }

  /// The report of what is set for vital signs.
  static func vitalSettings(
    _ settings: [VitalSetting], spanDays: Int, provenance: Provenance
  ) -> Report {
    let columns: [Column<VitalSetting>] = [
      Column("kind", heading: "kind") { .text($0.kind.rawValue) },
      Column("importance", heading: "importance") { .integer($0.importance) },
      Column("below", heading: "below", style: .whole) { .number($0.below) },
      Column("above", heading: "above", style: .whole) { .number($0.above) },
      Column("least", heading: "least", style: .whole) { .number($0.range.lowerBound) },
      Column("most", heading: "most", style: .whole) { .number($0.range.upperBound) },
      Column("unit", heading: "unit") { .text($0.kind.unit) },
      Column("span_days") { _ in .integer(spanDays) },
    ]
    return Report(
      sections: [Section(name: "settings", table: Table(columns, rows: settings))],
      notes: ["Means are taken over \(spanDays) days."], provenance: provenance)
  }
}

extension Report {
  /// The report of what an import did, a row per type.
  static func imported(_ counts: ImportCounts, provenance: Provenance) -> Report {
    let columns: [Column<RecordType>] = [
      Column("type", heading: "type") { .text($0.rawValue) },
      Column("added", heading: "added") { .integer(counts[$0].added) },
      Column("changed", heading: "changed") { .integer(counts[$0].changed) },
      Column("unchanged", heading: "unchanged") { .integer(counts[$0].unchanged) },
      Column("refused", heading: "refused") { .integer(counts[$0].refused) },
    ]
    return Report(
      sections: [Section(name: "imported", table: Table(columns, rows: RecordType.allCases))],
      provenance: provenance)
  }
}
