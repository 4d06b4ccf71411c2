package import AlcoholKinetics
import Estimation
import GSL
import RealModule
import StudyData

/// How far a subject may lie from what is predicted: the spread of k_a, beta and the lag about typical values,
/// and of r about its method.
///
/// A subject's parameters are 64 points of a lognormal distribution, quasi-random, so that intervals are the same
/// in every run. Against 40,000 random draws the ends of intervals of times lie within 5 %
/// (`Tests/Tools/prediction_spread.py`).
struct PredictionSpread {
  static let level = 0.9

  /// Standard normal points in four dimensions: k_a, beta, the lag and r (Halton 1960, bases 2, 3, 5 and 7).
  private static let points: [SIMD4<Double>] = (1...64).map { index in
    var point = SIMD4<Double>()
    for (dimension, base) in [2, 3, 5, 7].enumerated() {
      // Between 0 and 1, where the quantile is defined.
      point[dimension] = NormalScores.quantile(
        HaltonPoints.radicalInverse(of: index, base: base))
    }
    return point
  }

  /// The Cholesky factor of the covariance of the logarithms of some parameters, row-major.
  private let factor: [Double]
  /// The SD of the logarithm of r.
  private let deviationOfR: Double
  /// What the rows are of, and in which dimension the points have each.
  private let rows: [(parameter: FitParameter, dimension: Int)]

  /// The spread of a method's predictions for a subject; nil for fits, which are no predictions.
  init?(_ options: PredictionOptions, by method: any RFactorMethod, for subject: Subject) {
    if case .fitted = options.parameters { return nil }
    let typical = options.typical(of: subject)
    let (names, covariance) = (TypicalKinetics.spreadParameters, typical.logCovariance)
    let drawn = options.spreadParameters(of: typical)
    rows = names.indices.map { (options.inPlace(of: names[$0]), $0) }
      .filter { drawn.contains($0.parameter) }
    let places = rows.map(\.dimension)
    let own = places.flatMap { row in places.map { covariance[names.count * row + $0] } }
    factor = Cholesky.factor(of: own, size: places.count) ?? []
    deviationOfR = Double.log(onePlus: .pow(method.spread(for: subject.sex), 2))
      .squareRoot()
    guard deviationOfR > 0 || !factor.isEmpty else { return nil }
  }

  /// The parameters of subjects like one with these.
  func people(about parameters: ModelParameters) -> [ModelParameters] {
    Self.points.map { point in
      var values = parameters.values
      for row in rows.indices {
        let shift = (0...row).reduce(0) {
          $0 + factor[rows.count * row + $1] * point[rows[$1].dimension]
        }
        values[known: rows[row].parameter] *= .exp(shift)
      }
      values[known: .r] *= .exp(deviationOfR * point[3])
      return ModelParameters(parameters.model, known: values)
    }
  }

  /// Between which times the curves of such subjects fall to a threshold, in min since the first drink: 0 for
  /// those never above it, infinite for those that stay.
  func soberMinutes(
    about parameters: ModelParameters, of regimen: Regimen, threshold: GramsPerKilogram
  ) -> Interval? {
    let start = regimen.start ?? 0
    var minutes: [Double] = []
    for person in people(about: parameters) {
      guard let curve = try? person.curve(of: regimen), !curve.hasFailed else { return nil }
      if let time = curve.timeToThreshold(threshold) {
        minutes.append((time - start).minutes)
      } else {
        minutes.append((curve.peak?.concentration ?? 0) > threshold ? .infinity : 0)
      }
    }
    return Self.interval(of: &minutes)
  }

  /// Between which concentrations such subjects are, in g/kg, place by place of curves that are computed at the same
  /// times; nil if one of them fails.
  func band(
    about parameters: ModelParameters, _ concentrations: (ModelParameters) -> [Double]?
  ) -> [Interval]? {
    var curves: [[Double]] = []
    for person in people(about: parameters) {
      guard let curve = concentrations(person) else { return nil }
      curves.append(curve)
    }
    var values = [Double](repeating: 0, count: curves.count)
    return (curves.first ?? []).indices.map { place in
      for index in curves.indices { values[index] = curves[index][place] }
      return Self.interval(of: &values)
    }
  }

  /// The quantiles at the ends of ``level``, of numbers that are sorted.
  private static func interval(of numbers: inout [Double]) -> Interval {
    numbers.sort()
    let tail = (1 - level) / 2
    return Interval(
      low: EmpiricalQuantile.type5(tail, ofSorted: numbers),
      high: EmpiricalQuantile.type5(1 - tail, ofSorted: numbers))
  }
}

extension PredictionOptions {
  /// The parameters beside r in which subjects differ from what is predicted with, of subjects of whom some values are
  /// typical.
  package func spreadParameters(of typical: TypicalKinetics) -> [FitParameter] {
    let known: Set<FitParameter>
    switch parameters {
    // Without the typical k_a there is no typical lag.
    case .given(let values):
      known = Set(values.keys).union(values.keys.contains(.ka) ? [.lag] : [])
    case .leftOut: known = [.lag]
    case .fitted: return []
    }
    let covariance = typical.logCovariance
    return TypicalKinetics.spreadParameters.enumerated().compactMap { index, parameter in
      let parameter = inPlace(of: parameter)
      return covariance[4 * index] > 0 && !known.contains(parameter) ? parameter : nil
    }
  }

  /// What the model has in the place of a parameter of Widmark's: subjects differ in V_max or k_e as much as in beta.
  fileprivate func inPlace(of parameter: FitParameter) -> FitParameter {
    guard parameter == .beta else { return parameter }
    return model.defaultEstimate.subtracting([.ka]).sorted().first ?? .beta
  }
}
