import AlcoholKinetics
import StudyData

@testable import Estimation

/// A fit whose every number is known.
enum KnownFit {
  /// k_a and beta with their intervals.
  static let estimates: [FitParameter: ParameterEstimate] = [
    .ka: estimate(12.3456, error: 1.5, 9.5, 16.25, isIdentifiable: true),
    .beta: estimate(0.15, error: 0.0123, 0.125, 0.175, isIdentifiable: true),
  ]

  static func estimate(
    _ value: Double, error: Double? = nil, _ low: Double? = nil, _ high: Double? = nil,
    isIdentifiable: Bool? = nil, isAtBound: Bool = false
  ) -> ParameterEstimate {
    ParameterEstimate(
      value: value, standardError: error, low: low, high: high, isIdentifiable: isIdentifiable,
      isAtBound: isAtBound)
  }

  static func values(_ given: [FitParameter: Double] = [:]) -> ParameterValues {
    var values = ParameterValues()
    let usual: [FitParameter: Double] = [.ka: 12.3456, .beta: 0.15, .r: 0.7, .lag: 0, .gain: 1]
    for (parameter, value) in usual.merging(given, uniquingKeysWith: { $1 }) {
      values[known: parameter] = value
    }
    return values
  }

  /// 18 readings as they are, 2 censored, and 1, 3, 6, 4 and 5 left out for the five reasons.
  static let readings =
    readings(18, .quantified) + readings(2, .censored) + readings(1, .excludedByStudy)
    + readings(3, .mouthAlcohol) + readings(6, .beforeDrinking) + readings(4, .belowDetection)
    + readings(5, .repeatedZero)

  static func readings(_ count: Int, _ use: ReadingUse) -> [FittedReading] {
    (0..<count).map { index in
      FittedReading(
        time: Hours(minutes: 30), observed: 0.5, limit: use == .censored ? 0.0625 : nil, use: use,
        predicted: 0.25, standardDeviation: use.isUsed ? 0.125 : nil,
        standardisedResidual: use == .quantified ? 2.5 : nil, leverage: use.isUsed ? 0.36 : nil,
        cookDistance: use == .quantified ? Double(index) / 16 : nil)
    }
  }

  /// Residuals 1, 1, -1, -1: 2 of the 6 orders have so few runs, r1 is (1 - 1 + 1) / 4. Of 0, 1, 4
  /// W is 12/13 and p = 6/pi asin(sqrt W) - 2.
  static let diagnostics = FitDiagnostics(
    conditionNumber: 12.5, parameters: [.ka, .beta], correlation: [1, -0.75, -0.75, 1],
    runs: RunsTest(residuals: [1, 1, -1, -1]),
    autocorrelation: Autocorrelation(residuals: [1, 1, -1, -1]), normality: ShapiroWilk([0, 1, 4]))

  static let starts = [
    StartOutcome(
      start: values([.ka: 6]), end: values([.ka: 6]), objective: .infinity, iterations: 3,
      exit: .evaluationFailed, foundBest: false),
    StartOutcome(
      start: values([.ka: 2, .beta: 0.25]), end: values(), objective: 0.0625, iterations: 17,
      exit: .smallStep, foundBest: true),
  ]

  /// The regimen of ``Sample``'s series.
  static let regimen =
    (try? Sample.series(of: "1").regimen()) ?? Regimen([])

  static let noise = NoiseEstimate(
    model: "additive", sd: 0.05, cv: nil, degreesOfFreedom: 18, rounds: 2, isSettled: true)

  static func fit(
    model: EliminationModel = .widmark, values: ParameterValues = values(),
    estimates: [FitParameter: ParameterEstimate] = estimates, noise: NoiseEstimate? = noise,
    readings: [FittedReading] = readings,
    criteria: InformationCriteria? = InformationCriteria(
      deviance: -50, parameters: 3, readings: 20),
    diagnostics: FitDiagnostics? = diagnostics, isConverged: Bool = true,
    warnings: [FitWarning] = []
  ) -> SeriesFit {
    SeriesFit(
      model: model, values: values, estimates: estimates, noise: noise, readings: readings,
      rss: 0.045, objective: 0.0475, criteria: criteria, diagnostics: diagnostics, starts: starts,
      isConverged: isConverged, iterations: 21, readingsAboveDose: 4, covariance: nil,
      profiles: [], curve: FittedCurve(model: model, regimen: regimen, values: values),
      warnings: warnings)
  }

  static func study(
    _ results: [Result<SeriesFit, SeriesFailure>], occasion: String? = "fed"
  ) -> [StudyFit] {
    results.enumerated().map { index, result in
      StudyFit(
        series: Sample.series(of: "\(index + 1)", occasion: occasion), rFactor: "watson",
        result: result)
    }
  }
}
