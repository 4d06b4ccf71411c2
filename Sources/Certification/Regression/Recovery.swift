import StudyData
public import StudyFiles

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

/// How well the true values of one parameter are recovered.
struct ParameterRecovery {
  private let name: String
  private var errors: [Double] = []
  private var intervals = 0
  private var covered = 0

  init(of name: String, in truth: KeyedTable, by estimates: KeyedTable) {
    self.name = name
    let trueRows = Dictionary(
      zip(truth.keys, truth.table.rows), uniquingKeysWith: { first, _ in first })
    for (key, row) in zip(estimates.keys, estimates.table.rows) {
      guard let value = trueRows[key].flatMap({ truth.number(name, in: $0) }) else { continue }
      count(value, by: row, of: estimates)
    }
  }

  private mutating func count(_ truth: Double, by row: [String], of estimates: KeyedTable) {
    // Results name what belongs to a parameter by its symbol, with which their columns begin.
    let symbol = name.prefix { $0 != "_" }
    if let value = estimates.number(name, in: row),
      estimates.text("\(symbol)_identifiable", in: row) != "no"
    {
      errors.append(value - truth)
    }
    let low = estimates.number("\(symbol)_low", in: row)
    let high = estimates.number("\(symbol)_high", in: row)
    guard low != nil || high != nil else { return }
    intervals += 1
    if low ?? truth <= truth, truth <= high ?? truth { covered += 1 }
  }

  /// The row of ``StudyData/ResultTable/recovery(of:by:key:)``.
  var row: [String] {
    [
      name, String(errors.count), bias?.description ?? "", rmse?.description ?? "",
      String(intervals), String(covered),
    ]
  }

  private var bias: Double? { mean(errors) }

  private var rmse: Double? { mean(errors.map { $0 * $0 })?.squareRoot() }

  private func mean(_ values: [Double]) -> Double? {
    values.isEmpty ? nil : values.reduce(0, +) / Double(values.count)
  }
}
