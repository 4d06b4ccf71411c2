import StudyData
package import StudyFiles

/// A table of golden results beside one that was made anew.
package struct TableComparison: Codable, Hashable, Sendable {
  /// Where they differ, column by column for whole columns, then row by row.
  package private(set) var drifts: [Drift] = []
  package private(set) var comparedValues = 0
  /// The new golden results: what was found, but with the old values where they are close enough, so
  /// that taking them changes nothing else than what drifted.
  package private(set) var updated: ResultTable

  /// Compares two tables.
  ///
  /// Rows belong together if their key is the same, wherever they stand. Numbers may differ by what
  /// the rules allow; all else must be the same to the letter.
  ///
  /// - Parameters:
  ///   - golden: The golden results; nil if there are none yet.
  ///   - found: The results made anew, of which the columns that rules leave out are not looked at.
  ///   - key: The columns that tell rows apart; a table without one of them has no rows in common
  ///     with another.
  ///   - rules: What may differ.
  package init(
    of golden: ResultTable?, with found: ResultTable, key: [String], rules: [GoldenRule]
  ) {
    updated = found
    let golden = KeyedTable(golden ?? ResultTable(columns: found.columns, rows: []), key: key)
    let found = KeyedTable(found, key: key)
    let tolerances = ColumnTolerances(rules)
    drifts += golden.table.columns.filter { found.index[$0] == nil }
      .map { Drift(kind: .columnGone, column: $0) }
    drifts += found.table.columns.filter { golden.index[$0] == nil }
      .map { Drift(kind: .columnNew, column: $0) }
    let foundKeys = Set(found.keys)
    drifts += golden.keys.filter { !foundKeys.contains($0) }
      .map { Drift(kind: .rowGone, row: golden.label($0)) }
    let goldenRows = Dictionary(
      zip(golden.keys, golden.table.rows), uniquingKeysWith: { first, _ in first })
    let rows = zip(found.keys, found.table.rows).map { key, row in
      guard let old = goldenRows[key] else {
        drifts.append(Drift(kind: .rowNew, row: found.label(key)))
        return row
      }
      return zip(found.table.columns, row).map { column, new in
        guard let index = golden.index[column] else { return new }
        comparedValues += 1
        guard
          let drift = tolerances.drift(
            in: column, row: found.label(key), from: old[index], to: new)
        else { return old[index] }
        drifts.append(drift)
        return new
      }
    }
    updated = ResultTable(columns: found.table.columns, rows: rows)
  }
}

extension ResultTable {
  /// The table with the columns that golden results keep.
  ///
  /// - Parameters:
  ///   - columns: Their names; nil for all. Names that the table lacks are passed over.
  ///   - rules: The rules, which leave out some.
  package func kept(_ columns: [String]?, rules: [GoldenRule]) -> ResultTable {
    let tolerances = ColumnTolerances(rules)
    let kept = self.columns.indices.filter { index in
      let name = self.columns[index]
      return columns?.contains(name) ?? true && !tolerances.leavesOut(name)
    }
    return ResultTable(
      columns: kept.map { self.columns[$0] }, rows: rows.map { row in kept.map { row[$0] } })
  }
}

/// A table whose rows are told apart by some of its columns.
struct KeyedTable {
  let table: ResultTable
  let index: [String: Int]
  /// The key of each row, in order.
  let keys: [[String]]
  private let names: [String]

  init(_ table: ResultTable, key: [String]) {
    self.table = table
    let columns = key.compactMap(table.columns.firstIndex)
    index = Dictionary(
      zip(table.columns, table.columns.indices), uniquingKeysWith: { first, _ in first })
    keys = table.rows.map { row in columns.map { row[$0] } }
    names = key
  }

  /// The text of a column in a row; nil if there is no such column or nothing in it.
  func text(_ column: String, in row: [String]) -> String? {
    index[column].map { row[$0] }.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The number of a column in a row; nil if there is none.
  func number(_ column: String, in row: [String]) -> Double? {
    text(column, in: row).flatMap { Double($0) }
  }

  /// How a row is named in messages.
  func label(_ key: [String]) -> String {
    zip(names, key).filter { !$1.isEmpty }.map { "\($0) \($1)" }.joined(separator: ", ")
  }
}

/// One place in which results differ from golden ones.
package struct Drift: Codable, Hashable, Sendable {
  package enum Kind: String, CaseIterable, Codable, Hashable, Sendable {
    case value
    /// The golden results have a row that is gone.
    case rowGone = "row-gone"
    /// There is a row that the golden results lack.
    case rowNew = "row-new"
    /// The golden results have a column that is gone.
    case columnGone = "column-gone"
    /// There is a column that the golden results lack.
    case columnNew = "column-new"
  }

  package var kind: Kind
  /// The row, by its key; nil if a whole column is meant.
  package var row: String?
  /// The column; nil if a whole row is meant.
  package var column: String?
  /// The golden value; nil if there is none.
  package var old: String?
  /// The value found; nil if there is none.
  package var new: String?
  /// The new value less the old one, where both are numbers.
  package var difference: Double?
  /// How large the difference may be; nil where anything but equality is a drift.
  package var tolerance: Double?
}

/// What the rules of golden results say of a column.
struct ColumnTolerances {
  private let allowances: [String: GoldenRule.Allowance]

  init(_ rules: [GoldenRule]) {
    let pairs = rules.flatMap { rule in rule.columns.map { ($0, rule.allowance) } }
    allowances = Dictionary(pairs, uniquingKeysWith: { first, _ in first })
  }

  func leavesOut(_ column: String) -> Bool { allowance(column) == .leftOut }

  /// How a value differs from a golden one by more than it may; nil if it does not.
  func drift(in column: String, row: String, from old: String, to new: String) -> Drift? {
    guard old != new else { return nil }
    var drift = Drift(kind: .value, row: row, column: column, old: old, new: new)
    guard let before = Double(old), let after = Double(new) else { return drift }
    let tolerance = tolerance(of: column, at: before)
    drift.difference = after - before
    drift.tolerance = tolerance
    return abs(after - before) <= tolerance ? nil : drift
  }

  /// How much a number may differ from a golden one.
  private func tolerance(of column: String, at golden: Double) -> Double {
    guard case .within(let absolute, let relative) = allowance(column) else { return 0 }
    return max(absolute, relative * abs(golden))
  }

  private func allowance(_ column: String) -> GoldenRule.Allowance? {
    allowances[column] ?? allowances[GoldenRule.anyColumn]
  }
}
