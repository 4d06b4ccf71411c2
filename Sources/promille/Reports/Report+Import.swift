import Reporting
import StudyStore

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
