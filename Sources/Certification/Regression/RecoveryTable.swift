public import StudyData

extension ResultTable {
  /// How well estimates recover a known truth: a row per column that both tables have.
  ///
  /// `n` counts the estimates that there are and that the readings determine (the column
  /// `..._identifiable`, where there is one, does not say no), `bias` is the mean of estimate minus
  /// truth and `rmse` the root of its mean square, both in the unit of the column; `covered` counts
  /// the intervals, of `intervals` that have an end, in which the truth lies.
  ///
  /// - Parameters:
  ///   - estimates: What was estimated, a row per series.
  ///   - truth: The true values, in columns of the same names.
  ///   - key: The columns that tell rows apart.
  public static func recovery(
    of truth: ResultTable, by estimates: ResultTable, key: [String]
  ) -> ResultTable {
    let truth = KeyedTable(truth, key: key)
    let estimates = KeyedTable(estimates, key: key)
    let names = truth.table.columns.filter { !key.contains($0) && estimates.index[$0] != nil }
    return ResultTable(
      columns: ["parameter", "n", "bias", "rmse", "intervals", "covered"],
      rows: names.map { ParameterRecovery(of: $0, in: truth, by: estimates).row })
  }
}
