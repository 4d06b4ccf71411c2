package import Reporting
import StudyData
package import StudyFiles

extension Report {
  /// The report of comparing results with golden ones: the drifts, and a row per table.
  package static func regression(
    _ outcomes: [GoldenOutcome], provenance: Provenance
  ) -> Report {
    let drifts = outcomes.flatMap { outcome in
      outcome.drifts.map { (result: outcome.result, drift: $0) }
    }
    return Report(
      introduction: [verdict(on: outcomes)],
      sections: [
        Section(driftTable, rows: drifts),
        Section(outcomeTable, rows: outcomes),
      ],
      notes: outcomes.compactMap(\.remark),
      provenance: provenance)
  }

  private static func verdict(on outcomes: [GoldenOutcome]) -> String {
    let counts = ["ok", "drifted", "failed", "absent"].compactMap { status in
      let count = outcomes.count { $0.status == status }
      return count > 0 ? "\(count) \(status)" : nil
    }
    let values = outcomes.map { $0.comparison?.comparedValues ?? 0 }.reduce(0, +)
    return "Golden tables: \(counts.joined(separator: ", ")). Values compared: \(values)."
  }

  package static let driftTable = TableLayout<(result: GoldenResult, drift: Drift)>(
    "drifts",
    columns: [
      Column("file", \.result.file),
      Column(forPeople: "table", \.result.shortName),
      Column("drift", \.drift.kind),
      Column("row", heading: "row", \.drift.row),
      Column("column", heading: "column", \.drift.column),
      Column("old", \.drift.old),
      Column(forPeople: "old") { $0.drift.shown($0.drift.old, ifNone: .rowNew, .columnNew) },
      Column("new", \.drift.new),
      Column(forPeople: "new") { $0.drift.shown($0.drift.new, ifNone: .rowGone, .columnGone) },
      Column("difference", heading: "difference", style: .significant(2), \.drift.difference),
      Column("tolerance", heading: "tolerance", style: .significant(2), \.drift.tolerance),
    ])

  package static let outcomeTable = TableLayout<GoldenOutcome>(
    "results",
    columns: [
      Column("file", \.result.file),
      Column(forPeople: "table", \.result.shortName),
      Column("command") { $0.result.command.joined(separator: " ") },
      Column("status", oneOf: ["ok", "drifted", "absent", "failed"], heading: "status", \.status),
      .reason { $0.reason },
      Column("rows", heading: "rows", \.comparison?.updated.rows.count),
      Column("values", heading: "values", \.comparison?.comparedValues),
      Column("drifts", heading: "drifts", \.comparison?.drifts.count),
    ])
}

extension GoldenResult {
  /// The table's file, with the folder that identifies its study.
  var shortName: String {
    file.split(separator: "/").filter { $0 != "golden" }.suffix(2).joined(separator: "/")
  }
}

extension GoldenOutcome {
  var reason: String? {
    switch ending {
    case .compared: nil
    case .absent(let reason), .failed(let reason): reason
    }
  }

  fileprivate var remark: String? { reason.map { "\(result.shortName) \(status): \($0)" } }
}

extension Drift {
  /// The displayed value; a word if the row or the column itself is missing.
  fileprivate func shown(_ text: String?, ifNone kinds: Kind...) -> String? {
    if kinds.contains(kind) { return "none" }
    guard let text else { return kind == .value ? "" : "there" }
    guard let number = Double(text), text.count > 10 else {
      return text.isEmpty ? "empty" : text.count > 20 ? text.prefix(17) + "..." : text
    }
    return NumberStyle.significant(7).format(number)
  }
}

extension Report {
  /// Returns the message of a commit that updates golden results: a subject line, and for each
  /// table its command, the rows and columns added and removed, and for each column the number of
  /// changed values and the largest change.
  package static func summary(ofUpdating outcomes: [GoldenOutcome]) -> String {
    let changed = outcomes.filter { !$0.drifts.isEmpty }
    guard !changed.isEmpty else { return "No golden result changes.\n" }
    let values = changed.flatMap(\.drifts).count { $0.kind == .value }
    let heading =
      "Update golden results: \(values.counted("value")) in \(changed.count.counted("table"))"
    return ([heading] + changed.map(\.change)).joined(separator: "\n\n") + "\n"
  }
}

extension GoldenOutcome {
  fileprivate var drifts: [Drift] { comparison?.drifts ?? [] }

  fileprivate var change: String {
    let heading = "\(result.file) (\(result.command.joined(separator: " "))):".printable
      .wrapped(to: 72)
    let changes = Drift.Kind.allCases.compactMap { $0 == .value ? nil : addedOrRemoved($0) }
    return ([heading] + changes + valueChanges).joined(separator: "\n")
  }

  private func addedOrRemoved(_ kind: Drift.Kind) -> String? {
    let names = drifts.filter { $0.kind == kind }.compactMap { $0.row ?? $0.column }
    guard !names.isEmpty else { return nil }
    return "- \(kind.words(names.count)): \(names.shortened(to: 3, "; "))".printable
      .wrapped(to: 72)
  }

  private var valueChanges: [String] {
    let values = drifts.filter { $0.kind == .value }
    return values.compactMap(\.column).uniqued.compactMap { column in
      let changes = values.filter { $0.column == column }
      return changes.max { $0.size < $1.size }.map { largest in
        let prefix = changes.count == 1 ? "" : "\(changes.count) values, most for "
        let change = "\(largest.shown(largest.old)) -> \(largest.shown(largest.new))"
        return "- \(column): \(prefix)\(largest.row ?? ""): \(change)".printable.wrapped(to: 72)
      }
    }
  }
}

extension Drift {
  fileprivate var size: Double { abs(difference ?? .infinity) }

  fileprivate func shown(_ text: String?) -> String {
    guard let text, !text.isEmpty else { return "empty" }
    return text
  }
}

extension Drift.Kind {
  fileprivate func words(_ count: Int) -> String {
    switch self {
    case .value: "\(count) changed"
    case .rowGone: count.counted("row") + " less"
    case .rowNew: count.counted("row") + " more"
    case .columnGone: count.counted("column") + " less"
    case .columnNew: count.counted("column") + " more"
    }
  }
}

extension Drift.Kind: ColumnValue {}
