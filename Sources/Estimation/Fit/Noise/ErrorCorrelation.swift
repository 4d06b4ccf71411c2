public import AlcoholKinetics
import RealModule

/// The correlation of the errors of neighbouring readings of a series.
public enum ErrorCorrelation: Hashable, Sendable {
  /// Independent errors.
  case independent
  /// The correlation of two errors is exp(-dt / tau), dt being the time between the readings: the
  /// continuous-time autoregression of first order, which for equal spacing is AR(1).
  ///
  /// Tau is given, or estimated for each series by restricted likelihood. Source: Jones, R. H. (1993),
  /// section 3.3; Pinheiro & Bates (2000), section 5.3.3 (`corCAR1`).
  case exponential(time: Hours?)

  /// The name, as options and results carry it.
  public var name: String {
    switch self {
    case .independent: "none"
    case .exponential: "exponential"
    }
  }

  /// The number of its parameters that are estimated.
  var estimatedCount: Int { self == .exponential(time: nil) ? 1 : 0 }
}

extension ErrorCorrelation: TextOption {
  /// Reads `none`, `exponential`, or `exponential:60` with tau in min.
  public init(parsing text: String) throws(SeriesFailure) {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    switch (parts.first, parts.count) {
    case ("none", 1): self = .independent
    case ("exponential", 1): self = .exponential(time: nil)
    case ("exponential", _):
      guard let minutes = Double(parts[1]), minutes > 0, minutes.isFinite else {
        throw .badOptions("'\(parts[1])' is not a positive number of minutes.")
      }
      self = .exponential(time: Hours(minutes: minutes))
    default:
      throw .badOptions("choose none, exponential, or exponential:MIN.")
    }
  }

  public var text: String {
    if case .exponential(let time?) = self { "\(name):\(time.minutes.exactText)" } else { name }
  }
}

/// The Markov chain of correlated errors: the predecessor of each reading and the time since then.
///
/// Given the error before, earlier ones carry no information, so whitening takes one subtraction for each reading.
/// Readings at the same time, or less than half a minute apart, share the last predecessor before that time and are
/// otherwise independent, so that two samples of one moment may differ. A censored reading has no predecessor.
struct CorrelationChain: Hashable, Sendable {
  /// The index of the predecessor of each reading; nil if there is none.
  let predecessors: [Int?]
  /// The time since the predecessor, in h; 0 if there is none.
  let gaps: [Double]
  /// The time constant in h, if it is given.
  let givenTime: Double?
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
    guard case .exponential(let time) = correlation else { return nil }
    givenTime = time?.value
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
    guard let shortest = tied.min(), let first = earlier.first, let last = earlier.last else {
      searchRange = nil
      return
    }
    let span = observations.all[last].elapsed - observations.all[first].elapsed
    searchRange = Self.smallestShare * shortest...span
  }

  /// Returns the correlation of each error with its predecessor; 0 if there is none.
  func correlations(time: Double) -> [Double] {
    guard time > 0 else { return gaps.map { _ in 0 } }
    return gaps.map { $0 > 0 ? Double.exp(-$0 / time) : 0 }
  }

  /// Returns the conditional variance of each error given its predecessor, relative to its variance.
  func innovations(time: Double) -> [Double] {
    guard time > 0 else { return gaps.map { _ in 1 } }
    // 1 - phi^2 without cancellation.
    return gaps.map { $0 > 0 ? -Double.expMinusOne(-2 * $0 / time) : 1 }
  }

  /// Returns whitened values: correlated errors become independent ones of the same variance.
  ///
  /// - Parameter values: The values, row-major, with a row for each reading.
  func whitened(_ values: [Double], columns: Int = 1, time: Double) -> [Double] {
    guard time > 0 else { return values }
    var white = values
    Whitening(self, time: time).whiten(&white, columns: columns)
    return white
  }

  /// Returns correlated errors from independent ones, the inverse of whitening.
  func coloured(_ white: [Double], time: Double) -> [Double] {
    let correlations = correlations(time: time)
    let innovations = innovations(time: time)
    var errors = white
    for (index, predecessor) in predecessors.enumerated() {
      guard let predecessor else { continue }
      errors[index] =
        correlations[index] * errors[predecessor] + innovations[index].squareRoot() * white[index]
    }
    return errors
  }

  /// Returns the logarithm of the determinant of the correlation matrix.
  func logDeterminant(time: Double) -> Double {
    innovations(time: time).reduce(0) { $0 + .log($1) }
  }
}

/// Whitens residuals and the rows of their Jacobian.
///
/// With phi the correlation with the predecessor, a residual becomes (u - phi u') / sqrt(1 - phi^2):
/// the inverse of the Cholesky factor of the correlation matrix, which has two entries in a row.
struct Whitening {
  /// The index of the predecessor, which is smaller; -1 if there is none.
  private let predecessors: [Int]
  /// Phi.
  private let correlations: [Double]
  /// 1 / sqrt(1 - phi^2).
  private let scales: [Double]

  init(_ chain: CorrelationChain, time: Double) {
    predecessors = chain.predecessors.map { $0 ?? -1 }
    correlations = chain.correlations(time: time)
    scales = chain.innovations(time: time).map { 1 / $0.squareRoot() }
  }

  /// Whitens rows, one for each observation, in place.
  func whiten(_ values: UnsafeMutablePointer<Double>, columns: Int) {
    // From the last row, so that predecessors are not whitened yet.
    for index in stride(from: predecessors.count - 1, through: 0, by: -1)
    where predecessors[index] >= 0 {
      let row = values + index * columns
      let before = values + predecessors[index] * columns
      for column in 0..<columns {
        row[column] = (row[column] - correlations[index] * before[column]) * scales[index]
      }
    }
  }
}
