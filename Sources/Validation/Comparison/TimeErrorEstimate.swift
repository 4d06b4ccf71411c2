public import Estimation
import RealModule

/// Errors of predicted times to sobriety, estimated from interval-censored measured times.
///
/// A measured time T lies between two readings, or after the last, or before the first. Two models
/// of the errors are fitted by maximum likelihood of these limits: either the logarithm of
/// predicted / T is normal, which gives errors in percent, or predicted - T is. Errors in minutes
/// come from the likelier one, because either misleads where the other holds and many times have
/// one limit only. Mean absolute errors and shares are means over series of the expectation between
/// the limits, so that they never contradict the limits, and the model matters only inside them.
///
/// Sobriety from the start has no ratio. If it is predicted but readings were above the threshold,
/// or the other way round, the prediction is 100 % off and does not count in the typical error in
/// percent; if nothing was above either way, the series is left out. A subject counts as sober from
/// the start if not above at a first reading within an hour of the first drink; such times would
/// have any ratio, and dominate all others.
///
/// If a single error satisfies all limits, the likelihood is largest without a spread. The middles of the limits are
/// taken instead, as if they were exact.
///
/// Intervals are over subjects: subjects are resampled with all occasions, and the model is chosen
/// and fitted anew each time. Only subjects with a time between two readings inform the spread, so
/// their number determines how much the percentiles are expanded. With few subjects a mean absolute error is at most
/// the upper limit of that of the larger end of each error.
///
/// Source: the interval-censored normal and log-normal models of R. Peto, Appl Stat 22 (1973) 86-91, and J. D.
/// Kalbfleisch and R. L. Prentice, "The Statistical Analysis of Failure Time Data" (2002), chapter 3.
public struct TimeErrorEstimate: Codable, Hashable, Sendable {
  /// The typical error in percent of the measured time: 100 (e^m - 1), m being the mean log ratio. Nil if every
  /// prediction is sobriety from the start.
  public let biasPercentOfMeasured: EstimatedValue?
  /// The typical error in percent of the predicted time: 100 (1 - e^-m).
  public let biasPercentOfPredicted: EstimatedValue?
  /// The standard deviation of the log ratio between series, times 100.
  public let sdPercent: Double?
  public let biasMinutes: EstimatedValue
  public let meanAbsoluteMinutes: EstimatedValue
  /// The mean absolute error in percent of the measured time. A prediction of sobriety from the start counts as 100 %.
  public let meanAbsolutePercent: EstimatedValue
  /// Shares of the series with an error within some percent of the measured time, in the order
  /// asked for.
  public let within: [Share]
  /// The median error by Turnbull's nonparametric estimate, in percent of the measured time; nil if every prediction is
  /// sobriety from the start.
  public let medianPercent: CensoredMedian?
  /// The log likelihood of the limits with a normal log ratio; nil if every prediction is sobriety from the start.
  public let logLikelihoodOfRatio: Double?
  /// The log likelihood of the same limits with a normal error in min.
  public let logLikelihoodOfMinutes: Double
  /// Whether errors in min are from the normal log ratio, which is the likelier one.
  public let isRatioLikelier: Bool
  /// Coverage of the predictions' stated limits; nil without any.
  public let intervals: IntervalSkill?

  /// The share of series with an error within some percent.
  public struct Share: Codable, Hashable, Sendable {
    /// The largest error that counts, in percent of the measured time.
    public let limit: Double
    /// The share of series, in percent.
    public let percent: Double
  }

  /// The default limits of errors to count within, in percent of the measured time.
  public static let usualLimits: [Double] = [10, 20, 30]

  /// Estimates from interval-censored errors.
  ///
  /// - Parameters:
  ///   - limits: Limits of errors to count within, in percent of the measured time.
  ///   - level: The nominal coverage of stated limits.
  /// - Returns: Nil if the limits do not determine an estimate: no errors, only upper or only lower
  ///   limits, or a single value satisfies all limits and these are infinite or have one middle.
  init?(
    _ bySubject: [[SobrietyError]], within limits: [Double],
    level: Double = PredictionSpread.level, _ bootstrap: Bootstrap
  ) {
    let bounded = bySubject.map { $0.filter { !$0.agreesFromTheStart } }.filter { !$0.isEmpty }
    var data = Data(bounded)
    guard var whole = data.estimate() else { return nil }
    if !whole.hasSpread {
      data.fitsMiddles = true
      guard let ofMiddles = data.estimate(), ofMiddles.hasSpread else { return nil }
      whole = ofMiddles
    }
    let informed = bounded.count { $0.contains(where: \.isBetweenReadings) }
    let drawn = bootstrap.intervals(
      count: bounded.count, width: Drawn.width, refittingInformed: informed,
      withoutGroups: { [data, whole] in
        data.estimates(withoutEachOf: $0, near: whole)?.map(\.statistics)
      }
    ) { [data, whole] drawn in
      (data.estimate(drawn, from: whole) ?? data.unboundedEstimate(drawn))?.statistics ?? []
    }
    let interval = { (position: Int, transform: (Double) -> Double) in
      drawn[position].map { Interval(low: transform($0.low), high: transform($0.high)) }
    }
    let ofMeasured = { 100 * Double.expMinusOne($0) }
    let ofPredicted = { -100 * Double.expMinusOne(-$0) }
    let ratio = whole.ratio
    biasPercentOfMeasured = ratio.map {
      EstimatedValue(value: ofMeasured($0.mean), interval: interval(0, ofMeasured))
    }
    biasPercentOfPredicted = ratio.map {
      EstimatedValue(value: ofPredicted($0.mean), interval: interval(0, ofPredicted))
    }
    sdPercent = ratio.map { 100 * $0.sd }
    biasMinutes = EstimatedValue(value: whole.biasMinutes, interval: drawn[1])
    // With few subjects a jackknife of logarithms may be wider than the limits of the errors allow.
    let magnitude = { (position: Int, largest: (SobrietyError) -> Double) -> Interval? in
      guard let drawn = interval(position, { Double.exp($0) }) else { return nil }
      guard Bootstrap.kind(count: bounded.count) == .studentT,
        let most = bootstrap.interval(
          count: bounded.count,
          statistic: { Sample($0.flatMap { bounded[$0].map(largest) })?.mean })
      else { return drawn }
      return Interval(low: drawn.low, high: min(drawn.high, most.high))
    }
    meanAbsoluteMinutes = EstimatedValue(
      value: whole.meanAbsoluteMinutes, interval: magnitude(2) { $0.limits.largestMagnitude })
    meanAbsolutePercent = EstimatedValue(
      value: whole.meanAbsolutePercent,
      interval: magnitude(3) {
        $0.isMeasuredFromTheStart ? 100 : $0.percentOfMeasured.largestMagnitude
      })
    within = limits.map { Share(limit: $0, percent: data.share(within: $0, whole)) }
    medianPercent = CensoredMedian(
      data.logRatios.compactMap(\.self).map { CensoredValue(low: $0.low, high: $0.high) }
    )?.map(ofMeasured)
    logLikelihoodOfRatio = ratio?.logLikelihood
    logLikelihoodOfMinutes = whole.minutes.logLikelihood
    isRatioLikelier = whole.isRatioLikelier
    intervals = IntervalSkill(bounded.flatMap(\.self), level: level) { [whole] in
      whole.measuredTime(of: $0)
    }
  }
}

/// The limits of errors, by subject.
private struct Data {
  private let errors: [SobrietyError]
  /// Limits in min, series by series.
  private let minutes: [Interval]
  /// Limits of the log ratio; nil for sobriety from the start, predicted or measured.
  let logRatios: [Interval?]
  /// Whether the error in min follows from the ratio.
  private let hasRatio: [Bool]
  /// The series whose errors are fitted: those with a ratio, or all if none has one.
  private let fitted: [Int]
  /// The series of each subject.
  private let series: [Range<Int>]
  /// Whether the middles of the limits are fitted, because a single error satisfies all limits.
  var fitsMiddles = false

  init(_ bySubject: [[SobrietyError]]) {
    errors = bySubject.flatMap(\.self)
    minutes = errors.map(\.limits)
    logRatios = errors.map { $0.isMeasuredFromTheStart ? nil : $0.logRatio }
    hasRatio = zip(errors, logRatios).map { $0.predictedMinutes != nil && $1 != nil }
    let withRatio = errors.indices.filter { [logRatios] in logRatios[$0] != nil }
    fitted = withRatio.isEmpty ? Array(errors.indices) : withRatio
    var first = 0
    series = bySubject.map { errors in
      defer { first += errors.count }
      return first..<first + errors.count
    }
  }

  /// Fits all subjects, or those drawn; nil if the limits do not determine an estimate.
  func estimate(_ drawn: [Int]? = nil, from start: Drawn? = nil) -> Drawn? {
    let weights = weights(drawn)
    let fittedWeights = fitted.map { weights[$0] }
    guard
      let inMinutes = fit(fitted.map { minutes[$0] }, fittedWeights, from: start?.minutes)
    else { return nil }
    let ratio = fit(fitted.compactMap { logRatios[$0] }, fittedWeights, from: start?.ratio)
    guard ratio != nil || logRatios.allSatisfy({ $0 == nil }) else { return nil }
    let likelier = ratio.flatMap { $0.logLikelihood >= inMinutes.logLikelihood ? $0 : nil }
    let counted = weights.indices.filter { weights[$0] > 0 }
    let timed = likelier == nil ? [] : counted.filter { hasRatio[$0] }
    let rest = likelier == nil ? counted : counted.filter { !hasRatio[$0] }
    var sums = SIMD3<Double>.zero
    var count = 0.0
    func add(_ indices: [Int], _ errors: [SIMD2<Double>]) {
      for (index, error) in zip(indices, errors) {
        sums += weights[index] * SIMD3(lowHalf: error, 0)
      }
    }
    if let likelier { add(timed, byRatio(timed, likelier)) }
    add(rest, byMinutes(rest, inMinutes))
    for (index, percent) in zip(counted, percents(counted, ratio)) {
      sums.z += weights[index] * percent
      count += weights[index]
    }
    return Drawn(ratio, inMinutes, isRatioLikelier: likelier != nil, sums / count)
  }

  private func fit(
    _ limits: [Interval], _ weights: [Double], from start: CensoredNormalFit?
  ) -> CensoredNormalFit? {
    fitsMiddles
      ? CensoredNormalFit(middlesOf: limits, weights: weights)
      : CensoredNormalFit(limits, weights: weights, from: start)
  }

  /// The expected errors of some series in min, signed and absolute, with a normal error in min.
  private func byMinutes(_ indices: [Int], _ normal: CensoredNormalFit) -> [SIMD2<Double>] {
    normal.magnitudes(in: indices.map { minutes[$0] }).map { SIMD2($0.mean, $0.magnitude) }
  }

  /// The expected errors of series with a ratio, in min, signed and absolute, with a normal log
  /// ratio.
  private func byRatio(_ indices: [Int], _ normal: CensoredNormalFit) -> [SIMD2<Double>] {
    let limits = indices.compactMap { logRatios[$0]?.reflected }
    return zip(indices, normal.reflected.exponentials(in: limits)).map { index, measured in
      (errors[index].predictedMinutes ?? 0) * SIMD2(1 - measured.mean, measured.distance)
    }
  }

  /// The expected absolute errors of some series in percent of the measured time.
  private func percents(_ indices: [Int], _ ratio: CensoredNormalFit?) -> [Double] {
    guard let ratio else { return indices.map { _ in 100 } }
    var remaining = ratio.exponentials(in: indices.compactMap { logRatios[$0] })[...]
    return indices.map { index in
      logRatios[index] == nil ? 100 : 100 * (remaining.popFirst()?.distance ?? 1)
    }
  }

  /// The delete-a-group estimates; nil if one is not near that of all subjects. Subject i belongs to group
  /// i modulo their number.
  func estimates(withoutEachOf count: Int, near whole: Drawn) -> [Drawn]? {
    var groups = [Int](repeating: 0, count: minutes.count)
    for (person, indices) in series.enumerated() {
      for index in indices { groups[index] = person % count }
    }
    func sums(_ indices: [Int], _ values: [SIMD4<Double>]) -> [SIMD4<Double>] {
      var sums = [SIMD4<Double>](repeating: .zero, count: count)
      for (index, value) in zip(indices, values) { sums[groups[index]] += value }
      return sums
    }
    func maxima(_ limits: [Interval], _ whole: CensoredNormalFit) -> DeleteGroupFits? {
      DeleteGroupFits(limits, groups: fitted.map { groups[$0] }, count: count, whole: whole)
    }
    guard let inMinutes = maxima(fitted.map { minutes[$0] }, whole.minutes) else { return nil }
    let ratios = whole.ratio.flatMap { maxima(fitted.compactMap { logRatios[$0] }, $0) }
    guard ratios != nil || whole.ratio == nil else { return nil }
    let isLikelier = inMinutes.all.enumerated().map { group, maximum in
      ratios.map { $0.all[group].logLikelihood >= maximum.logLikelihood } ?? false
    }
    let everybody = Array(minutes.indices)
    let timed = everybody.filter { hasRatio[$0] }
    let ofRatio = ratios?.sums { normal in
      zip(
        sums(timed, byRatio(timed, normal).map { SIMD4(lowHalf: $0, highHalf: .zero) }),
        sums(everybody, percents(everybody, normal).map { SIMD4(0, 0, $0, 0) })
      ).map { $0 + $1 }
    }
    // Errors in min of series without a ratio, and of all where the ratio is not the likelier model.
    let isOpen = isLikelier.contains(false)
    let asked = everybody.filter { isOpen || !hasRatio[$0] }
    let ofMinutes =
      asked.isEmpty
      ? nil
      : inMinutes.sums { normal in
        sums(
          asked,
          zip(asked, byMinutes(asked, normal)).map { index, error in
            SIMD4(lowHalf: error, highHalf: hasRatio[index] ? .zero : error)
          })
      }
    let sizes = groups.reduce(into: [Double](repeating: 0, count: count)) { $0[$1] += 1 }
    return (0..<count).map { group in
      let ratio = ofRatio?[group] ?? .zero
      let rest = ofMinutes?[group] ?? .zero
      let size = Double(minutes.count) - sizes[group]
      let means = (isLikelier[group] ? ratio.lowHalf + rest.highHalf : rest.lowHalf) / size
      return Drawn(
        ratios?.all[group], inMinutes.all[group], isRatioLikelier: isLikelier[group],
        SIMD3(lowHalf: means, ofRatio == nil ? 100 : ratio.z / size))
    }
  }

  /// The limit of the estimate if all drawn subjects were above the threshold to the end, so that their times
  /// are unbounded; nil otherwise.
  func unboundedEstimate(_ drawn: [Int]) -> Drawn? {
    let weights = weights(drawn)
    guard fitted.allSatisfy({ weights[$0] == 0 || minutes[$0].low == -.infinity }) else {
      return nil
    }
    return Drawn(
      .unlimited, .unlimited, isRatioLikelier: false, SIMD3(-.infinity, .infinity, 100))
  }

  private func weights(_ drawn: [Int]?) -> [Double] {
    var weights = [Double](repeating: drawn == nil ? 1 : 0, count: minutes.count)
    for person in drawn ?? [] {
      for index in series[person] { weights[index] += 1 }
    }
    return weights
  }

  /// The expected share of series, in percent, with an error within a limit in percent of the measured time.
  func share(within limit: Double, _ whole: Drawn) -> Double {
    let range = Interval(
      low: limit < 100 ? Double.log(onePlus: -limit / 100) : -.infinity,
      high: Double.log(onePlus: limit / 100))
    let total = logRatios.reduce(0.0) { sum, limits in
      guard let ratio = whole.ratio, let limits else { return sum + (limit >= 100 ? 1 : 0) }
      return sum + ratio.probability(of: range, in: limits)
    }
    return 100 * total / Double(logRatios.count)
  }
}

/// Estimates from one bootstrap draw of subjects.
private struct Drawn {
  let ratio: CensoredNormalFit?
  let minutes: CensoredNormalFit
  let isRatioLikelier: Bool
  let biasMinutes: Double
  let meanAbsoluteMinutes: Double
  let meanAbsolutePercent: Double

  static let width = 4

  /// - Parameter means: The mean error in min, the mean absolute error in min, and that in percent.
  init(
    _ ratio: CensoredNormalFit?, _ minutes: CensoredNormalFit, isRatioLikelier: Bool,
    _ means: SIMD3<Double>
  ) {
    self.ratio = ratio
    self.minutes = minutes
    self.isRatioLikelier = isRatioLikelier
    biasMinutes = means.x
    meanAbsoluteMinutes = means.y
    meanAbsolutePercent = means.z
  }

  /// The distribution of a measured time by the likelier model, or by that in min if there is no ratio. Nil if no time
  /// is predicted.
  func measuredTime(of error: SobrietyError) -> MeasuredTime? {
    guard let predicted = error.predictedMinutes else { return nil }
    if isRatioLikelier, let ratio, let limits = error.logRatio, !error.isMeasuredFromTheStart {
      return MeasuredTime(
        isRatio: true, normal: ratio.reflected, predicted: predicted, limits: limits.reflected)
    }
    return MeasuredTime(
      isRatio: false, normal: minutes.reflected, predicted: predicted,
      limits: error.limits.reflected)
  }

  /// Whether the limits exclude that all series have the same error.
  var hasSpread: Bool { minutes.sd > 0 && ratio?.sd != 0 }

  /// The statistics; absolute errors as logarithms, in which the jackknife of few subjects has better coverage.
  var statistics: [Double?] {
    [
      ratio?.mean, biasMinutes, Double.log(meanAbsoluteMinutes),
      Double.log(meanAbsolutePercent),
    ]
  }
}

extension Interval {
  /// The interval of the negated number.
  fileprivate var reflected: Interval { Interval(low: -high, high: -low) }

  fileprivate var largestMagnitude: Double { max(abs(low), abs(high)) }
}

extension SIMD3<Double> {
  fileprivate init(lowHalf: SIMD2<Double>, _ z: Double) { self.init(lowHalf.x, lowHalf.y, z) }
}
