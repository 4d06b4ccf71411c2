import StudyData
package import StudyFiles

/// Comparison of a table of golden results with one computed anew.
package struct TableComparison: Codable, Hashable, Sendable {
  /// The differences: whole columns first, then row by row.
  package private(set) var drifts: [Drift] = []
  package private(set) var comparedValues = 0
  /// The updated golden results: the new values where they drifted, the old ones where they are
  /// close enough, so that an update changes nothing else.
  package private(set) var updated: ResultTable

  /// Compares two tables.
  ///
  /// Rows match by key, in any order. Numbers may differ within the tolerances of the rules;
  /// everything else must be identical.
  ///
  /// - Parameters:
  ///   - golden: The golden results; nil if there are none yet.
  ///   - found: The results computed anew, without columns that rules leave out.
  ///   - key: The columns that identify rows; a table without one of them has no rows in common
  ///     with another.
  ///   - rules: The tolerances.
  package init(
    of golden: ResultTable?, with found: ResultTable, key: [String], rules: [GoldenRule]
  ) {
    updated = found
    let golden = KeyedTable(golden ?? ResultTable(columns: found.columns, rows: []), key: key)
    let recomputed = KeyedTable(found, key: key)
    let tolerances = ColumnTolerances(rules)
    drifts += golden.table.columns.filter { recomputed.index[$0] == nil }
      .map { Drift(kind: .columnGone, column: $0) }
    drifts += recomputed.table.columns.filter { golden.index[$0] == nil }
      .map { Drift(kind: .columnNew, column: $0) }
    let foundKeys = Set(recomputed.keys)
    drifts += golden.keys.filter { !foundKeys.contains($0) }
      .map { Drift(kind: .rowGone, row: golden.label($0)) }
    let goldenRows = Dictionary(
      zip(golden.keys, golden.table.rows), uniquingKeysWith: { first, _ in first })
    let rows = zip(recomputed.keys, recomputed.table.rows).map { key, row in
      guard let old = goldenRows[key] else {
        drifts.append(Drift(kind: .rowNew, row: recomputed.label(key)))
        return row
      }
      return zip(recomputed.table.columns, row).map { column, new in
        guard let index = golden.index[column] else { return new }
        comparedValues += 1
        guard
          let drift = tolerances.drift(
            in: column, row: recomputed.label(key), from: old[index], to: new)
        else { return old[index] }
        drifts.append(drift)
        return new
      }
    }
    updated = ResultTable(columns: recomputed.table.columns, rows: rows)
  }
}

extension ResultTable {
  /// Returns the table with the columns that golden results keep.
  ///
  /// - Parameters:
  ///   - columns: Their names; nil for all. Names missing in the table are ignored.
  ///   - rules: The rules, which leave out some columns.
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

/// A table with the columns that identify its rows.
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

  /// Returns the text of a column in a row; nil without a column or text.
  func text(_ column: String, in row: [String]) -> String? {
    index[column].map { row[$0] }.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Returns the number of a column in a row; nil without one.
  func number(_ column: String, in row: [String]) -> Double? {
    text(column, in: row).flatMap { Double($0) }
  }

  /// Returns the name of a row in messages.
  func label(_ key: [String]) -> String {
    zip(names, key).filter { !$1.isEmpty }.map { "\($0) \($1)" }.joined(separator: ", ")
  }
}

/// One difference of results from golden ones.
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
  /// The new value; nil if there is none.
  package var new: String?
  /// The new value minus the old one, if both are numbers.
  package var difference: Double?
  /// The tolerance of the difference; nil if only equality is accepted.
  package var tolerance: Double?
}

/// The tolerances of columns, by the rules of golden results.
struct ColumnTolerances {
  private let allowances: [String: GoldenRule.Allowance]

  init(_ rules: [GoldenRule]) {
    let pairs = rules.flatMap { rule in rule.columns.map { ($0, rule.allowance) } }
    allowances = Dictionary(pairs, uniquingKeysWith: { first, _ in first })
  }

  func leavesOut(_ column: String) -> Bool { allowance(column) == .leftOut }

  /// Compares a value with a golden one; returns nil if the difference is within the tolerance.
  func drift(in column: String, row: String, from old: String, to new: String) -> Drift? {
    guard old != new else { return nil }
    var drift = Drift(kind: .value, row: row, column: column, old: old, new: new)
    guard let before = Double(old), let after = Double(new) else { return drift }
    let tolerance = tolerance(of: column, at: before)
    drift.difference = after - before
    drift.tolerance = tolerance
    return abs(after - before) <= tolerance ? nil : drift
  }

  /// Returns the tolerance of a number, absolute or relative to the golden one.
  private func tolerance(of column: String, at golden: Double) -> Double {
    guard case .within(let absolute, let relative) = allowance(column) else { return 0 }
    return max(absolute, relative * abs(golden))
  }

  private func allowance(_ column: String) -> GoldenRule.Allowance? {
    allowances[column] ?? allowances[GoldenRule.anyColumn]
  }
}
