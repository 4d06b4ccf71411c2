import AlcoholKinetics
import Estimation
import StudyData

extension Report {
  /// What readings added to the prior of one parameter of one fit.
  typealias PosteriorRow = (series: Series, parameter: FitParameter, estimate: ParameterEstimate)

  /// Every parameter of a fit that a prior is about.
  static func posteriors(of fit: StudyFit) -> [PosteriorRow] {
    (fit.result.value?.estimates ?? [:]).filter { $0.value.priorRatio != nil }
      .sorted { $0.key < $1.key }.map { (fit.series, $0.key, $0.value) }
  }

  static let posterior = TableLayout<PosteriorRow>(
    "posterior",
    "With `--prior`, in JSON and on a terminal: a row per fit and parameter that the prior is about.",
    columns: Series.identityColumns { $0.series } + [
      Column("parameter", heading: "parameter", "the parameter", \.parameter),
      Column("unit", heading: "unit", "its unit; empty for the gain", \.parameter.columnUnit),
      Column("value", in: "`unit`", heading: "mode", "mode of the posterior") {
        $0.parameter.reportedValue($0.estimate.value)
      },
      Column("low", in: "`unit`", heading: "low", "lower end of its interval") {
        $0.estimate.low.map($0.parameter.reportedValue)
      },
      Column("high", in: "`unit`", heading: "high", "upper end of its interval") {
        $0.estimate.high.map($0.parameter.reportedValue)
      },
      Column(
        "sd_over_prior_sd", heading: "SD / prior SD", style: .decimals(2),
        "standard deviation of the posterior over that of the prior, of the logarithm (of a lag: of itself)",
        \.estimate.priorRatio),
      Column(
        "verdict", oneOf: ["determined", "prior-dominated"], heading: "verdict",
        "prior-dominated where the readings give less than half of the precision"
      ) { $0.estimate.isPriorDominated == true ? "prior-dominated" : "determined" },
    ])

  static let fitsPrior = TableLayout<StudyFit>(
    "fits_prior", "With `--prior`: further columns of `fits` in CSV and NDJSON.",
    columns: priorColumns(of: nil))

  /// What readings added to a prior, in rows of fits.
  static func priorColumns(of options: FitOptions?) -> [Column<StudyFit>] {
    parameters(of: options).map { parameter in
      Column(
        "\(parameter.rawValue)_sd_over_prior_sd",
        isDetail: options?.estimate.contains(parameter) == false,
        "standard deviation of the posterior of \(parameter.symbol) over that of the prior; above 0.71 it is "
          + "prior-dominated"
      ) { $0.result.value?.estimates[parameter]?.priorRatio }
    }
  }
}
