import AlcoholKinetics
import GSL
import RealModule
import StudyData

/// Estimates the error model of a study by restricted maximum pseudo-likelihood.
///
/// Curves and error parameters are estimated in turns until neither changes: each round refits all series with the
/// current error model, then minimises the summed restricted deviance of their residuals over SD, CV, correlation time
/// and nugget. For a given ratio CV/SD, correlation time and nugget the best scale has a closed form, so only these are
/// searched, by bracketed minimisation. If the test of correlated errors is to decide, times are estimated only after
/// the errors without a correlation have settled, and only if it fires. Series with outlying residuals are excluded by an F test. Intervals
/// come from the profile of the deviance.
struct StudyErrorSearch {
  /// A point of the search.
  private struct Point {
    /// The common factor of standard deviations; 1 if it is not shared.
    var scale = 1.0
    /// CV over SD at zero, in kg/g; 0 if there is none.
    var ratio = 0.0
    /// The correlation time, in h.
    var time = 0.0
    /// The nugget.
    var nugget = 0.0
    /// The summed restricted deviance.
    var deviance = Double.infinity

    /// Returns true if standard deviations at 0 and at 1 g/kg, correlation time and nugget agree within ``settled``.
    func isSame(as other: Point) -> Bool {
      func logSD(_ point: Point) -> Double {
        .log(point.scale) + .log(onePlus: point.ratio * point.ratio) / 2
      }
      return abs(.log(scale) - .log(other.scale)) < StudyErrorSearch.settled
        && abs(logSD(self) - logSD(other)) < StudyErrorSearch.settled
        && abs(time - other.time) <= StudyErrorSearch.settled * max(time, other.time)
        && abs(nugget - other.nugget) <= StudyErrorSearch.settled
    }

    /// Moves the point back towards another one, to a fraction of the step between them.
    mutating func damp(from other: Point, to part: Double) {
      scale = other.scale * .pow(scale / other.scale, part)
      if ratio > 0, other.ratio > 0 { ratio = other.ratio * .pow(ratio / other.ratio, part) }
      time = other.time + part * (time - other.time)
      nugget = other.nugget + part * (nugget - other.nugget)
    }
  }

  /// The constraint under which the deviance is minimised.
  private enum Constraint {
    /// None, with a penalty that keeps both parts of combined errors above zero (``StudyErrorSearch/penalty(of:)``).
    case penalised
    case unconstrained
    case sd(Double)
    case cv(Double)
    case time(Double)
    case nugget(Double)
  }

  /// The source of the scale of standard deviations.
  private enum Scale {
    case known
    case ofSeries
    case ofStudy
  }

  /// The series that are not excluded as outlying.
  private var parts: [StudyErrorPart]
  /// All series.
  private let all: [StudyErrorPart]
  /// The distinct chains of the series: many are read at the same times.
  private let chains: [CorrelationChain]
  private let error: ErrorModel
  private let scale: Scale
  private let smallestSD: Double
  /// The search range of the ratio; nil if there is none.
  private let ratios: ClosedRange<Double>?
  /// The root mean square of the predictions, in g/kg.
  private let typical: Double
  /// The correlation time in h if it is not estimated.
  private let givenTime: Double
  private let givenNugget: Double
  /// True while errors are estimated without a correlation, before the test of one.
  private let isTesting: Bool
  /// The search range of the correlation time in h; nil if neither it nor the nugget is estimated.
  private let times: ClosedRange<Double>?

  /// The largest number of rounds of refitting curves and errors.
  private static let mostRounds = 20
  /// Rounds after which steps are damped: where a curve has two minima, curves and errors may alternate between them
  /// for ever.
  private static let fullRounds = 5
  /// The relative change of standard deviations and correlation time, and the change of the nugget, below which they have
  /// converged.
  private static let settled = 1e-4
  private static let level = 0.95
  private static let mostExclusionRounds = 5
  /// The familywise significance level at which a series is outlying.
  private static let outlierLevel = 1e-3
  /// The half width of the first search about the last point, in logarithms.
  private static let reach = 0.7
  /// The half width of the first search about the last nugget.
  private static let nuggetReach = 0.08
  private static let nuggets = 0...0.9
  /// Nuggets below this are equivalent to none.
  private static let smallestNugget = 1e-3
  /// The range of the search for limits, in logarithms: beyond a factor of e^7 an interval is open.
  private static let farthest = 7.0

  /// Estimates the error model of series; nil if fewer than ``StudyErrorModel/fewestSeries`` determine it, or if the
  /// series share nothing.
  ///
  /// - Throws: ``SeriesFailure`` if the options ask for something impossible, or the task was cancelled.
  static func error(
    of series: [Series], _ instrument: Instrument?, options: FitOptions, jobs: Int
  ) throws(SeriesFailure) -> StudyErrorModel? {
    guard series.count >= StudyErrorModel.fewestSeries else { return nil }
    var options = options
    options.interval = nil
    options.derived = DerivedOptions()
    options.keepsProfiles = false
    options.studyError = .initial
    var isTesting = options.correlation == .automatic
    if isTesting { options.correlation = .exponential(time: nil) }
    var test: PooledAutocorrelation?
    var last: Point?
    var round = 0
    while round < mostRounds {
      round += 1
      let plan = try FitPlan(options)
      let areTested = isTesting
      let parts = Parallel.map(Array(series.indices), jobs: jobs) {
        SeriesFitter(plan)
      } _: { fitter, index in
        var part = try? fitter.errorPart(of: series[index], instrument: instrument, areTested)
        part?.id = index
        return part
      }
      guard let parts else { throw .cancelled }
      guard var search = StudyErrorSearch(parts.compactMap(\.self), options, isTesting)
      else { return nil }
      var next = search.best(near: last)
      var isSettled = round == mostRounds || last.map { next.isSame(as: $0) } ?? false
      if isTesting, isSettled || !options.error.hasSharedParameters {
        test = autocorrelation(of: parts)
        if test?.hasRuns == true {
          isTesting = false
          isSettled = false
          round = 1
          guard let correlated = StudyErrorSearch(parts.compactMap(\.self), options, false)
          else { return nil }
          search = correlated
          next = search.best(near: next)
        } else {
          test = nil
          guard options.error.hasSharedParameters else { return nil }
        }
      }
      guard next.deviance.isFinite else { return nil }
      if let last, round > fullRounds { next.damp(from: last, to: 1 / Double(round - fullRounds)) }
      let model = search.result(at: next, test, withIntervals: isSettled)
      guard !isSettled else { return model }
      options.studyError = model
      last = next
    }
    return nil
  }

  /// Returns the correlation of neighbouring residuals over all series.
  private static func autocorrelation(of parts: [StudyErrorPart?]) -> PooledAutocorrelation? {
    var sums = LagSums()
    var count = 0
    for part in parts {
      // Residuals of a perfect fit are rounding.
      guard let own = part?.lagSums, own.squares > 1e-3 * Double(own.count) else { continue }
      sums.add(own)
      count += 1
    }
    return sums.result(series: count)
  }

  private init?(_ parts: [StudyErrorPart], _ options: FitOptions, _ isTesting: Bool) {
    guard parts.count >= StudyErrorModel.fewestSeries, let first = parts.first else { return nil }
    chains = Array(Set(parts.compactMap(\.chain)))
    let numbers = Dictionary(uniqueKeysWithValues: chains.enumerated().map { ($1, $0) })
    all = parts.map { part in
      var part = part
      part.chainIndex = part.chain.flatMap { numbers[$0] }
      return part
    }
    self.parts = all
    error = options.error
    self.isTesting = isTesting
    smallestSD = first.smallestSD
    scale = !error.isEstimated ? .known : error.hasSharedParameters ? .ofStudy : .ofSeries
    let squares = parts.map(\.meanSquare)
    typical = (squares.reduce(0, +) / Double(squares.count)).squareRoot()
    ratios = error.hasRatio ? 1e-3...max(1e3, 10 / smallestSD) : nil
    guard case .exponential(let time, let nugget) = options.correlation, !isTesting else {
      givenTime = 0
      givenNugget = 0
      times = nil
      return
    }
    givenTime = time?.value ?? 0
    givenNugget = nugget
    let ranges = parts.compactMap { $0.chain?.searchRange }
    guard time == nil, let low = ranges.map(\.lowerBound).min(),
      let high = ranges.map(\.upperBound).max()
    else {
      times = nil
      return
    }
    times = low...high
  }

  /// Excludes series whose mean squared residual is significantly larger than that of the rest (F test): one subject with
  /// an unrecorded drink, or a mistyped reading, would inflate the errors of everybody. If more than a tenth of the
  /// series are significant, subjects differ and none is excluded.
  ///
  /// - Returns: True if the set of series changed.
  private mutating func excludeOutliers(at point: Point) -> Bool {
    guard scale == .ofStudy else { return false }
    let tests = Dictionary(
      uniqueKeysWithValues: zip(
        all.map(\.id), sums(of: all, point.ratio, point.time, point.nugget)))
    let included = parts.compactMap { tests[$0.id] }
    let squares = included.reduce(0) { $0 + $1.squares }
    let freedom = included.reduce(0) { $0 + $1.degreesOfFreedom }
    let includedIDs = Set(parts.map(\.id))
    let kept = all.filter { part in
      guard let tested = tests[part.id] else { return true }
      let isIncluded = includedIDs.contains(part.id)
      let others = freedom - (isIncluded ? tested.degreesOfFreedom : 0)
      let rest = (squares - (isIncluded ? tested.squares : 0)) / others
      guard
        let distribution = try? FDistribution(
          numerator: tested.degreesOfFreedom, denominator: others),
        let tail = try? distribution.upperTail(tested.squares / tested.degreesOfFreedom / rest)
      else { return true }
      return tail * Double(all.count) >= Self.outlierLevel
    }
    let fewest = max(StudyErrorModel.fewestSeries, all.count - max(1, all.count / 10))
    let next = kept.count >= fewest ? kept : all
    defer { parts = next }
    return next.map(\.id) != parts.map(\.id)
  }

  // MARK: Minimum

  /// Returns the point of the smallest penalised deviance, without outlying series.
  private mutating func best(near last: Point?) -> Point {
    var next = best(.penalised, near: last)
    for _ in 0..<Self.mostExclusionRounds {
      guard excludeOutliers(at: next) else { break }
      next = best(.penalised, near: next)
    }
    return next
  }

  /// Returns the point of the smallest deviance under a constraint.
  private func best(_ held: Constraint, near last: Point?) -> Point {
    guard let ratios else { return bestTime(0, held, near: last) }
    return minimum(in: ratios, near: last?.ratio, points: 33) { bestTime($0, held, near: last) }
  }

  private func bestTime(_ ratio: Double, _ held: Constraint, near last: Point?) -> Point {
    if case .time(let time) = held { return bestNugget(ratio, time, held, near: last?.nugget) }
    guard let times else { return point(ratio, givenTime, givenNugget, held) }
    let none = point(ratio, 0, 0, held)
    // The nugget moves little from time to time.
    var nugget = last.flatMap { $0.time > 0 ? $0.nugget : nil }
    let some = minimum(in: times, near: last?.time, points: 17) { time in
      let best = bestNugget(ratio, time, held, near: nugget)
      nugget = best.nugget
      return best
    }
    return some.deviance < none.deviance && some.time > times.lowerBound ? some : none
  }

  private func bestNugget(
    _ ratio: Double, _ time: Double, _ held: Constraint, near last: Double?
  ) -> Point {
    if case .nugget(let nugget) = held { return point(ratio, time, nugget, held) }
    func search(_ low: Double, _ high: Double, _ points: Int) -> BracketedMinimum? {
      try? BracketedMinimum.find(
        from: low, to: high, points: points, absoluteTolerance: 3e-5, relativeTolerance: 0
      ) { point(ratio, time, $0, held).deviance }
    }
    let range = Self.nuggets
    if let last {
      let low = max(range.lowerBound, last - Self.nuggetReach)
      let near = search(low, min(range.upperBound, last + Self.nuggetReach), 3)
      if let near, !near.isAtEnd || near.x == range.lowerBound {
        return point(ratio, time, near.x, held)
      }
    }
    let best = search(range.lowerBound, range.upperBound, 7)
    return best.map { point(ratio, time, $0.x, held) } ?? Point()
  }

  /// Returns the best point for a parameter in a range, searched over its logarithm, first near the last one.
  private func minimum(
    in range: ClosedRange<Double>, near last: Double?, points: Int, _ point: (Double) -> Point
  ) -> Point {
    let low = Double.log(range.lowerBound)
    let high = Double.log(range.upperBound)
    func search(_ low: Double, _ high: Double, _ points: Int) -> BracketedMinimum? {
      guard low < high else { return nil }
      return try? BracketedMinimum.find(
        from: low, to: high, points: points, absoluteTolerance: 1e-5, relativeTolerance: 0
      ) { point(.exp($0)).deviance }
    }
    if let last, last > 0 {
      let center = Double.log(last)
      let near = search(max(low, center - Self.reach), min(high, center + Self.reach), 5)
      if let near, !near.isAtEnd { return point(.exp(near.x)) }
    }
    return search(low, high, points).map { point(.exp($0.x)) } ?? Point()
  }

  private func point(
    _ ratio: Double, _ time: Double, _ nugget: Double, _ held: Constraint
  ) -> Point {
    let sums = sums(of: parts, ratio, time, nugget)
    var point = Point(scale: 1, ratio: ratio, time: time, nugget: nugget)
    switch scale {
    case .known: point.deviance = sums.reduce(0) { $0 + $1.deviance(1) }
    case .ofSeries: point.deviance = sums.reduce(0) { $0 + $1.deviance($1.bestScale) }
    case .ofStudy:
      let all = sums.reduce(into: ErrorSums()) { $0 += $1 }
      point.scale =
        switch held {
        case .sd(let sd): sd
        case .cv(let cv): ratio > 0 ? cv / ratio : cv
        case .penalised, .unconstrained, .time, .nugget: all.bestScale
        }
      if ratios != nil { point.scale = max(point.scale, smallestSD) }
      point.deviance = all.deviance(point.scale)
      if ratios != nil, case .penalised = held { point.deviance += penalty(of: ratio) }
    }
    return point
  }

  /// Returns the contributions of series to the restricted deviance.
  private func sums(
    of parts: [StudyErrorPart], _ ratio: Double, _ time: Double, _ nugget: Double
  ) -> [ErrorSums] {
    let whitenings = chains.map { chain in
      var chain = chain
      chain.nugget = nugget
      return chain.whitening(time: time)
    }
    return parts.map { part in
      part.sums(error, ratio: ratio, part.chainIndex.flatMap { whitenings[$0] })
    }
  }

  /// Returns the penalty that keeps SD and CV from being estimated as zero where the readings hardly determine one:
  /// -ln w(1 - w), w being the share of the SD in the variance at a typical concentration. It moves an estimate of zero
  /// up by about one standard error, so that the weights of readings stay moderate.
  ///
  /// Source: Chung, Rabe-Hesketh, Dorie, Gelman & Liu (2013), with their weight, the SD itself.
  private func penalty(of ratio: Double) -> Double {
    let relative = ratio * typical * ratio * typical
    return 2 * .log(onePlus: relative) - .log(relative)
  }

  // MARK: Result

  private func result(
    at point: Point, _ test: PooledAutocorrelation?, withIntervals: Bool
  ) -> StudyErrorModel {
    let degreesOfFreedom = parts.reduce(0) { $0 + $1.degreesOfFreedom }
    let quantile = ConfidenceQuantile(
      degreesOfFreedom: Double(degreesOfFreedom), level: Self.level)
    let threshold = withIntervals ? quantile.map { $0.value * $0.value } : nil
    // The penalty is on the ratio alone.
    let lowest = withIntervals && ratios != nil ? best(.unconstrained, near: point) : point
    func parameter(
      _ value: Double, in range: ClosedRange<Double>, _ held: (Double) -> Constraint
    ) -> StudyErrorModel.Parameter {
      StudyErrorModel.Parameter(
        value: value, low: threshold.flatMap { end(lowest, value, range.lowerBound, $0, held) },
        high: threshold.flatMap { end(lowest, value, range.upperBound, $0, held) })
    }
    let far = Double.exp(Self.farthest)
    let sd: StudyErrorModel.Parameter? =
      ratios == nil
      ? nil : parameter(point.scale, in: smallestSD...max(1, point.scale * far)) { .sd($0) }
    let cv = point.scale * (ratios == nil ? 1 : point.ratio)
    let sums = sums(of: parts, point.ratio, point.time, point.nugget)
    return StudyErrorModel(
      sd: sd,
      cv: error.hasSharedParameters
        ? parameter(cv, in: min(1e-4, cv)...max(1, cv * far)) { .cv($0) } : nil,
      // As long as the test has not decided, curves are fitted without a correlation.
      correlationTime: isTesting && !withIntervals
        ? StudyErrorModel.initial.correlationTime
        : times.map { range in
          let time = parameter(max(point.time, range.lowerBound), in: range) { .time($0) }
          return StudyErrorModel.Parameter(
            // Times below the range are equivalent to no correlation.
            value: point.time, low: threshold == nil ? nil : time.low ?? 0, high: time.high)
        },
      nugget: times.map { _ in
        let least = Self.smallestNugget
        let nugget = parameter(
          max(point.nugget, least), in: least...Self.nuggets.upperBound
        ) { .nugget($0) }
        return StudyErrorModel.Parameter(
          value: point.nugget, low: threshold == nil ? nil : nugget.low ?? 0, high: nugget.high)
      },
      series: parts.count, outlying: all.count - parts.count, degreesOfFreedom: degreesOfFreedom,
      smallestSD: ratios == nil ? nil : smallestSD,
      spread: ErrorSpread(sums.map { ($0.squares, $0.degreesOfFreedom) }), correlationTest: test)
  }

  /// Returns the profile-likelihood limit of a parameter towards the end of its range; nil if that end is in the interval.
  private func end(
    _ best: Point, _ value: Double, _ limit: Double, _ threshold: Double,
    _ held: (Double) -> Constraint
  ) -> Double? {
    let center = Double.log(value)
    let limit = Double.log(limit)
    var last = best
    func excess(_ logarithm: Double) -> Double {
      last = self.best(held(.exp(logarithm)), near: last)
      return last.deviance - best.deviance - threshold
    }
    let direction = limit < center ? -1.0 : 1
    var inner = center
    var step = 0.1
    while inner != limit {
      let next = center + direction * step
      let outer = direction * next < direction * limit ? next : limit
      if excess(outer) > 0 {
        let low = min(inner, outer)
        let high = max(inner, outer)
        let root = try? BracketedRoot.find(
          from: low, to: high, absoluteTolerance: 1e-4, relativeTolerance: 0, of: excess)
        return (root ?? nil).map { .exp($0) }
      }
      inner = outer
      step *= 2
    }
    return nil
  }
}

/// The contribution of one series to the error model of its study: its residuals from the curve fitted with the
/// previous error model.
struct StudyErrorPart: Sendable {
  /// The index of the series in the study.
  var id = 0
  /// The smallest standard deviation at zero that may be estimated, in g/kg.
  let smallestSD: Double
  /// The number of quantified readings minus the rank of the Jacobian.
  let degreesOfFreedom: Int
  let chain: CorrelationChain?
  /// The index of the chain among the distinct ones of the study.
  var chainIndex: Int?
  /// The sums of the residuals, for the test of correlated errors; nil if it is not made.
  let lagSums: ResidualSums?
  private let model: NoiseModel
  private let predictions: [Double]
  /// The number of orthonormal columns that span the Jacobian of the predictions.
  private let columns: Int
  /// For each reading these columns, 0 if it is censored, and the residual, in g/kg.
  private let rows: [Double]

  /// Extracts the residuals of a solution; nil if there are no more readings than parameters.
  ///
  /// A reading of zero where the curve is zero is left out: instruments show no less, whatever the error.
  init?(_ solution: Solution, _ problem: FitProblem, _ lagSums: ResidualSums?) {
    self.lagSums = lagSums
    let count = problem.layout.count
    let moved = (0..<count).filter { !solution.minimum.atBound.contains($0) }
    guard
      let derivatives = solution.objective.derivatives(
        at: solution.minimum.coordinates, by: moved)
    else { return nil }
    let all = problem.observations.all
    let kept = all.indices.filter {
      all[$0].isCensored || all[$0].level > 0 || solution.predictions[$0] > 0
    }
    let observations = problem.observations.only(kept)
    model = problem.noiseModel.replicate(observations)
    smallestSD = model.instrument.smallestSD
    chain = CorrelationChain(observations, problem.correlation)
    let predictions = kept.map { solution.predictions[$0] }
    self.predictions = predictions
    let (basis, columns) = NoiseCorrelation.orthonormal(
      kept.flatMap { row in
        (0..<moved.count).map { all[row].isCensored ? 0 : derivatives[row * moved.count + $0] }
      }, columns: moved.count)
    self.columns = columns
    rows = observations.all.indices.flatMap { row in
      basis[row * columns..<(row + 1) * columns]
        + [predictions[row] - observations.all[row].level]
    }
    degreesOfFreedom = observations.quantifiedCount - columns
    guard degreesOfFreedom > 0 else { return nil }
  }

  /// The mean of the squared predictions.
  var meanSquare: Double {
    predictions.reduce(0) { $0 + $1 * $1 } / Double(max(1, predictions.count))
  }

  /// Returns the contribution of the series to the restricted deviance.
  func sums(_ error: ErrorModel, ratio: Double, _ whitening: Whitening?) -> ErrorSums {
    let observation = error.observation(ratio: ratio, model.instrument)
    let width = columns + 1
    var sums = ErrorSums(degreesOfFreedom: Double(degreesOfFreedom))
    var white = rows
    // Products of a few numbers share a logarithm, which costs as much as the rest.
    var product = 1.0
    for (index, reading) in model.observations.all.enumerated() {
      let shape = observation.deviation(at: predictions[index])
      for column in index * width..<(index + 1) * width { white[column] /= shape }
      if !reading.isCensored { product *= shape }
      if index % 8 == 7 {
        sums.logarithms += 2 * .log(product)
        product = 1
      }
    }
    sums.logarithms += 2 * .log(product)
    if let whitening {
      white.withUnsafeMutableBufferPointer { values in
        guard let first = values.baseAddress else { return }
        whitening.whiten(first, columns: width)
      }
      sums.logarithms += whitening.logDeterminant
    }
    // The lower triangle of the products of all columns.
    var products = [Double](repeating: 0, count: width * width)
    for (index, reading) in model.observations.all.enumerated() {
      let row = index * width
      guard !reading.isCensored else {
        if model.hasLikelihood { sums.censored.append(white[row + columns]) }
        continue
      }
      for i in 0..<width {
        let element = white[row + i]
        for j in 0...i { products[i * width + j] += element * white[row + j] }
      }
    }
    // Cholesky's factor. The last pivot is what is left of the squares if the curve were refitted with these errors.
    for i in 0..<width {
      for j in 0...i {
        var rest = products[i * width + j]
        for k in 0..<j { rest -= products[i * width + k] * products[j * width + k] }
        if j < i {
          products[i * width + j] = rest / products[j * width + j]
        } else if i == columns {
          sums.squares = max(0, rest)
        } else {
          guard rest > 0 else {
            sums.logarithms = .infinity
            return sums
          }
          sums.logarithms += .log(rest)
          products[i * width + i] = rest.squareRoot()
        }
      }
    }
    return sums
  }
}

/// The restricted deviance as a function of the scale of standard deviations.
struct ErrorSums {
  /// The degrees of freedom n - p.
  var degreesOfFreedom = 0.0
  /// The terms that do not depend on the scale.
  var logarithms = 0.0
  /// The sum of squared residuals at scale 1.
  var squares = 0.0
  /// The prediction minus the limit of each censored reading, at scale 1.
  var censored: [Double] = []

  static func += (sums: inout ErrorSums, other: ErrorSums) {
    sums.degreesOfFreedom += other.degreesOfFreedom
    sums.logarithms += other.logarithms
    sums.squares += other.squares
    sums.censored += other.censored
  }

  func deviance(_ scale: Double) -> Double {
    let censored = censored.reduce(0) { $0 + BelowLimit.cost(-$1 / scale) }
    return logarithms + 2 * degreesOfFreedom * .log(scale) + squares / (scale * scale) + censored
  }

  private static let mostSteps = 20

  var bestScale: Double {
    let scale = max((squares / degreesOfFreedom).squareRoot(), NoiseModel.smallestScale)
    guard !censored.isEmpty else { return scale }
    let center = Double.log(scale)
    // Newton's method on the derivative by the logarithm, without the small share that censored readings have in its slope.
    var log = center
    for _ in 0..<Self.mostSteps {
      let s = Double.exp(log)
      let rest = squares / (s * s)
      let slope = censored.reduce(degreesOfFreedom - rest) { sum, excess in
        sum + BelowLimit.hazard(-excess / s) * -excess / s
      }
      let step = slope / (2 * rest)
      guard step.isFinite, abs(step) < 1 else { break }
      log -= step
      if abs(step) < 1e-7 { return .exp(log) }
    }
    let minimum = try? BracketedMinimum.find(from: center - 2, to: center + 4, points: 7) {
      deviance(.exp($0))
    }
    return minimum.map { .exp($0.x) } ?? scale
  }
}
