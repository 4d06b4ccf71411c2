import AlcoholKinetics
import Estimation
import Validation

/// How one method does in one quantity: by its errors, or of times to sobriety by what is estimated of them.
struct MethodRow {
  private let quantity: ComparedQuantity
  private let sex: Sex?
  private let method: String
  private let isRanked: Bool
  private let subjects: Int
  private let count: Int
  private let bias: EstimatedValue?
  private let mae: EstimatedValue?
  /// The errors themselves; nil of times to sobriety.
  private let exact: MethodSummary?
  /// Nil of other quantities.
  private let times: SobrietySummary?

  init(_ summary: MethodSummary) {
    quantity = summary.quantity
    sex = summary.sex
    method = summary.method
    isRanked = summary.isRanked
    subjects = summary.subjects
    count = summary.errors.count
    bias = summary.bias
    mae = summary.mae
    exact = summary
    times = nil
  }

  init(_ summary: SobrietySummary) {
    quantity = .sobriety
    sex = summary.sex
    method = summary.method
    isRanked = summary.isRanked
    subjects = summary.knownSubjects
    count = summary.known
    bias = summary.estimate?.biasMinutes
    mae = summary.estimate?.meanAbsoluteMinutes
    exact = nil
    times = summary
  }

  static let table = TableLayout(
    "methods",
    """
    `--summary`: a row per quantity and method, and per sex with `--by sex`. Times to sobriety are known between limits:
    their rows have what is estimated from these, as in the table `sobriety`, and how many times are known how.
    """, columns: whoseColumns + statisticColumns + countColumns)

  private static let whoseColumns: [Column<MethodRow>] =
    ComparedQuantity.columns { $0.quantity } + [
      Column("unit", "unit of the errors", \.quantity.unit)
    ] + Sex.groupColumns { $0.sex } + Column<MethodRow>.method { $0.method }
    + Column<MethodRow>.ranked { $0.isRanked } + [
      Column("subjects", "subjects with at least one error", \.subjects),
      Column("n", heading: "n", "number of errors", \.count),
      Column("interval", "kind of interval: Student's t below 8 subjects", \.exact?.intervalKind),
    ]

  private static let statisticColumns: [Column<MethodRow>] =
    columns(
      "bias", "mean error; of times to sobriety the estimate, if there is one", shownAs: "bias"
    ) { $0.bias }
    + columns(
      "mae", "mean absolute error; of times to sobriety the estimate, if there is one",
      shownAs: "MAE"
    ) { $0.mae }
    + Column.estimate(
      "rmse", in: "`unit`", "root mean square error; empty for times to sobriety", \.exact?.rmse
    ) + [
      Column(forPeople: "RMSE") { row in
        row.exact.map { $0.quantity.displayed($0.errors.rmse, nil) }
      },
      Column(
        "median", in: "`unit`", "median error; empty for times to sobriety", \.exact?.errors.median),
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

  private static let countColumns: [Column<MethodRow>] = [
    Column(
      "between", "for times to sobriety: series whose time lies between two readings"
    ) { $0.times?.count(.between) },
    Column("at_least", "series above the threshold at the last reading") {
      $0.times?.count(.atLeast)
    },
    Column("at_most", "series never above the threshold") { $0.times?.count(.atMost) },
    Column("unknown", "series with no information; not counted in `n`") {
      $0.times?.count(.unknown)
    },
  ]

  private static func columns(
    _ name: String, _ meaning: String, shownAs heading: String,
    _ value: @escaping @Sendable (MethodRow) -> EstimatedValue?
  ) -> [Column<MethodRow>] {
    Column.estimate(name, in: "`unit`", meaning, value) + [
      Column(forPeople: heading) { row in
        value(row).map { row.quantity.displayed($0.value, $0.interval) }
      }
    ]
  }
}
