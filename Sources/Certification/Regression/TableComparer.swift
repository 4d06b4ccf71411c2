import StudyData

/// Walks through two tables and notes where they differ.
struct TableComparer {
  let golden: KeyedTable
  let found: KeyedTable
  let tolerances: ColumnTolerances
  private(set) var drifts: [Drift] = []
  private(set) var comparedValues = 0
  /// The new golden rows.
  private(set) var rows: [[String]] = []

  init(golden: KeyedTable, found: KeyedTable, tolerances: ColumnTolerances) {
    self.golden = golden
    self.found = found
    self.tolerances = tolerances
  }

  mutating func compare() {
    compareColumns()
    compareRows()
  }

  private mutating func compareColumns() {
    drifts += golden.table.columns.filter { found.index[$0] == nil }
      .map { Drift(.columnGone, column: $0) }
    drifts += found.table.columns.filter { golden.index[$0] == nil }
      .map { Drift(.columnNew, column: $0) }
  }

  private mutating func compareRows() {
    let foundKeys = Set(found.keys)
    drifts += golden.keys.filter { !foundKeys.contains($0) }
      .map { Drift(.rowGone, row: golden.label($0)) }
    let goldenRows = Dictionary(
      zip(golden.keys, golden.table.rows), uniquingKeysWith: { first, _ in first })
    for (key, row) in zip(found.keys, found.table.rows) {
      if let old = goldenRows[key] {
        rows.append(compared(row, with: old, label: found.label(key)))
      } else {
        drifts.append(Drift(.rowNew, row: found.label(key)))
        rows.append(row)
      }
    }
  }

  /// The new golden row for one that is there already.
  private mutating func compared(_ row: [String], with old: [String], label: String) -> [String] {
    zip(found.table.columns, row).map { column, new in
      guard let index = golden.index[column] else { return new }
      comparedValues += 1
      guard let drift = drift(in: column, from: old[index], to: new, label: label) else {
        return old[index]
      }
      drifts.append(drift)
      return new
    }
  }

  private func drift(
    in column: String, from old: String, to new: String, label: String
  ) -> Drift? {
    guard old != new else { return nil }
    var drift = Drift(.value, row: label, column: column, old: old, new: new)
    guard let before = Double(old), let after = Double(new) else { return drift }
    let tolerance = tolerances.tolerance(of: column, at: before)
    drift.difference = after - before
    drift.tolerance = tolerance
    return abs(after - before) <= tolerance ? nil : drift
  }
}
