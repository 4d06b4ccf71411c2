public import StudyData

/// A table of golden results beside one that was made anew.
public struct TableComparison: Sendable {
  /// Where they differ, column by column for whole columns, then row by row.
  public let drifts: [Drift]
  /// How many values were compared.
  public let comparedValues: Int
  /// The new golden results: what was found, but with the old values where they are close enough, so
  /// that taking them changes nothing else than what drifted.
  public let updated: ResultTable

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
  public init(
    of golden: ResultTable?, with found: ResultTable, key: [String], rules: [GoldenRule]
  ) {
    var comparer = TableComparer(
      golden: KeyedTable(golden ?? ResultTable(columns: found.columns, rows: []), key: key),
      found: KeyedTable(found, key: key), tolerances: ColumnTolerances(rules))
    comparer.compare()
    drifts = comparer.drifts
    comparedValues = comparer.comparedValues
    updated = ResultTable(columns: found.columns, rows: comparer.rows)
  }
}

extension ResultTable {
  /// The table with the columns that golden results keep.
  ///
  /// - Parameters:
  ///   - columns: Their names; nil for all. Names that the table lacks are passed over.
  ///   - rules: The rules, which leave out some.
  public func kept(_ columns: [String]?, rules: [GoldenRule]) -> ResultTable {
    let tolerances = ColumnTolerances(rules)
    let kept = self.columns.indices.filter { index in
      let name = self.columns[index]
      return columns?.contains(name) ?? true && !tolerances.leavesOut(name)
    }
    return ResultTable(
      columns: kept.map { self.columns[$0] }, rows: rows.map { row in kept.map { row[$0] } })
  }
}
