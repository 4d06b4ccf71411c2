import HealthData
import Reporting
import StudyStore

extension Report {
  /// The report of vital signs per day and of thresholds that are crossed.
  static func vitals(
    _ days: [VitalDay], _ crossings: [VitalCrossing], crossingsFirst: Bool, provenance: Provenance
  ) -> Report {
    let sections = [
      Section(Self.days, rows: days),
      Section(Self.crossings, rows: crossings),
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

  static func vitalSettings(
    _ settings: [VitalSetting], spanDays: Int, provenance: Provenance
  ) -> Report {
    return Report(
      sections: [
        Section(Self.settings, rows: settings.map { (setting: $0, spanDays: spanDays) })
      ],
      notes: ["Means are taken over \(spanDays) days."], provenance: provenance)
  }

  static let days = TableLayout<VitalDay>(
    "days", "A row per subject, day and kind.",
    columns: [
      Column("subject", heading: "subject", "subject", \.subject),
      Column("day", heading: "day", "the day, as 2024-05-01", \.day),
      Column("kind", heading: "kind", "the kind of vital sign", \.kind),
      Column("importance", heading: "importance", "importance of the kind, 1 to 5", \.importance),
      Column("n", heading: "n", "number of entries", \.count),
      Column("mean", in: "`unit`", heading: "mean", style: .decimals(2), "their mean", \.mean),
      Column(
        "lowest", in: "`unit`", heading: "lowest", style: .decimals(2), "lowest value", \.lowest),
      Column(
        "highest", in: "`unit`", heading: "highest", style: .decimals(2), "highest value", \.highest
      ),
      Column("unit", heading: "unit", "unit of the kind", \.kind.unit),
    ])

  static let crossings = TableLayout<VitalCrossing>(
    "crossings", "`--crossings`: a row per stretch of days beyond a threshold.",
    columns: [
      Column("subject", heading: "subject", "subject", \.subject),
      Column("kind", heading: "kind", "the kind of vital sign", \.kind),
      Column("side", heading: "side", "side of the threshold", \.side.rawValue),
      Column(
        "threshold", in: "`unit`", heading: "threshold", style: .whole, "threshold", \.threshold),
      Column("first_day", heading: "first day", "first day", \.firstDay),
      Column("last_day", heading: "last day", "last day", \.lastDay),
      Column(
        "extreme_mean", in: "`unit`", heading: "extreme mean", style: .decimals(2),
        "mean furthest from the threshold", \.extreme),
      Column("unit", heading: "unit", "unit of the kind", \.kind.unit),
    ])

  static let settings = TableLayout<(setting: VitalSetting, spanDays: Int)>(
    "settings", "`--settings`: a row per kind.",
    columns: [
      Column("kind", heading: "kind", "the kind of vital sign", \.setting.kind),
      Column(
        "importance", heading: "importance", "importance of the kind, 1 to 5", \.setting.importance),
      Column(
        "below", in: "`unit`", heading: "below", style: .whole,
        "threshold below which a mean is reported", \.setting.below),
      Column(
        "above", in: "`unit`", heading: "above", style: .whole,
        "threshold above which a mean is reported", \.setting.above),
      Column(
        "least", in: "`unit`", heading: "least", style: .whole, "smallest value accepted",
        \.setting.range.lowerBound),
      Column(
        "most", in: "`unit`", heading: "most", style: .whole, "largest value accepted",
        \.setting.range.upperBound),
      Column("unit", heading: "unit", "unit of the kind", \.setting.kind.unit),
      Column("span_days", "number of days averaged", \.spanDays),
    ])

  static func imported(_ counts: ImportCounts, provenance: Provenance) -> Report {
    return Report(
      sections: [
        Section(
          Self.imported, rows: RecordType.allCases.map { (type: $0, counts: counts[$0]) })
      ],
      provenance: provenance)
  }

  static let imported = TableLayout<(type: RecordType, counts: ImportCounts.Tally)>(
    "imported", "A row per type of record.",
    columns: [
      Column("type", heading: "type", "type of record", \.type),
      Column("added", heading: "added", "new records", \.counts.added),
      Column("changed", heading: "changed", "records that replaced others", \.counts.changed),
      Column("unchanged", heading: "unchanged", "records already present", \.counts.unchanged),
      Column("refused", heading: "refused", "records that could not be used", \.counts.refused),
    ])
}

extension VitalKind: ColumnValue {}
extension RecordType: ColumnValue {}
