import StudyData
package import StudyFiles

extension ResultTable {
  /// Recovery of known true values by estimates: a row per column that both tables have.
  ///
  /// `n` counts estimates that the readings determine (their column `..._identifiable`, if any, is
  /// not "no"), `bias` is the mean and `rmse` the root mean square of estimate minus truth, in the
  /// unit of the column; `covered` counts the intervals that contain the truth, of `intervals` with
  /// an end.
  ///
  /// - Parameters:
  ///   - estimates: The estimates, a row per series.
  ///   - truth: The true values, in columns of the same names.
  ///   - key: The columns that identify rows.
  package static func recovery(
    of truth: ResultTable, by estimates: ResultTable, key: [String]
  ) -> ResultTable {
    let truth = KeyedTable(truth, key: key)
    let estimates = KeyedTable(estimates, key: key)
    let trueRows = Dictionary(
      zip(truth.keys, truth.table.rows), uniquingKeysWith: { first, _ in first })
    let names = truth.table.columns.filter { !key.contains($0) && estimates.index[$0] != nil }
    let rows = names.map { name -> [String] in
      // Columns that belong to a parameter begin with its symbol.
      let symbol = name.prefix { $0 != "_" }
      var errors: [Double] = []
      var intervals = 0
      var covered = 0
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
      let bias = mean(errors)
      let rmse = mean(errors.map { $0 * $0 })?.squareRoot()
      return [
        name, String(errors.count), bias?.description ?? "", rmse?.description ?? "",
        String(intervals), String(covered),
      ]
    }
    return ResultTable(
      columns: ["parameter", "n", "bias", "rmse", "intervals", "covered"], rows: rows)
  }
}
