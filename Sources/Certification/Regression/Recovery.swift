import StudyData
package import StudyFiles

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
  package static func recovery(
    of truth: ResultTable, by estimates: ResultTable, key: [String]
  ) -> ResultTable {
    let truth = KeyedTable(truth, key: key)
    let estimates = KeyedTable(estimates, key: key)
    let trueRows = Dictionary(
      zip(truth.keys, truth.table.rows), uniquingKeysWith: { first, _ in first })
    let names = truth.table.columns.filter { !key.contains($0) && estimates.index[$0] != nil }
    let rows = names.map { name -> [String] in
      // Results name what belongs to a parameter by its symbol, with which their columns begin.
      let symbol = name.prefix { $0 != "_" }
      var errors: [Double] = []
      var (intervals, covered) = (0, 0)
      for (key, row) in zip(estimates.keys, estimates.table.rows) {
        guard let value = trueRows[key].flatMap({ truth.number(name, in: $0) }) else { continue }
        if let estimate = estimates.number(name, in: row),
          estimates.text("\(symbol)_identifiable", in: row) != "no"
        {
          errors.append(estimate - value)
        }
        let low = estimates.number("\(symbol)_low", in: row)
        let high = estimates.number("\(symbol)_high", in: row)
        guard low != nil || high != nil else { continue }
        intervals += 1
        if low ?? value <= value, value <= high ?? value { covered += 1 }
      }
      func mean(_ values: [Double]) -> Double? {
        values.isEmpty ? nil : values.reduce(0, +) / Double(values.count)
      }
      let (bias, rmse) = (mean(errors), mean(errors.map { $0 * $0 })?.squareRoot())
      return [
        name, String(errors.count), bias?.description ?? "", rmse?.description ?? "",
        String(intervals), String(covered),
      ]
    }
    return ResultTable(
      columns: ["parameter", "n", "bias", "rmse", "intervals", "covered"], rows: rows)
  }
}
