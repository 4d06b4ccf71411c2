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

  /// What the parameters of a subject are multiplied with: for each that spreads its slot, and a number for each point.
  private let factors: [(slot: Int, ofPoints: [SIMD8<Double>])]

  fileprivate init?(_ factors: [(slot: Int, ofPoints: [SIMD8<Double>])]) {
    guard !factors.isEmpty else { return nil }
    self.factors = factors
  }

  /// Calls `body` with the values of subjects like one with these parameters, by slot, eight at a time.
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

  /// Between which times the curves of such subjects fall to a threshold, in min since the first drink: 0 for
  /// those never above it, infinite for those that stay.
  func soberMinutes(
    about parameters: ModelParameters, of regimen: Regimen, threshold: GramsPerKilogram
  ) -> Interval? {
    let start = regimen.start ?? 0
    var minutes: [Double] = []
    minutes.reserveCapacity(SpreadPoints.count)
    var hasFailed = false
    forEachEight(about: parameters) { rows in
      let times = parameters.model.kinetics.timesToThreshold(of: regimen, lanes: rows, threshold)
      let known = 60 * (times - start.value)
      for lane in 0..<8 {
        guard known[lane].isNaN else {
          minutes.append(known[lane])
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

  /// Between which concentrations such subjects are, in g/kg, place by place of curves that are computed at the same
  /// times; nil if one of them fails.
  func band(
    about parameters: ModelParameters, _ concentrations: (ModelParameters) -> [Double]?
  ) -> [Interval]? {
    var curves: [[Double]?] = []
    forEachEight(about: parameters) { rows in
      for lane in 0..<8 {
        curves.append(concentrations(Self.person(lane, of: rows, parameters.model)))
      }
    }
    let known = curves.compactMap(\.self)
    guard known.count == curves.count else { return nil }
    var values = [Double](repeating: 0, count: known.count)
    return (known.first ?? []).indices.map { place in
      for index in known.indices { values[index] = known[index][place] }
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

/// Standard normal points in four dimensions: k_a, beta, the lag and r (Halton 1960, bases 2, 3, 5 and 7).
private enum SpreadPoints {
  static let count = 64

  /// Each point, a number for each dimension.
  static let all: [[Double]] = (1...count).map { index in
    // Between 0 and 1, where the quantile is defined.
    [2, 3, 5, 7].map { NormalScores.quantile(HaltonPoints.radicalInverse(of: index, base: $0)) }
  }

  /// e to the power of a number of each point.
  static func factors(_ logarithm: ([Double]) -> Double) -> [SIMD8<Double>] {
    stride(from: 0, to: count, by: 8).map { first in
      var eight = SIMD8<Double>()
      for lane in 0..<8 { eight[lane] = .exp(logarithm(all[first + lane])) }
      return eight
    }
  }
}

/// The spreads of all that is predicted with the same options: subjects share them, so that they are worked out once.
package struct PredictionSpreads: Sendable {
  private let options: PredictionOptions
  /// By whether a subject had eaten: see ``TypicalKinetics``.
  private let kinetics: [TypicalKinetics: [(slot: Int, ofPoints: [SIMD8<Double>])]]
  /// Of r, by method and sex; nil where it does not spread.
  private let ofMethods: [[Sex?: [SIMD8<Double>]]]

  package init(_ options: PredictionOptions) {
    self.options = options
    guard !options.isFitted else {
      (kinetics, ofMethods) = ([:], [])
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

  /// The spread of a method's predictions for a subject; nil where nothing spreads, and for fits, which are no
  /// predictions.
  func spread(ofMethod method: Int, for subject: Subject) -> PredictionSpread? {
    guard !options.isFitted else { return nil }
    var factors = kinetics[options.typical(of: subject)] ?? []
    if let ofPoints = ofMethods[method][subject.sex] {
      factors.append((FitParameter.r.slot, ofPoints))
    }
    return PredictionSpread(factors)
  }

  /// The Cholesky factor of the covariance of the logarithms of what spreads, times the points.
  private static func factors(
    _ options: PredictionOptions, _ typical: TypicalKinetics
  ) -> [(slot: Int, ofPoints: [SIMD8<Double>])] {
    let (names, covariance) = (TypicalKinetics.spreadParameters, typical.logCovariance)
    let drawn = options.spreadParameters(of: typical)
    let rows = names.indices.map { (parameter: options.inPlace(of: names[$0]), dimension: $0) }
      .filter { drawn.contains($0.parameter) }
    let places = rows.map(\.dimension)
    let own = places.flatMap { row in places.map { covariance[names.count * row + $0] } }
    guard let factor = Cholesky.factor(of: own, size: places.count) else { return [] }
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

  /// Whether curves are fitted to the readings that they are compared with.
  fileprivate var isFitted: Bool { if case .fitted = parameters { true } else { false } }

  /// What the model has in the place of a parameter of Widmark's: subjects differ in V_max or k_e as much as in beta.
  fileprivate func inPlace(of parameter: FitParameter) -> FitParameter {
    guard parameter == .beta else { return parameter }
    return model.defaultEstimate.subtracting([.ka]).sorted().first ?? .beta
  }
}
