public import AlcoholKinetics
public import Estimation
import StudyData

/// Agreement of a predicted curve with the readings of its series.
///
/// Readings that a fit would not use are not compared (`ReadingSelection`). All errors are
/// predicted minus measured. The error of a censored reading, below the limit of detection, is 0 if
/// the prediction is not above the limit, else predicted minus limit. Times count from the first
/// drink. A given curve is compared with the readings that it covers.
public struct CurveAgreement: Codable, Hashable, Sendable {
  /// A concentration and its time.
  public struct Maximum: Codable, Hashable, Sendable {
    /// Time since the first drink.
    public let time: Hours
    public let concentration: GramsPerKilogram
  }

  /// The parameters of the curve; nil for a given one.
  public let parameters: ModelParameters?
  /// The concentration of the whole dose in blood, dose / (r x weight); nil for a given curve,
  /// which has no r.
  public let doseConcentration: GramsPerKilogram?
  /// The peak of the predicted curve; nil if it never leaves zero.
  public let predictedPeak: Maximum?
  /// The highest reading compared, the first of several.
  public let measuredPeak: Maximum
  /// Predicted minus measured at each reading compared, in order, in g/kg.
  public let errors: [Double]
  /// The times of these readings since the first drink.
  public let times: [Hours]
  /// The predicted concentrations at these readings, in g/kg.
  public let predictions: [Double]
  /// Area under the predicted curve over the readings' span, in g h/kg.
  ///
  /// Both areas use the trapezoidal rule on the times of the readings, so that their difference is
  /// not affected by the rule. Censored readings count with the value displayed.
  public let predictedArea: Double
  /// Area under the readings, in g h/kg.
  public let measuredArea: Double
  /// The number of readings above ``doseConcentration``, the largest possible concentration; nil
  /// for a given curve.
  public let readingsAboveDose: Int?
  /// The indices of the readings compared among all usable ones; nil if the curve covers all.
  let covered: [Int]?
  /// Whether the highest reading is among those compared.
  let coversPeak: Bool

  /// Compares a predicted curve with observations of the series, a given one with those that it
  /// covers; nil without any.
  ///
  /// - Parameter model: The parameters and the drinks; nil for a given curve.
  init?(
    _ curve: any BloodCurve, of model: (parameters: ModelParameters, regimen: Regimen)? = nil,
    _ series: Series, _ observations: Observations, _ factors: ConversionFactors
  ) {
    let every = observations.all
    let given = curve as? SampledCurve
    let indices = every.indices.filter { given?.covers(Hours(every[$0].time)) ?? true }
    let observed = indices.map { every[$0] }
    let levels = every.map {
      series.readings[$0.index].bloodConcentration(using: factors).value
    }
    let shown = indices.map { levels[$0] }
    guard let highest = shown.indices.max(by: { shown[$0] < shown[$1] }) else { return nil }
    let start = series.start
    let times = observed.map(\.time)
    let predicted = times.map { curve.concentration(at: Hours($0)).value }
    let dose = model.map { $0.regimen.largestConcentration($0.parameters) }
    parameters = model?.parameters
    doseConcentration = dose
    readingsAboveDose = dose.map { observations.count(above: $0) }
    covered = indices.count == every.count ? nil : indices
    coversPeak = !levels.contains { $0 > shown[highest] }
    predictedPeak = curve.peak.map {
      Maximum(time: $0.time - start, concentration: $0.concentration)
    }
    measuredPeak = Maximum(
      time: Hours(times[highest]) - start, concentration: GramsPerKilogram(shown[highest]))
    errors = zip(predicted, observed).map { predicted, observation in
      let error = predicted - observation.level
      return observation.isCensored ? max(0, error) : error
    }
    self.times = times.map { Hours($0) - start }
    predictions = predicted
    predictedArea = Self.area(under: predicted, at: times)
    measuredArea = Self.area(under: shown, at: times)
  }

  /// Bias, mean absolute error and RMSE over the readings, in g/kg.
  public var summary: Sample? { Sample(errors) }

  /// Error of the peak, in g/kg; nil for a given curve that does not cover the highest reading.
  public var peakError: Double? {
    guard coversPeak else { return nil }
    return (predictedPeak?.concentration.value ?? 0) - measuredPeak.concentration.value
  }

  /// Error of the area under the curve, in g h/kg.
  public var areaError: Double { predictedArea - measuredArea }

  /// Error of the area under the curve in percent of the measured one; nil if that is zero.
  public var areaErrorPercent: Double? {
    measuredArea > 0 ? 100 * areaError / measuredArea : nil
  }

  private static func area(under values: [Double], at times: [Double]) -> Double {
    zip(times.indices, times.indices.dropFirst()).reduce(0) { sum, ends in
      sum + (values[ends.0] + values[ends.1]) / 2 * (times[ends.1] - times[ends.0])
    }
  }
}
