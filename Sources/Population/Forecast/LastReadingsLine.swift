import AlcoholKinetics
import Estimation
import RealModule

/// A forecast by a straight line through the last readings after absorption, independent of a population.
///
/// A reading that was taken h before the last is level + slope h + e. The slope is N(0.15, 0.04) g/kg/h, which is as
/// wide as subjects are (0.09-0.29 g/L/h, Jones & Andersson 1996; 0.10-0.25 g/L/h, Jones 2010), the level free, and
/// e ~ N(0, sigma) with 3 / sigma^2 distributed as chi-squared on 3 degrees of freedom about 0.02 g/kg. The line is
/// integrated out at each of 25 values of sigma, which are weighed by their evidence.
struct LastReadingsLine: Sendable {
  /// One line.
  struct Draw: Sendable {
    /// The concentration at the last reading, in g/kg.
    let level: Double
    /// The rate of decline, in g/kg/h.
    let slope: Double
    /// The standard deviation of readings about the line, in g/kg.
    let deviation: Double
    /// The error of the reading at the threshold, in g/kg.
    let error: Double

    /// The concentration some hours after the last reading, in g/kg.
    func level(after hours: Double) -> Double { max(0, level - slope * hours) }

    /// The hours after the last reading until a threshold in g/kg is reached; 0 if it has been.
    func hours(to threshold: Double) -> Double { max(0, (level + error - threshold) / slope) }
  }

  let draws: [Draw]

  /// The largest number of last readings to use, and the smallest.
  private static let most = 4
  private static let least = 2
  /// The time after the end of a drink during which concentrations still rise, in h.
  private static let absorption = 0.25
  private static let slope = (mean: 0.15, sd: 0.04)
  /// The lowest plausible elimination rate, in g/kg/h.
  private static let slowest = 0.04
  private static let typicalError = 0.02
  private static let freedom = 3.0
  /// The relative error, in sigma, of the reading that decides on the time, which is interpolated between two.
  private static let shareOfError = 0.7

  /// Draws lines; nil without two readings after the peak and the last drink, or if there are drinks to come.
  init?(
    _ readings: [Observations.Observation], of regimen: Regimen, draws count: Int, _ seed: UInt64
  ) {
    let end = regimen.doses.map { $0.start.value + $0.duration.value }.max() ?? 0
    guard let peak = readings.max(by: { $0.level < $1.level }) else { return nil }
    let used = readings.filter {
      !$0.isCensored && $0.time > max(peak.time, end + Self.absorption)
    }.suffix(Self.most)
    guard used.count >= Self.least, let last = used.last, last.time == readings.last?.time,
      last.level > 0
    else { return nil }
    let hours = used.map { last.time - $0.time }
    let levels = used.map(\.level)
    let posteriors = (0..<25).map { index in
      SigmaPosterior(
        .exp(.log(0.004) + Double(index) / 24 * .log(50)), hours, levels)
    }
    let points = HaltonPoints(seed, 0x11e)
    let highest = posteriors.map(\.logEvidence).max() ?? 0
    let weights = posteriors.map { Double.exp($0.logEvidence - highest) }
    draws = systematicSample(of: weights, count, offset: 0.5).enumerated().map { index, chosen in
      var point = points.point(index)
      return posteriors[chosen].draw(&point)
    }
  }

  /// The posterior of the line for one value of sigma: a normal distribution of level and slope.
  private struct SigmaPosterior {
    let sigma: Double
    let logEvidence: Double
    private let level: Double
    private let slope: Double
    /// The Cholesky factor of their covariance.
    private let factor: (Double, Double, Double)

    init(_ sigma: Double, _ hours: [Double], _ levels: [Double]) {
      self.sigma = sigma
      let prior = LastReadingsLine.slope
      let noise = sigma * sigma
      let precision = 1 / (prior.sd * prior.sd)
      let n = Double(hours.count)
      let h = hours.reduce(0, +)
      let hh = hours.reduce(0) { $0 + $1 * $1 }
      let y = levels.reduce(0, +)
      let hy = zip(hours, levels).reduce(0) { $0 + $1.0 * $1.1 }
      // The information of level and slope, and its inverse.
      let a = n / noise
      let b = h / noise
      let c = hh / noise + precision
      let determinant = a * c - b * b
      let right = y / noise
      let below = hy / noise + prior.mean * precision
      let level = (c * right - b * below) / determinant
      let slope = (a * below - b * right) / determinant
      let squares = zip(hours, levels).reduce(0) { sum, reading in
        let rest = reading.1 - level - slope * reading.0
        return sum + rest * rest
      }
      self.level = level
      self.slope = slope
      let surprise = (slope - prior.mean) / prior.sd
      let freedom = LastReadingsLine.freedom
      let ratio = LastReadingsLine.typicalError / sigma
      logEvidence =
        -n * .log(sigma) - 0.5 * (squares / noise + surprise * surprise + .log(determinant))
        - freedom * (.log(sigma) + 0.5 * ratio * ratio)
      let deviation = (c / determinant).squareRoot()
      let shared = -b / determinant / deviation
      factor = (deviation, shared, max(0, a / determinant - shared * shared).squareRoot())
    }

    func draw(_ numbers: inout some UniformNumbers) -> Draw {
      let first = numbers.normal()
      let second = numbers.normal()
      let start = level + factor.0 * first
      let fall = slope + factor.1 * first + factor.2 * second
      return Draw(
        level: max(0, start), slope: max(LastReadingsLine.slowest, fall), deviation: sigma,
        error: LastReadingsLine.shareOfError * sigma * numbers.normal())
    }
  }
}
