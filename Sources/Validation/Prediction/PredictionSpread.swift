package import AlcoholKinetics
import Estimation
import GSL
import RealModule
import StudyData

/// Variation of subjects about a prediction: of k_a, beta and the lag about typical values, and of
/// r about its method.
///
/// A subject's parameters are 64 quasi-random points of a lognormal distribution, so that intervals
/// are reproducible. Against 40,000 random draws the ends of intervals of times lie within 5 %
/// (`Tests/Tools/prediction_spread.py`).
struct PredictionSpread {
  static let level = 0.9

  /// The multipliers of a subject's parameters: for each variable one its slot, and a factor for
  /// each point.
  private let factors: [(slot: Int, ofPoints: [SIMD8<Double>])]

  fileprivate init?(_ factors: [(slot: Int, ofPoints: [SIMD8<Double>])]) {
    guard !factors.isEmpty else { return nil }
    self.factors = factors
  }

  /// Calls `body` with the values of varied subjects, by slot, eight at a time.
  private func forEachEight(
    about parameters: ModelParameters, _ body: (UnsafePointer<SIMD8<Double>>) -> Void
  ) {
    withUnsafeTemporaryAllocation(
      of: SIMD8<Double>.self, capacity: ParameterValues.slotCount
    ) { memory in
      guard let rows = memory.baseAddress else { return }
      for slot in 0..<ParameterValues.slotCount {
        (rows + slot).initialize(to: SIMD8(repeating: parameters.values[slot: slot]))
      }
      for eight in 0..<SpreadPoints.count / 8 {
        for (slot, ofPoints) in factors {
          rows[slot] = parameters.values[slot: slot] * ofPoints[eight]
        }
        body(rows)
      }
    }
  }

  /// The parameters of one of the eight.
  private static func person(
    _ lane: Int, of rows: UnsafePointer<SIMD8<Double>>, _ model: EliminationModel
  ) -> ModelParameters {
    var values = ParameterValues()
    for slot in 0..<ParameterValues.slotCount { values[slot: slot] = rows[slot][lane] }
    return ModelParameters(model, known: values)
  }

  /// The interval of the times at which the curves of varied subjects fall to a threshold, in min
  /// since the first drink: 0 for those never above it, infinite for those that stay above.
  func soberMinutes(
    about parameters: ModelParameters, of regimen: Regimen, threshold: GramsPerKilogram
  ) -> Interval? {
    let start = regimen.start ?? 0
    var minutes: [Double] = []
    minutes.reserveCapacity(SpreadPoints.count)
    var hasFailed = false
    forEachEight(about: parameters) { rows in
      let times = parameters.model.kinetics.timesToThreshold(of: regimen, lanes: rows, threshold)
      let lanes = 60 * (times - start.value)
      for lane in 0..<8 {
        guard lanes[lane].isNaN else {
          minutes.append(lanes[lane])
          continue
        }
        guard let curve = try? Self.person(lane, of: rows, parameters.model).curve(of: regimen),
          !curve.hasFailed
        else {
          hasFailed = true
          return
        }
        if let time = curve.timeToThreshold(threshold) {
          minutes.append((time - start).minutes)
        } else {
          minutes.append((curve.peak?.concentration ?? 0) > threshold ? .infinity : 0)
        }
      }
    }
    return hasFailed ? nil : Self.interval(of: &minutes)
  }

  /// The intervals of the concentrations of varied subjects, in g/kg, point by point; nil if a
  /// curve fails.
  func band(
    about parameters: ModelParameters, _ concentrations: (ModelParameters) -> [Double]?
  ) -> [Interval]? {
    var curves: [[Double]?] = []
    forEachEight(about: parameters) { rows in
      for lane in 0..<8 {
        curves.append(concentrations(Self.person(lane, of: rows, parameters.model)))
      }
    }
    let complete = curves.compactMap(\.self)
    guard complete.count == curves.count else { return nil }
    var values = [Double](repeating: 0, count: complete.count)
    return (complete.first ?? []).indices.map { point in
      for index in complete.indices { values[index] = complete[index][point] }
      return Self.interval(of: &values)
    }
  }

  /// Sorts the numbers; returns their quantiles at the ends of ``level``.
  private static func interval(of numbers: inout [Double]) -> Interval {
    numbers.sort()
    let tail = (1 - level) / 2
    return Interval(
      low: EmpiricalQuantile.type5(tail, ofSorted: numbers),
      high: EmpiricalQuantile.type5(1 - tail, ofSorted: numbers))
  }
}

/// Standard normal points in four dimensions: k_a, beta, the lag and r (Halton 1960, bases 2, 3, 5 and 7).
private enum SpreadPoints {
  static let count = 64

  /// Each point, a number for each dimension.
  static let all: [[Double]] = (1...count).map { index in
    // Between 0 and 1, where the quantile is defined.
    [2, 3, 5, 7].map { NormalScores.quantile(HaltonPoints.radicalInverse(of: index, base: $0)) }
  }

  /// Returns exp of a function of each point.
  static func factors(_ logarithm: ([Double]) -> Double) -> [SIMD8<Double>] {
    stride(from: 0, to: count, by: 8).map { first in
      var eight = SIMD8<Double>()
      for lane in 0..<8 { eight[lane] = .exp(logarithm(all[first + lane])) }
      return eight
    }
  }
}

/// The variation for all predictions with the same options, computed once for all subjects.
package struct PredictionSpreads: Sendable {
  private let options: PredictionOptions
  /// The multipliers by food intake: see ``TypicalKinetics``.
  private let kinetics: [TypicalKinetics: [(slot: Int, ofPoints: [SIMD8<Double>])]]
  /// The multipliers of r, by method and sex; nil without variation.
  private let ofMethods: [[Sex?: [SIMD8<Double>]]]

  package init(_ options: PredictionOptions) {
    self.options = options
    guard !options.isFitted else {
      kinetics = [:]
      ofMethods = []
      return
    }
    kinetics = Dictionary(
      uniqueKeysWithValues: TypicalKinetics.allCases.map { ($0, Self.factors(options, $0)) })
    ofMethods = options.methods.map { method in
      var factors: [Sex?: [SIMD8<Double>]] = [:]
      for sex in [nil, .female, .male] as [Sex?] {
        let deviation = Double.log(onePlus: .pow(method.spread.cv(of: sex), 2)).squareRoot()
        if deviation > 0 { factors[sex] = SpreadPoints.factors { deviation * $0[3] } }
      }
      return factors
    }
  }

  /// The variation of a method's predictions for a subject; nil without any, and for fits, which
  /// are no predictions.
  func spread(ofMethod method: Int, for subject: Subject) -> PredictionSpread? {
    guard !options.isFitted else { return nil }
    var factors = kinetics[options.typical(of: subject)] ?? []
    if let ofPoints = ofMethods[method][subject.sex] {
      factors.append((FitParameter.r.slot, ofPoints))
    }
    return PredictionSpread(factors)
  }

  /// The Cholesky factor of the covariance of the logarithms, times the points.
  private static func factors(
    _ options: PredictionOptions, _ typical: TypicalKinetics
  ) -> [(slot: Int, ofPoints: [SIMD8<Double>])] {
    let names = TypicalKinetics.spreadParameters
    let covariance = typical.logCovariance
    let drawn = options.spreadParameters(of: typical)
    let rows = names.indices.map { (parameter: options.inPlace(of: names[$0]), dimension: $0) }
      .filter { drawn.contains($0.parameter) }
    let dimensions = rows.map(\.dimension)
    let drawnCovariance = dimensions.flatMap { row in
      dimensions.map { covariance[names.count * row + $0] }
    }
    guard let factor = Cholesky.factor(of: drawnCovariance, size: dimensions.count) else {
      return []
    }
    return rows.indices.map { row in
      (
        rows[row].parameter.slot,
        SpreadPoints.factors { point in
          (0...row).reduce(0) { $0 + factor[rows.count * row + $1] * point[rows[$1].dimension] }
        }
      )
    }
  }
}

extension PredictionOptions {
  /// The parameters beside r that vary between subjects, given the typical values used.
  package func spreadParameters(of typical: TypicalKinetics) -> [FitParameter] {
    let fixed: Set<FitParameter>
    switch parameters {
    // Without the typical k_a there is no typical lag.
    case .given(let values):
      fixed = Set(values.keys).union(values.keys.contains(.ka) ? [.lag] : [])
    case .leftOut: fixed = [.lag]
    case .fitted: return []
    }
    let covariance = typical.logCovariance
    return TypicalKinetics.spreadParameters.enumerated().compactMap { index, parameter in
      let parameter = inPlace(of: parameter)
      return covariance[4 * index] > 0 && !fixed.contains(parameter) ? parameter : nil
    }
  }

  /// Whether curves are fitted to the readings that they are compared with.
  fileprivate var isFitted: Bool { if case .fitted = parameters { true } else { false } }

  /// The model's counterpart of a parameter of Widmark's: V_max or k_e varies between subjects as
  /// much as beta.
  fileprivate func inPlace(of parameter: FitParameter) -> FitParameter {
    guard parameter == .beta else { return parameter }
    return model.defaultEstimate.subtracting([.ka]).sorted().first ?? .beta
  }
}
