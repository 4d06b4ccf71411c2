import StudyData

/// What the rules of golden results say of a column.
struct ColumnTolerances {
  private let allowances: [String: GoldenRule.Allowance]

  init(_ rules: [GoldenRule]) {
    let pairs = rules.flatMap { rule in rule.columns.map { ($0, rule.allowance) } }
    allowances = Dictionary(pairs, uniquingKeysWith: { first, _ in first })
  }

  func leavesOut(_ column: String) -> Bool { allowance(column) == .leftOut }

  /// How much a number may differ from a golden one.
  func tolerance(of column: String, at golden: Double) -> Double {
    guard case .within(let absolute, let relative) = allowance(column) else { return 0 }
    return max(absolute, relative * abs(golden))
  }

  private func allowance(_ column: String) -> GoldenRule.Allowance? {
    allowances[column] ?? allowances[GoldenRule.anyColumn]
  }
}
