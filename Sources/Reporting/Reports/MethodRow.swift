import AlcoholKinetics
import Estimation
import Validation

/// How one method does in one quantity: exact errors, or times to sobriety that are known between limits.
enum MethodRow {
  case exact(MethodSummary)
  case limited(SobrietySummary)

  static let table = TableLayout(
    "methods",
    """
    `--summary`: a row per quantity and method, and per sex with `--by sex`. The time to sobriety is known only
    by its limits: its rows have `bias_least` and `bias_most` where others have `bias`, and their intervals run
    from the lower end for the smallest value to the upper end for the largest.
    """, columns: whoseColumns + statisticColumns + limitColumns)

  private static let whoseColumns: [Column<MethodRow>] =
    ComparedQuantity.columns { $0.quantity } + [
      Column("unit", "unit of the errors", \.quantity.unit)
    ] + Sex.groupColumns { $0.exact?.sex ?? $0.limited?.sex }
    + Column<MethodRow>.method { $0.exact?.method ?? $0.limited?.method ?? "" }
    + Column<MethodRow>.ranked { $0.exact?.isRanked ?? $0.limited?.isRanked ?? true } + [
      Column("subjects", "subjects with at least one error") {
        $0.exact?.subjects ?? $0.limited?.knownSubjects ?? 0
      },
      Column("n", heading: "n", "number of errors") {
        $0.exact?.errors.count ?? $0.limited?.known ?? 0
      },
      Column("interval", "kind of interval: Student's t below 8 subjects", \.exact?.intervalKind),
    ]

  private static let statisticColumns: [Column<MethodRow>] =
    columns("bias", "mean error", \.bias, \.biasInterval, \.bias) + [
      Column(forPeople: "bias") { $0.displayed(\.bias, \.biasInterval, \.bias) }
    ] + columns("mae", "mean absolute error", \.mae, \.maeInterval, \.mae) + [
      Column(forPeople: "MAE") { $0.displayed(\.mae, \.maeInterval, \.mae) }
    ] + columns("rmse", "root mean square error", \.rmse, \.rmseInterval, \.rmse) + [
      Column(forPeople: "RMSE") { row in
        row.exact.map { $0.quantity.displayed($0.errors.rmse, nil) }
          ?? row.limited?.errors?.rmse.displayed
      },
      Column("median", in: "`unit`", "median error; empty if only limits are known") {
        $0.exact?.errors.median ?? $0.limited?.errors?.median.value
      },
      Column(
        "loa_low", in: "`unit`",
        "lower limit of agreement (Bland & Altman 2007, for several errors per subject)",
        \.exact?.limitsOfAgreement?.low),
      Column(
        "loa_high", in: "`unit`", "upper limit of agreement", \.exact?.limitsOfAgreement?.high),
      Column(forPeople: "LoA") { row in
        row.exact.flatMap { summary in
          summary.limitsOfAgreement.map { summary.quantity.displayed($0) }
        }
      },
    ]

  /// What only times to sobriety have, whose errors are known between limits.
  private static let limitColumns: [Column<MethodRow>] =
    [
      Column("between", "for times to sobriety: series whose time lies between two readings") {
        $0.limited?.count(.between)
      },
      Column("at_least", "series above the threshold at the last reading") {
        $0.limited?.count(.atLeast)
      },
      Column("at_most", "series never above the threshold") { $0.limited?.count(.atMost) },
      Column("unknown", "series with no information; not counted in `n`") {
        $0.limited?.count(.unknown)
      },
    ] + limits("bias", "mean error") { $0.bias } + limits("mae", "mean absolute error") { $0.mae }
    + limits("rmse", "root mean square error") { $0.rmse }
    + limits("median", "median error") { $0.median }

  private static func columns(
    _ name: String, _ meaning: String, _ value: any KeyPath<Sample, Double> & Sendable,
    _ interval: any KeyPath<MethodSummary, Interval?> & Sendable, _ limited: Limited
  ) -> [Column<MethodRow>] {
    [
      Column(name, in: "`unit`", "\(meaning); empty if only limits are known") {
        $0.exact?.errors[keyPath: value] ?? $0.limited?.errors?[keyPath: limited].value
      },
      Column("\(name)_low", in: "`unit`", "lower end of its interval over subjects") {
        $0.exact?[keyPath: interval]?.low ?? $0.limited?.errors?[keyPath: limited].low
      },
      Column("\(name)_high", in: "`unit`", "upper end of its interval over subjects") {
        $0.exact?[keyPath: interval]?.high ?? $0.limited?.errors?[keyPath: limited].high
      },
    ]
  }

  private static func limits(
    _ name: String, _ meaning: String,
    _ value: @escaping @Sendable (SobrietySummary.Errors) -> BoundedStatistic
  ) -> [Column<MethodRow>] {
    BoundedStatistic.columns(name, in: "`unit`", meaning) { ($0.limited?.errors).map(value) }
  }

  private typealias Limited = any KeyPath<SobrietySummary.Errors, BoundedStatistic> & Sendable

  private var exact: MethodSummary? { if case .exact(let summary) = self { summary } else { nil } }

  private var limited: SobrietySummary? {
    if case .limited(let summary) = self { summary } else { nil }
  }

  private var quantity: ComparedQuantity { exact?.quantity ?? .sobriety }

  private func displayed(
    _ value: KeyPath<Sample, Double>, _ interval: KeyPath<MethodSummary, Interval?>,
    _ limits: KeyPath<SobrietySummary.Errors, BoundedStatistic>
  ) -> String? {
    switch self {
    case .exact(let summary):
      summary.quantity.displayed(summary.errors[keyPath: value], summary[keyPath: interval])
    case .limited(let summary): summary.errors?[keyPath: limits].displayed
    }
  }
}
