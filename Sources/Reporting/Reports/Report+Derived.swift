import AlcoholKinetics
import Estimation
import StudyData

extension Report {
  static let derived = TableLayout<(fit: StudyFit, estimate: DerivedEstimate)>(
    "derived",
    "With `--derived`, in JSON and on a terminal: a row per fit and quantity. CSV has them in further columns of "
      + "`fits`.",
    columns: Series.identityColumns { $0.fit.series } + [
      Column(
        "quantity", oneOf: DerivedQuantity.allCases.map(\.rawValue), "name of the quantity",
        \.estimate.quantity.rawValue),
      Column(forPeople: "quantity") { row in
        let threshold = row.estimate.threshold.map {
          " \(NumberStyle.significant(3).format($0))"
        }
        return row.estimate.quantity.title + (threshold ?? "")
      },
      Column(forPeople: "value") { $0.fit.kept?.value.shown($0.estimate) },
      Column("unit", heading: "unit", "unit of the numbers in this row", \.estimate.quantity.unit),
      Column("threshold_g_per_kg", "threshold, of the time to it", \.estimate.threshold),
      Column(
        "value", in: "`unit`",
        "value of the fitted curve; empty if it has none, and at a search limit", \.estimate.value),
      Column(
        "se", in: "`unit`", "its standard error by the delta method", \.estimate.standardError),
      Column(forPeople: "SE (delta)", style: .significant(2), \.estimate.standardError),
      Column(
        "low", in: "`unit`", "lower end of its interval; empty if the readings set none",
        \.estimate.low),
      Column(
        "high", in: "`unit`", "upper end of its interval; empty if the readings set none",
        \.estimate.high),
    ])
}

extension SeriesFit {
  /// What people are shown of a derived quantity: never a value that the readings do not determine.
  func shown(_ estimate: DerivedEstimate) -> String? {
    let style: NumberStyle = estimate.quantity.unit == "min" ? .decimals(1) : .significant(3)
    let value = estimate.value.map { style.format($0) }
    guard estimate.isEstimated else { return value }
    if let ends = style.range(estimate.low, estimate.high) {
      guard let value, estimate.low != nil, estimate.high != nil else { return ends }
      return "\(value) (\(ends))"
    }
    // Profiles and replicates that set no end say more than a covariance.
    let isExamined = estimates.values.contains { $0.isIdentifiable != nil }
    guard !isExamined, let value, let error = estimate.standardError else { return "?" }
    return "\(value) +- \(NumberStyle.significant(2).format(error))"
  }
}

extension Report {
  /// Columns for derived quantities in rows of fits, after all others; none if none was asked for.
  static func derivedColumns(of options: FitOptions) -> [Column<StudyFit>] {
    let quantities = options.derived.quantities
    return quantities.isEmpty ? [] : derivedColumns(quantities, of: options)
  }

  private static func derivedColumns(
    _ quantities: [DerivedQuantity], of options: FitOptions?
  ) -> [Column<StudyFit>] {
    relativeErrorColumns(of: options) + quantities.flatMap(columns)
  }

  /// The columns of a row of fits with derived quantities, all that there can be.
  static let derivedColumns = TableLayout<StudyFit>(
    "fits_derived",
    "With `--derived` or `--threshold`: further columns of `fits` in CSV and NDJSON, those of the quantities that "
      + "were asked for.",
    columns: derivedColumns(DerivedQuantity.allCases, of: nil))

  private static func relativeErrorColumns(of options: FitOptions?) -> [Column<StudyFit>] {
    parameters(of: options).map { parameter in
      Column(
        "\(parameter.rawValue)_rse_pct", in: "%",
        isDetail: options?.estimate.contains(parameter) == false,
        "standard error of \(parameter.symbol) in percent of its estimate"
      ) { fit -> Double? in
        guard let value = fit.kept?.value, !value.derived.isEmpty,
          let estimate = value.estimates[parameter], let error = estimate.standardError
        else { return nil }
        return (100 * error / estimate.value).ifFinite
      }
    }
  }

  private static func columns(of quantity: DerivedQuantity) -> [Column<StudyFit>] {
    let (name, unit) = (quantity.columnStem, quantity.unit)
    let estimate: @Sendable (StudyFit) -> DerivedEstimate? = { fit in
      fit.kept?.value.derived.first { $0.quantity == quantity }
    }
    let threshold: [Column<StudyFit>] =
      quantity == .timeToThreshold
      ? [
        Column("threshold_g_per_kg", "the threshold of time_to_threshold_min") {
          estimate($0)?.threshold
        }
      ] : []
    return threshold + [
      Column(quantity.columnName, in: unit, "\(quantity.meaning); empty if the curve has none") {
        estimate($0)?.value
      },
      Column("\(name)_se", in: unit, "its standard error by the delta method") {
        estimate($0)?.standardError
      },
      Column("\(name)_low", in: unit, "lower end of its interval") { estimate($0)?.low },
      Column("\(name)_high", in: unit, "upper end of its interval") { estimate($0)?.high },
    ]
  }
}
