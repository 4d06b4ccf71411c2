package import Estimation
import GSL
import RealModule

/// Diagnostics of model and error model from the residuals of all series of a study.
///
/// One series is too short to show that its errors are correlated or that the curve has a wrong
/// shape; a study is not. Standard errors are between series, which are assumed to be independent.
package struct StudyDiagnostics: Codable, Hashable, Sendable {
  /// The number of series with residuals.
  package private(set) var series = 0
  package private(set) var readings = 0

  /// The error model that the series share; nil if they do not share one.
  package let error: StudyErrorModel?

  private var lag = LagSums()
  private var time = TrendSums(.time)
  private var concentration = TrendSums(.concentration)

  /// The fewest series for a result.
  package static let fewestSeries = PooledAutocorrelation.fewestSeries

  /// Creates empty diagnostics.
  package init(error: StudyErrorModel? = nil) { self.error = error }

  /// Evaluates all fits of a study.
  package init(of fits: [StudyFit], error: StudyErrorModel? = nil) {
    self.init(error: error)
    for fit in fits { add(fit) }
  }

  /// Adds a fit in constant memory; one without residuals adds nothing.
  package mutating func add(_ fit: StudyFit) {
    guard let fit = try? fit.result.get() else { return }
    add(fit)
  }

  /// Adds a fit; one without residuals adds nothing.
  package mutating func add(_ fit: SeriesFit) {
    guard fit.isConverged, let sums = fit.diagnostics?.sums, sums.squares > 0 else { return }
    series += 1
    readings += sums.count
    lag.add(sums)
    time.add(sums.timeMoments, sums.byTime)
    concentration.add(sums.concentrationMoments, sums.byConcentration)
  }

  /// The correlation of neighbouring residuals, pooled; nil for too few series.
  package var autocorrelation: PooledAutocorrelation? {
    lag.result(series: series)
  }

  /// Residuals against time since the first drink in h; nil for too few series.
  package var overTime: PooledTrend? { time.result(series: series) }

  /// Residuals against the predicted concentration in g/kg; nil for too few series.
  package var overConcentration: PooledTrend? { concentration.result(series: series) }

  /// The notice that fits model correlated errors because the study's test fired; nil if it did not, or if they were
  /// told to.
  package var correlationNotice: StudyWarning? {
    error.flatMap { error in error.correlationTest.map { .correlationModelled($0, error) } }
  }

  /// The warnings for the study, the notice first.
  package var warnings: [StudyWarning] {
    var warnings = [correlationNotice].compactMap(\.self)
    if let autocorrelation, autocorrelation.isNoteworthy {
      warnings.append(.correlatedErrors(autocorrelation))
    }
    if let spread = error?.spread, spread.isNoteworthy { warnings.append(.errorsDiffer(spread)) }
    if let overTime, overTime.isNoteworthy { warnings.append(.trendOverTime(overTime)) }
    if let overConcentration, overConcentration.isNoteworthy {
      warnings.append(.trendOverConcentration(overConcentration))
    }
    return warnings
  }

  /// The significance level of warnings: a right model gets one in a thousand studies.
  static let rarity = PooledAutocorrelation.rarity
  /// The level of all intervals here.
  static let level = PooledAutocorrelation.level
}

/// Residuals of all series against time or concentration, or errors of all subjects.
package struct PooledTrend: Codable, Hashable, Sendable {
  /// The mean of residuals in a range.
  package struct Bin: Codable, Hashable, Sendable {
    /// Where the range begins: h since the first drink, or g/kg.
    package let low: Double
    /// Where it ends; nil for the last one.
    package let high: Double?
    package let readings: Int
    package let series: Int
    /// The mean residual, in standard deviations, or the mean error, in g/kg.
    package let mean: Double
    /// Its 95 % interval between series; nil for fewer than 2.
    package let interval: Interval?
  }

  package let bins: [Bin]
  /// Hotelling's T^2 over its degrees of freedom, which has the F distribution of 3 and m - 3 degrees of
  /// freedom if the curves have the right shape: a test of the sums of residuals, of residuals times x
  /// and of residuals times x^2 in each of m series (Hotelling 1931). Of errors it is of slope and
  /// curvature alone, with 2 and m - 2 degrees of freedom. Nil if it cannot be computed.
  package let statistic: Double?
  /// The probability of one as large as this; nil without it.
  package let pValue: Double?
  package let series: Int
  /// The expected mean without a trend: 0 for residuals, the bias for errors.
  package let level: Double
  /// The standard deviation of a single value: 1 for residuals.
  let deviation: Double

  /// The bin with the mean farthest from the level, of those whose interval excludes it.
  package var worst: Bin? {
    bins.filter { bin in bin.interval.map { $0.low > level || $0.high < level } ?? false }
      .max { abs($0.mean - level) < abs($1.mean - level) }
  }

  /// Smaller deviations of means from the level, in standard deviations, are not material.
  private static let negligible = 0.2

  /// Whether the curve is systematically off, significantly and by enough to matter.
  package var isNoteworthy: Bool {
    guard let pValue, let worst else { return false }
    return pValue < StudyDiagnostics.rarity && abs(worst.mean - level) > Self.negligible * deviation
  }
}

// MARK: - Sums over series

/// Sums for the means of bins and for Hotelling's test.
struct TrendSums: Codable, Hashable {
  private let edges: ResidualBins
  private var bins: [BinSums]
  private var moments: [Double]
  private var products: [[Double]]

  struct BinSums: Codable, Hashable {
    fileprivate var series = 0.0
    fileprivate var count = 0.0
    fileprivate var sum = 0.0
    fileprivate var countCounts = 0.0
    fileprivate var countSums = 0.0
    fileprivate var sumSums = 0.0

    /// Adds the values of a series.
    mutating func add(count: Double, sum: Double) {
      series += 1
      self.count += count
      self.sum += sum
      countCounts += count * count
      countSums += count * sum
      sumSums += sum * sum
    }

    /// Returns the sums of the values less a number.
    func shifted(by value: Double) -> BinSums {
      var shifted = self
      shifted.sum -= value * count
      shifted.countSums -= value * countCounts
      shifted.sumSums -= value * (2 * countSums - value * countCounts)
      return shifted
    }
  }

  /// Creates sums from precomputed ones: over the bins, and over each shape with their products.
  init(_ edges: ResidualBins, _ bins: [BinSums], moments: [Double], products: [[Double]]) {
    self.edges = edges
    self.bins = bins
    self.moments = moments
    self.products = products
  }

  init(_ edges: ResidualBins) {
    self.edges = edges
    bins = Array(repeating: BinSums(), count: edges.count)
    moments = Array(repeating: 0, count: ResidualSums.shapeCount)
    products = Array(repeating: moments, count: moments.count)
  }

  mutating func add(_ series: [Double], _ sums: [ResidualSums.BinSum]) {
    for row in moments.indices {
      moments[row] += series[row]
      for column in moments.indices { products[row][column] += series[row] * series[column] }
    }
    for (index, bin) in sums.enumerated() where bin.count > 0 {
      bins[index].add(count: bin.count, sum: bin.sum)
    }
  }

  /// Nil for too few series.
  ///
  /// - Parameters:
  ///   - series: How many series, or subjects, are in the sums.
  ///   - level: What was subtracted from all values.
  func result(series: Int, level: Double = 0, deviation: Double = 1) -> PooledTrend? {
    guard series >= StudyDiagnostics.fewestSeries else { return nil }
    let statistic = hotelling(Double(series))
    let pValue = statistic.flatMap { value in
      try? FDistribution(
        numerator: Double(moments.count), denominator: Double(series - moments.count)
      ).upperTail(value)
    }
    return PooledTrend(
      bins: bins.indices.compactMap { bin($0, level: level) }, statistic: statistic,
      pValue: pValue, series: series, level: level, deviation: deviation)
  }

  private func bin(_ index: Int, level: Double) -> PooledTrend.Bin? {
    let sums = bins[index]
    guard sums.count > 0 else { return nil }
    let mean = sums.sum / sums.count
    let spread = sums.sumSums - 2 * mean * sums.countSums + mean * mean * sums.countCounts
    var interval: Interval?
    if sums.series >= 2, let student = try? StudentT(degreesOfFreedom: sums.series - 1),
      let quantile = try? student.quantile((1 + StudyDiagnostics.level) / 2)
    {
      let error =
        (max(0, spread) * sums.series / (sums.series - 1)).squareRoot() / sums.count
      let centre = level + mean
      interval = Interval(low: centre - quantile * error, high: centre + quantile * error)
    }
    let range = edges.range(of: index)
    return PooledTrend.Bin(
      low: range.low, high: range.high, readings: Int(sums.count), series: Int(sums.series),
      mean: level + mean, interval: interval)
  }

  /// F = (m - k) / (k (m - 1)) T^2 for k shapes; nil if the covariance of their sums is singular.
  private func hotelling(_ count: Double) -> Double? {
    let shapes = Double(moments.count)
    guard count > shapes else { return nil }
    let means = moments.map { $0 / count }
    let covariance = means.indices.map { row in
      means.indices.map { column in
        (products[row][column] - count * means[row] * means[column]) / (count - 1)
      }
    }
    guard let solved = Self.solve(covariance, means) else { return nil }
    let square = count * zip(means, solved).reduce(0) { $0 + $1.0 * $1.1 }
    let statistic = (count - shapes) / (shapes * (count - 1)) * square
    return statistic.isFinite && statistic >= 0 ? statistic : nil
  }

  /// S^-1 v for a symmetric matrix by Cholesky's factors of the correlation; nil if it is singular.
  private static func solve(_ matrix: [[Double]], _ vector: [Double]) -> [Double]? {
    let scales = matrix.indices.map { matrix[$0][$0].squareRoot() }
    guard scales.allSatisfy({ $0 > 0 && $0.isFinite }) else { return nil }
    let correlation = matrix.indices.flatMap { row in
      matrix.indices.map { matrix[row][$0] / (scales[row] * scales[$0]) }
    }
    guard let factor = Cholesky.factor(of: correlation, size: matrix.count, least: 1e-10) else {
      return nil
    }
    let solution = Cholesky.solve(factor, zip(vector, scales).map { $0 / $1 })
    return zip(solution, scales).map { $0 / $1 }
  }
}
