package import AlcoholKinetics
package import Estimation
import RealModule

/// How a subject's readings err about the subject's curve.
///
/// The error of a reading at time t is
///
///     e(t) = u d(t) (sqrt(0.9) x(t) + sqrt(0.1) w),    d(t) = sqrt(sd^2 + (cv f)^2) sqrt(1 + (q g)^2).
///
/// - d is the typical standard deviation at a prediction f. It grows with g, the ethanol in g/kg that is not yet
///   absorbed, because stomachs empty in their own way and no first-order curve follows that.
/// - u is the subject's own size of errors, with nu / u^2 distributed as chi-squared on nu degrees of freedom.
/// - x is an Ornstein-Uhlenbeck process of variance 1, whose correlation exp(-dt / tau) makes errors come in runs
///   (Jones, R. H. 1993, section 3.3); w is independent noise.
///
/// u is integrated out, which turns the normal likelihood into Student's, and tau over some equally likely times. A
/// population that says nothing of nu, q and tau has errors that are the same for everybody and independent.
package struct ReadingErrors: Hashable, Sendable {
  /// The typical error, which depends on the concentration.
  package let typical: ObservationModel
  /// How many readings of a subject's own the typical size is worth; nil where everybody errs alike.
  package let degreesOfFreedom: Int?
  /// How errors grow with what is not yet absorbed, in kg/g.
  package let absorption: Double
  /// The equally likely times in which errors lose their correlation; none where errors are independent.
  package let correlationTimes: [Hours]

  /// The share of the variance that is correlated. On the open studies 0.9 was better than 0.6 and 0.3 for every
  /// correlation time.
  static let correlatedShare = 0.9

  /// Errors that are the same for everybody and independent, unless more is said of them.
  init(
    _ typical: ObservationModel, degreesOfFreedom: Int? = nil, absorption: Double = 0,
    correlationTimes: [Hours] = []
  ) {
    self.typical = typical
    self.degreesOfFreedom = degreesOfFreedom
    self.absorption = absorption
    self.correlationTimes = correlationTimes
  }

  /// Whether errors are the same for everybody and independent.
  var isPlain: Bool { degreesOfFreedom == nil && absorption == 0 && correlationTimes.isEmpty }

  /// The typical standard deviation, in g/kg.
  func deviation(at prediction: Double, unabsorbed: Double = 0) -> Double {
    let growth = absorption * unabsorbed
    return typical.deviation(at: prediction) * (1 + growth * growth).squareRoot()
  }

  /// The variance of the sum of the standardised errors of readings.
  ///
  /// - Parameter hours: When they were taken, in h.
  package func varianceOfSum(at hours: [Double]) -> Double {
    let times = correlationTimes.map(\.value)
    var sum = Double(hours.count)
    for (index, one) in hours.enumerated() {
      for other in hours[..<index] where !times.isEmpty {
        let mean = times.reduce(0) { $0 + .exp(-abs(one - other) / $1) } / Double(times.count)
        sum += 2 * Self.correlatedShare * mean
      }
    }
    return sum
  }
}

/// The errors of one series, given when its readings were taken: a Kalman filter whose gains depend on the times
/// alone, so that one serves every curve.
struct ErrorFilter: Sendable {
  /// One reading's part in the filter.
  private struct Step {
    /// By what x has decayed since the reading before.
    let decay: Double
    /// The share of a surprise that x takes over; 0 for a censored reading.
    let gain: Double
    /// The variance of the reading about its expectation, in d^2.
    let variance: Double
  }

  /// What errors of one correlation time leave after the last reading.
  struct State: Sendable {
    /// The correlation time in h; zero where errors are independent.
    var time: Double
    /// The expectation of sqrt(0.9) x at the last reading.
    var mean = 0.0
    /// Its variance, in u^2.
    var variance: Double
  }

  private let errors: ReadingErrors
  private let steps: [[Step]]
  private let ends: [State]
  /// The sums of the logarithms of the standard deviations of surprises, in d.
  private let logScales: [Double]
  private let areCensored: [Bool]

  /// - Parameter times: Of the readings, in h, in order.
  init(_ errors: ReadingErrors, times: [Double], areCensored: [Bool]) {
    self.errors = errors
    self.areCensored = areCensored
    let isCorrelated = !errors.correlationTimes.isEmpty
    let share = isCorrelated ? ReadingErrors.correlatedShare : 0
    var (steps, ends) = ([[Step]](), [State]())
    for time in isCorrelated ? errors.correlationTimes.map(\.value) : [0] {
      var (variance, own) = (share, [Step]())
      for (index, moment) in times.enumerated() {
        let decay =
          index > 0 && time > 0 ? Double.exp(-(moment - times[index - 1]) / time) : 0
        variance = variance * decay * decay + share * (1 - decay * decay)
        let whole = variance + 1 - share
        let gain = areCensored[index] ? 0 : variance / whole
        own.append(Step(decay: decay, gain: gain, variance: whole))
        variance *= 1 - gain
      }
      steps.append(own)
      ends.append(State(time: time, variance: variance))
    }
    self.steps = steps
    self.ends = ends
    logScales = steps.map { 0.5 * Self.logOfProduct($0.map(\.variance), but: areCensored) }
  }

  /// What readings say of a curve.
  struct Result {
    /// The logarithm of their density but for a constant.
    let logDensity: Double
    /// The same for each correlation time.
    fileprivate let logs: [Double]
    /// The sum of the squares of the standardised surprises for each.
    fileprivate let squares: [Double]
    fileprivate let states: [State]
    fileprivate let count: Int
  }

  /// Filters the distances of readings, or limits, from a curve; `deviations` are typical ones. Both are in g/kg.
  func result(_ distances: [Double], _ deviations: [Double]) -> Result {
    var (logs, squares, states, count) = ([Double](), [Double](), ends, 0)
    let standardised = zip(distances, deviations).map { $0 / $1 }
    let logScale = Self.logOfProduct(deviations, but: areCensored)
    for time in steps.indices {
      var (mean, sum, log) = (0.0, 0.0, -logScale - logScales[time])
      count = 0
      for (index, step) in steps[time].enumerated() {
        mean *= step.decay
        let surprise = standardised[index] - mean
        if areCensored[index] {
          let scale = (step.variance * meanSquare(sum, count)).squareRoot()
          log -= 0.5 * BelowLimit.cost(surprise / scale)
        } else {
          sum += surprise * surprise / step.variance
          mean += step.gain * surprise
          count += 1
        }
      }
      states[time].mean = mean
      squares.append(sum)
      logs.append(log + logDensity(of: sum, count))
    }
    return Result(
      logDensity: logMean(logs), logs: logs, squares: squares, states: states, count: count)
  }

  /// The logarithm of the product of numbers that are not left out; eight share a logarithm, which costs as much as all
  /// else for a reading.
  private static func logOfProduct(_ numbers: [Double], but isLeftOut: [Bool]) -> Double {
    var (log, product) = (0.0, 1.0)
    for (index, number) in numbers.enumerated() {
      if !isLeftOut[index] { product *= number }
      if index % 8 == 7 {
        log += .log(product)
        product = 1
      }
    }
    return log + .log(product)
  }

  /// The expected u^2 after some readings.
  private func meanSquare(_ sum: Double, _ count: Int) -> Double {
    errors.degreesOfFreedom.map { (Double($0) + sum) / Double($0 + count) } ?? 1
  }

  /// The logarithm of the density of surprises with a sum of squares, u integrated out.
  private func logDensity(of sum: Double, _ count: Int) -> Double {
    guard let freedom = errors.degreesOfFreedom else { return -0.5 * sum }
    let nu = Double(freedom)
    return -0.5 * (nu + Double(count)) * .log(onePlus: sum / nu)
  }

  /// A draw of a subject's size of errors u and of what the errors leave after the last reading.
  func draw(_ result: Result, _ numbers: inout RandomStream) -> (size: Double, state: State) {
    let most = result.logs.max() ?? 0
    let weights = result.logs.map { Double.exp($0 - most) }
    var (rest, time) = (numbers.uniform() * weights.reduce(0, +), 0)
    while time < weights.count - 1, rest > weights[time] {
      rest -= weights[time]
      time += 1
    }
    guard let freedom = errors.degreesOfFreedom else { return (1, result.states[time]) }
    let chi = numbers.chiSquared(freedom + result.count)
    return (((Double(freedom) + result.squares[time]) / chi).squareRoot(), result.states[time])
  }
}

/// How one draw's readings go on to err after the last one that is known.
struct ErrorAhead: Sendable {
  /// The subject's size of errors u.
  let size: Double
  let state: ErrorFilter.State
  /// The normal deviate of what happens to x after the last reading.
  let deviate: Double

  /// The correlated part of the error some time after the last reading, in typical standard deviations.
  func correlated(after hours: Double) -> Double {
    guard state.time > 0 else { return 0 }
    let decay = Double.exp(-hours / state.time)
    let square = decay * decay
    let variance = state.variance * square + ReadingErrors.correlatedShare * (1 - square)
    return state.mean * decay + size * variance.squareRoot() * deviate
  }

  /// The standard deviation of the rest of the error, in typical ones.
  var independent: Double {
    state.time > 0 ? size * (1 - ReadingErrors.correlatedShare).squareRoot() : size
  }
}

extension Regimen {
  /// The ethanol that has been drunk and not yet absorbed, in g per kg of blood, by somebody with these parameters.
  func unabsorbed(at time: Hours, _ parameters: ModelParameters) -> Double {
    unabsorbed(at: [time.value], parameters)[0]
  }

  /// The same at several times, in h.
  func unabsorbed(at times: [Double], _ parameters: ModelParameters) -> [Double] {
    let (ka, lag, r) = (parameters[.ka] ?? 0, parameters[.lag] ?? 0, parameters[.r] ?? 1)
    return times.map { unabsorbed(at: $0, ka: ka, lag: lag) / r }
  }

  /// The ethanol that has been drunk and not yet absorbed, per kg of body weight; during the lag nothing is.
  func unabsorbed(at time: Double, ka: Double, lag: Double) -> Double {
    var sum = 0.0
    for dose in doses where dose.route != .intravenous && time > dose.start.value {
      let (elapsed, duration) = (time - dose.start.value, dose.duration.value)
      let share = duration > 0 ? min(1, elapsed / duration) : 1
      let since = elapsed - lag
      guard since > 0 else {
        sum += share * dose.amount.value
        continue
      }
      guard duration > 0 else {
        sum += dose.amount.value * .exp(-ka * since)
        continue
      }
      // What entered the gut at a constant rate, and what waits in the lag.
      let entered = min(since, duration)
      let left = -.expMinusOne(-ka * entered) / ka * .exp(-ka * (since - entered))
      sum += dose.amount.value * (left + min(elapsed, duration) - entered) / duration
    }
    return sum
  }
}
