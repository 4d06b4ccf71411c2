public import AlcoholKinetics
public import Estimation
import RealModule

/// The residual error model of readings about a subject's curve.
///
/// The error of a reading at time t is
///
///     e(t) = u d(t) (sqrt(0.9) x(t) + sqrt(0.1) w),    d(t) = sqrt(sd^2 + (cv f)^2) sqrt(1 + (q g)^2).
///
/// - d is the typical standard deviation at a prediction f. It grows with g, the unabsorbed ethanol in g/kg, because
///   stomachs do not empty at first order.
/// - u is the relative size of the subject's errors, with nu / u^2 distributed as chi-squared on nu degrees of freedom.
/// - x is an Ornstein-Uhlenbeck process of variance 1, with the autocorrelation exp(-dt / tau)
///   (Jones, R. H. 1993, section 3.3); w is independent noise.
///
/// u is integrated out, which makes the normal likelihood Student's t, and tau over some equally likely values. Without nu, q
/// and tau in the population, errors are independent and of the same size in all subjects.
public struct ReadingErrors: Hashable, Sendable {
  /// The typical error, which depends on the concentration.
  public let typical: ObservationModel
  /// nu, the weight of the typical size of errors in readings; nil if it is the same for all subjects.
  public let degreesOfFreedom: Int?
  /// q, the growth of errors with unabsorbed ethanol, in kg/g.
  public let absorption: Double
  /// The equally likely correlation times tau; empty if errors are independent.
  public let correlationTimes: [Hours]

  /// The share of the variance that is correlated. On the open studies 0.9 was better than 0.6 and 0.3 for every
  /// correlation time.
  static let correlatedShare = 0.9

  /// Makes an error model; by default errors are independent and of the same size in all subjects.
  init(
    _ typical: ObservationModel, degreesOfFreedom: Int? = nil, absorption: Double = 0,
    correlationTimes: [Hours] = []
  ) {
    self.typical = typical
    self.degreesOfFreedom = degreesOfFreedom
    self.absorption = absorption
    self.correlationTimes = correlationTimes
  }

  /// Whether errors are independent and of the same size in all subjects.
  var isPlain: Bool { degreesOfFreedom == nil && absorption == 0 && correlationTimes.isEmpty }

  /// The typical standard deviation, in g/kg.
  func deviation(at prediction: Double, unabsorbed: Double = 0) -> Double {
    let growth = absorption * unabsorbed
    return typical.deviation(at: prediction) * (1 + growth * growth).squareRoot()
  }

  /// The variance of the sum of the standardised errors of readings.
  ///
  /// - Parameter hours: The times of the readings, in h.
  public func varianceOfSum(at hours: [Double]) -> Double {
    let times = correlationTimes.map(\.value)
    var sum = Double(hours.count)
    for (index, later) in hours.enumerated() {
      for earlier in hours[..<index] where !times.isEmpty {
        let mean = times.reduce(0) { $0 + .exp(-abs(later - earlier) / $1) } / Double(times.count)
        sum += 2 * Self.correlatedShare * mean
      }
    }
    return sum
  }
}

/// A Kalman filter of the errors of one series. Its gains depend only on the times of the readings, so one filter serves all
/// curves.
struct ErrorFilter: Sendable {
  /// The filter step at a reading.
  private struct Step {
    /// The decay of x since the previous reading.
    let decay: Double
    /// The Kalman gain of x; 0 for a censored reading.
    let gain: Double
    /// The innovation variance, in d^2.
    let variance: Double
  }

  /// The filtered state after the last reading, for one correlation time.
  struct State: Sendable {
    /// The correlation time in h; 0 if errors are independent.
    var time: Double
    /// The expectation of sqrt(0.9) x at the last reading.
    var mean = 0.0
    /// The variance of sqrt(0.9) x, in u^2.
    var variance: Double
  }

  private let errors: ReadingErrors
  private let steps: [[Step]]
  private let ends: [State]
  /// The sum of the logarithms of the innovation standard deviations, in d, for each correlation time.
  private let logScales: [Double]
  private let areCensored: [Bool]

  /// - Parameter times: The times of the readings in h, ascending.
  init(_ errors: ReadingErrors, times: [Double], areCensored: [Bool]) {
    self.errors = errors
    self.areCensored = areCensored
    let isCorrelated = !errors.correlationTimes.isEmpty
    let share = isCorrelated ? ReadingErrors.correlatedShare : 0
    var steps: [[Step]] = []
    var ends: [State] = []
    for time in isCorrelated ? errors.correlationTimes.map(\.value) : [0] {
      var variance = share
      var stepsAtTime: [Step] = []
      for (index, moment) in times.enumerated() {
        let decay =
          index > 0 && time > 0 ? Double.exp(-(moment - times[index - 1]) / time) : 0
        variance = variance * decay * decay + share * (1 - decay * decay)
        let whole = variance + 1 - share
        let gain = areCensored[index] ? 0 : variance / whole
        stepsAtTime.append(Step(decay: decay, gain: gain, variance: whole))
        variance *= 1 - gain
      }
      steps.append(stepsAtTime)
      ends.append(State(time: time, variance: variance))
    }
    self.steps = steps
    self.ends = ends
    logScales = steps.map { 0.5 * Self.logOfProduct($0.map(\.variance), but: areCensored) }
  }

  /// The likelihood of a curve.
  struct Result {
    /// The logarithm of the density of the readings, up to a constant.
    let logDensity: Double
    /// The logarithm of the density for each correlation time.
    fileprivate let logs: [Double]
    /// The sum of the squared standardised innovations for each correlation time.
    fileprivate let squares: [Double]
    fileprivate let states: [State]
    fileprivate let count: Int
  }

  /// Filters the residuals of readings (or limits of detection) about a curve.
  ///
  /// - `distances`: The residuals; `deviations`: the typical standard deviations; both in g/kg.
  func result(_ distances: [Double], _ deviations: [Double]) -> Result {
    var logs: [Double] = []
    var squares: [Double] = []
    var states = ends
    var count = 0
    let standardised = zip(distances, deviations).map { $0 / $1 }
    let logScale = Self.logOfProduct(deviations, but: areCensored)
    for time in steps.indices {
      var mean = 0.0
      var sum = 0.0
      var log = -logScale - logScales[time]
      count = 0
      for (index, step) in steps[time].enumerated() {
        mean *= step.decay
        let innovation = standardised[index] - mean
        if areCensored[index] {
          let scale = (step.variance * meanSquare(sum, count)).squareRoot()
          log -= 0.5 * BelowLimit.cost(innovation / scale)
        } else {
          sum += innovation * innovation / step.variance
          mean += step.gain * innovation
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

  /// The logarithm of the product of the numbers that are not left out. Eight share a logarithm, which costs as much as the
  /// rest of a filter step.
  private static func logOfProduct(_ numbers: [Double], but isLeftOut: [Bool]) -> Double {
    var log = 0.0
    var product = 1.0
    for (index, number) in numbers.enumerated() {
      if !isLeftOut[index] { product *= number }
      if index % 8 == 7 {
        log += .log(product)
        product = 1
      }
    }
    return log + .log(product)
  }

  /// The posterior expectation of u^2 after some readings.
  private func meanSquare(_ sum: Double, _ count: Int) -> Double {
    errors.degreesOfFreedom.map { (Double($0) + sum) / Double($0 + count) } ?? 1
  }

  /// The logarithm of the density of innovations by their sum of squares, with u integrated out.
  private func logDensity(of sum: Double, _ count: Int) -> Double {
    guard let freedom = errors.degreesOfFreedom else { return -0.5 * sum }
    let nu = Double(freedom)
    return -0.5 * (nu + Double(count)) * .log(onePlus: sum / nu)
  }

  /// A draw of u, and the filtered state of a drawn correlation time.
  func draw(_ result: Result, _ numbers: inout RandomStream) -> (size: Double, state: State) {
    let most = result.logs.max() ?? 0
    let weights = result.logs.map { Double.exp($0 - most) }
    var rest = numbers.uniform() * weights.reduce(0, +)
    var time = 0
    while time < weights.count - 1, rest > weights[time] {
      rest -= weights[time]
      time += 1
    }
    guard let freedom = errors.degreesOfFreedom else { return (1, result.states[time]) }
    let chi = numbers.chiSquared(freedom + result.count)
    return (((Double(freedom) + result.squares[time]) / chi).squareRoot(), result.states[time])
  }
}

/// The distribution of one draw's errors after the last known reading.
struct ErrorAhead: Sendable {
  /// u, the relative size of the subject's errors.
  let size: Double
  let state: ErrorFilter.State
  /// The normal deviate of the innovation of x after the last reading.
  let deviate: Double

  /// The correlated part of the error some hours after the last reading, in typical standard deviations.
  func correlated(after hours: Double) -> Double {
    guard state.time > 0 else { return 0 }
    let decay = Double.exp(-hours / state.time)
    let square = decay * decay
    let variance = state.variance * square + ReadingErrors.correlatedShare * (1 - square)
    return state.mean * decay + size * variance.squareRoot() * deviate
  }

  /// The standard deviation of the independent part of the error, in typical standard deviations.
  var independent: Double {
    state.time > 0 ? size * (1 - ReadingErrors.correlatedShare).squareRoot() : size
  }
}

extension Regimen {
  /// The ethanol drunk and not yet absorbed at a time, in g per kg of blood.
  func unabsorbed(at time: Hours, _ parameters: ModelParameters) -> Double {
    unabsorbed(at: [time.value], parameters)[0]
  }

  /// The ethanol drunk and not yet absorbed at several times in h, in g per kg of blood.
  func unabsorbed(at times: [Double], _ parameters: ModelParameters) -> [Double] {
    let ka = parameters[.ka] ?? 0
    let lag = parameters[.lag] ?? 0
    let r = parameters[.r] ?? 1
    return times.map { unabsorbed(at: $0, ka: ka, lag: lag) / r }
  }

  /// The ethanol drunk and not yet absorbed at a time, in g per kg of body weight; nothing is absorbed during the lag.
  func unabsorbed(at time: Double, ka: Double, lag: Double) -> Double {
    var sum = 0.0
    for dose in doses where dose.route != .intravenous && time > dose.start.value {
      let elapsed = time - dose.start.value
      let duration = dose.duration.value
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
      // The remainder of what entered the gut at a constant rate, plus what is still in the lag.
      let entered = min(since, duration)
      let left = -.expMinusOne(-ka * entered) / ka * .exp(-ka * (since - entered))
      sum += dose.amount.value * (left + min(elapsed, duration) - entered) / duration
    }
    return sum
  }
}
