public import AlcoholKinetics
import RealModule

/// The correlation of the errors of neighbouring readings of a series.
public enum ErrorCorrelation: Hashable, Sendable {
  /// As the study says: exponential if neighbouring residuals of its series are correlated
  /// (``FitOptions/withStudyError(of:jobs:)``), else independent. Independent for a series alone.
  case automatic
  /// Independent errors.
  case independent
  /// The correlation of two errors is (1 - w) exp(-dt / tau), dt being the time between the readings and w the nugget: the
  /// continuous-time autoregression of first order, with white noise that has a share w of the variance.
  ///
  /// Tau is given, or estimated by restricted likelihood; so is w beside it for a study, while it is 0 where tau is
  /// estimated for each series. Source: Jones, R. H. (1993), section 3.3; Pinheiro & Bates (2000), section 5.3.3
  /// (`corCAR1`, and the nugget of `corExp`).
  case exponential(time: Hours?, nugget: Double = 0)

  /// The name, as options and results carry it.
  public var name: String {
    switch self {
    case .automatic: "auto"
    case .independent: "none"
    case .exponential: "exponential"
    }
  }

  /// True for exponential errors, whether or not their time is known.
  package var isExponential: Bool { if case .exponential = self { true } else { false } }

  /// The number of its parameters that are estimated.
  var estimatedCount: Int { self == .exponential(time: nil) ? 1 : 0 }
}

extension ErrorCorrelation: TextOption {
  /// Reads `auto`, `none`, `exponential`, `exponential:60` with tau in min, or `exponential:60:0.2` with the nugget, too.
  public init(parsing text: String) throws(SeriesFailure) {
    let parts = text.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
    switch (parts.first, parts.count) {
    case ("auto", 1): self = .automatic
    case ("none", 1): self = .independent
    case ("exponential", 1): self = .exponential(time: nil)
    case ("exponential", _):
      guard let minutes = Double(parts[1]), minutes > 0, minutes.isFinite else {
        throw .badOptions("'\(parts[1])' is not a positive number of minutes.")
      }
      let nugget = parts.count > 2 ? Double(parts[2]) : 0
      guard let nugget, nugget >= 0, nugget < 1 else {
        throw .badOptions("'\(parts[2])' is not a share of the variance from 0 to below 1.")
      }
      self = .exponential(time: Hours(minutes: minutes), nugget: nugget)
    default:
      throw .badOptions(
        "choose auto, none, exponential, exponential:MIN, or exponential:MIN:NUGGET.")
    }
  }

  public var text: String {
    guard case .exponential(let time?, let nugget) = self else { return name }
    return "\(name):\(time.minutes.exactText)" + (nugget > 0 ? ":\(nugget.exactText)" : "")
  }
}

/// The chain of correlated errors: the predecessor of each reading and the time since then.
///
/// An error is the sum of a Markov process and, with a nugget, white noise. A Kalman filter along the chain predicts each
/// error from those before: without a nugget from its predecessor alone. Readings at the same time, or less than half a minute apart, share the last predecessor before that time and are
/// otherwise independent, so that two samples of one moment may differ. A censored reading has no predecessor.
struct CorrelationChain: Hashable, Sendable {
  /// The index of the predecessor of each reading; nil if there is none.
  let predecessors: [Int?]
  /// The time since the predecessor, in h; 0 if there is none.
  let gaps: [Double]
  /// The time constant in h, if it is given.
  let givenTime: Double?
  /// The share of the variance that is white noise, from 0 to below 1.
  var nugget: Double {
    didSet { given = nil }
  }
  /// The whitening of residuals with the given correlation time; all evaluations share it.
  private var given: Whitening?
  /// The search range of the time constant, in h; nil if no reading has a predecessor.
  ///
  /// Below it neighbours have a correlation of at most e^-8. Above it, longer than the series lasts, the error would be
  /// constant, like that of a wrong gain.
  let searchRange: ClosedRange<Double>?

  /// The number of readings beyond the number of parameters that estimating the scale, and the time if not given, needs.
  var fewestSpare: Int { givenTime == nil ? 2 : 1 }

  /// The distance in h below which readings count as simultaneous.
  private static let sameTime = 0.5 / 60
  private static let smallestShare = 0.125

  /// The chain of observations; nil if errors are independent.
  init?(_ observations: Observations, _ correlation: ErrorCorrelation) {
    guard case .exponential(let time, let nugget) = correlation else { return nil }
    givenTime = time?.value
    self.nugget = nugget
    var predecessors: [Int?] = []
    var gaps: [Double] = []
    var earlier: [Int] = []
    for (index, observation) in observations.all.enumerated() {
      let predecessor =
        observation.isCensored
        ? nil
        : earlier.last { observations.all[$0].elapsed <= observation.elapsed - Self.sameTime }
      predecessors.append(predecessor)
      gaps.append(predecessor.map { observation.elapsed - observations.all[$0].elapsed } ?? 0)
      if !observation.isCensored { earlier.append(index) }
    }
    self.predecessors = predecessors
    self.gaps = gaps
    let tied = gaps.filter { $0 > 0 }
    if let shortest = tied.min(), let first = earlier.first, let last = earlier.last {
      let span = observations.all[last].elapsed - observations.all[first].elapsed
      searchRange = Self.smallestShare * shortest...span
    } else {
      searchRange = nil
    }
    given = givenTime.flatMap { $0 > 0 ? Whitening(self, time: $0) : nil }
  }

  /// Returns exp(-dt / tau) for each error and its predecessor, 0 if there is none; and the conditional variance of each
  /// error given those before, relative to its variance.
  func innovations(time: Double) -> (decays: [Double], variances: [Double]) {
    var decays = [Double](repeating: 0, count: gaps.count)
    var variances = [Double](repeating: 1, count: gaps.count)
    guard time > 0 else { return (decays, variances) }
    // Neighbours are often equally far apart.
    var gap = 0.0
    var decay = 0.0
    var fresh = 0.0
    for index in gaps.indices where gaps[index] > 0 {
      if gaps[index] != gap {
        gap = gaps[index]
        decay = .exp(-gap / time)
        // 1 - decay^2 without cancellation.
        fresh = -.expMinusOne(-2 * gap / time)
      }
      decays[index] = decay
      variances[index] = (1 - nugget) * fresh + nugget
      guard nugget > 0, let predecessor = predecessors[index] else { continue }
      // Beside the fresh part, what the readings up to the predecessor left unknown of the process.
      let before = variances[predecessor]
      variances[index] += decay * decay * nugget * (before - nugget) / before
    }
    return (decays, variances)
  }

  /// Returns what whitens residuals; nil if there is no correlation.
  func whitening(time: Double) -> Whitening? {
    guard time > 0 else { return nil }
    if let given, time == givenTime { return given }
    return Whitening(self, time: time)
  }

  /// Returns whitened values: correlated errors become independent ones of the same variance.
  ///
  /// - Parameter values: The values, row-major, with a row for each reading.
  func whitened(_ values: [Double], columns: Int = 1, time: Double) -> [Double] {
    guard let whitening = whitening(time: time) else { return values }
    var white = values
    white.withUnsafeMutableBufferPointer { values in
      guard let first = values.baseAddress else { return }
      whitening.whiten(first, columns: columns)
    }
    return white
  }

  /// Returns correlated errors from independent ones, the inverse of whitening.
  func coloured(_ white: [Double], time: Double) -> [Double] {
    let whitening = Whitening(self, time: time)
    var errors = white
    for (index, predecessor) in predecessors.enumerated() {
      guard let predecessor else { continue }
      let scale = whitening.scales[index]
      errors[index] =
        (white[index] - whitening.carries[index] * white[predecessor]) / scale
        + whitening.decays[index] * errors[predecessor]
    }
    return errors
  }

  /// Returns the logarithm of the determinant of the correlation matrix.
  func logDeterminant(time: Double) -> Double {
    whitening(time: time)?.logDeterminant ?? 0
  }
}

/// Whitens residuals and the rows of their Jacobian.
///
/// With phi = exp(-dt / tau), w the nugget and S the conditional variances, a residual u becomes
///
///     z = (u - phi (u' - w z' / sqrt(S'))) / sqrt(S),
///
/// primes being its predecessor's: u' - w z' / sqrt(S') is what a Kalman filter expects of the process at the predecessor
/// (Jones 1993, section 3.3). Without a nugget it is the inverse of the Cholesky factor of the correlation matrix, which
/// has two entries in a row.
struct Whitening: Hashable, Sendable {
  /// The index of the predecessor, which is smaller; -1 if there is none.
  let predecessors: [Int]
  /// Phi.
  let decays: [Double]
  /// 1 / sqrt(S).
  let scales: [Double]
  /// phi w / sqrt(S S').
  let carries: [Double]
  let hasNugget: Bool
  /// The logarithm of the determinant of the correlation matrix.
  let logDeterminant: Double

  init(_ chain: CorrelationChain, time: Double) {
    let (decays, variances) = chain.innovations(time: time)
    let scales = variances.map { 1 / $0.squareRoot() }
    predecessors = chain.predecessors.map { $0 ?? -1 }
    carries = predecessors.indices.map { index in
      let predecessor = chain.predecessors[index]
      return predecessor.map { decays[index] * chain.nugget * scales[index] * scales[$0] } ?? 0
    }
    self.decays = decays
    self.scales = scales
    hasNugget = chain.nugget > 0
    var sum = 0.0
    var product = 1.0
    for (index, variance) in variances.enumerated() {
      product *= variance
      guard index % 8 == 7 else { continue }
      sum += .log(product)
      product = 1
    }
    logDeterminant = sum + .log(product)
  }

  /// Whitens rows, one for each observation, in place.
  func whiten(_ values: UnsafeMutablePointer<Double>, columns: Int) {
    // From the last row, so that predecessors are not whitened yet.
    for index in stride(from: predecessors.count - 1, through: 0, by: -1)
    where predecessors[index] >= 0 {
      let row = values + index * columns
      let before = values + predecessors[index] * columns
      for column in 0..<columns {
        row[column] = (row[column] - decays[index] * before[column]) * scales[index]
      }
    }
    guard hasNugget else { return }
    // From the first row, so that predecessors are whitened.
    for index in predecessors.indices where predecessors[index] >= 0 {
      let row = values + index * columns
      let before = values + predecessors[index] * columns
      for column in 0..<columns { row[column] += carries[index] * before[column] }
    }
  }
}
