import Foundation
import RealModule
import Statistics

/// The value of an input: an exact number, or a distribution of a positive quantity.
public enum Uncertainty: Hashable, Sendable {
  case exactly(Double)
  case normal(mean: Double, sd: Double)
  /// Lognormal, by the median and the coefficient of variation as a fraction.
  case lognormal(median: Double, cv: Double)
  /// Uniform between two values.
  case uniform(low: Double, high: Double)
  /// A guideline's range with its most likely value; as a distribution, triangular.
  case range(low: Double, likeliest: Double, high: Double)

  /// A normal distribution; the exact mean if the standard deviation is zero.
  static func normal(_ mean: Double, _ sd: Double) -> Uncertainty {
    sd > 0 ? .normal(mean: mean, sd: sd) : .exactly(mean)
  }

  /// The most likely value.
  public var likeliest: Double {
    switch self {
    case .exactly(let value), .normal(let value, _), .lognormal(let value, _),
      .range(_, let value, _):
      value
    case .uniform(let low, let high): (low + high) / 2
    }
  }

  /// The ends of the range: the stated ones, or two standard deviations to either side (of the logarithm, if that is
  /// normal).
  public var ends: ClosedRange<Double> {
    switch self {
    case .exactly(let value): value...value
    case .normal(let mean, let sd): max(mean - 2 * sd, mean / 100)...(mean + 2 * sd)
    case .lognormal(let median, let cv):
      (median / .exp(2 * Self.sigma(cv)))...(median * .exp(2 * Self.sigma(cv)))
    case .uniform(let low, let high), .range(let low, _, let high): low...high
    }
  }

  /// Whether the value has no uncertainty.
  public var isExact: Bool {
    if case .exactly = self { return true }
    return ends.lowerBound == ends.upperBound
  }

  /// The quantile of probability `p`, between 0 and 1.
  public func quantile(_ p: Double) -> Double {
    switch self {
    case .exactly(let value): return value
    case .normal(let mean, let sd):
      let below = 0.5 * Double.erfc(mean / sd / 2.0.squareRoot())
      return max(mean + sd * NormalScores.quantile(below + p * (1 - below)), .leastNormalMagnitude)
    case .lognormal(let median, let cv):
      return median * .exp(Self.sigma(cv) * NormalScores.quantile(p))
    case .uniform(let low, let high): return low + p * (high - low)
    case .range(let low, let mode, let high):
      guard high > low else { return low }
      let split = (mode - low) / (high - low)
      return p < split
        ? low + ((high - low) * (mode - low) * p).squareRoot()
        : high - ((high - low) * (high - mode) * (1 - p)).squareRoot()
    }
  }

  private static func sigma(_ cv: Double) -> Double { Double.log(onePlus: cv * cv).squareRoot() }
}

extension Uncertainty {
  /// Reads `0.18`, `normal:MEAN,SD`, `lognormal:MEDIAN,CV` (CV in percent), `uniform:LOW,HIGH` or
  /// `range:LOW,LIKELIEST,HIGH`; nil if the text is none of these, or describes no positive quantity.
  public init?(parsing text: String) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    let numbers = (parts.last ?? "").split(separator: ",", omittingEmptySubsequences: false)
      .map { Double(decimal: $0) ?? .nan }
    guard numbers.allSatisfy({ $0.isFinite && $0 >= 0 }), parts.count <= 2 else { return nil }
    switch (parts.count == 2 ? String(parts[0]) : "", numbers.count) {
    case ("", 1): self = .exactly(numbers[0])
    case ("normal", 2) where numbers[0] > 0: self = .normal(numbers[0], numbers[1])
    case ("lognormal", 2) where numbers[0] > 0 && numbers[1] > 0:
      self = .lognormal(median: numbers[0], cv: numbers[1] / 100)
    case ("uniform", 2) where numbers[0] < numbers[1]:
      self = .uniform(low: numbers[0], high: numbers[1])
    case ("range", 3) where numbers[0] <= numbers[1] && numbers[1] <= numbers[2]:
      self = .range(low: numbers[0], likeliest: numbers[1], high: numbers[2])
    default: return nil
    }
  }

  package func scaled(by factor: Double) -> Uncertainty {
    switch self {
    case .exactly(let value): .exactly(value * factor)
    case .normal(let mean, let sd): .normal(mean: mean * factor, sd: sd * factor)
    case .lognormal(let median, let cv): .lognormal(median: median * factor, cv: cv)
    case .uniform(let low, let high): .uniform(low: low * factor, high: high * factor)
    case .range(let low, let likeliest, let high):
      .range(low: low * factor, likeliest: likeliest * factor, high: high * factor)
    }
  }

  public var text: String {
    switch self {
    case .exactly(let value): "exactly \(value.brief)"
    case .normal(let mean, let sd): "normal, mean \(mean.brief), SD \(sd.brief)"
    case .lognormal(let median, let cv):
      "lognormal, median \(median.brief), CV \((100 * cv).brief) %"
    case .uniform(let low, let high): "uniform, \(low.brief) to \(high.brief)"
    case .range(let low, let likeliest, let high):
      "range \(low.brief) to \(high.brief), most likely \(likeliest.brief)"
    }
  }
}

extension Double {
  /// Parses a finite decimal number, refusing other forms that Swift reads.
  init?(decimal text: some StringProtocol) {
    guard text.utf8.allSatisfy({ (48...57).contains($0) || Array("+-.eE".utf8).contains($0) }),
      let number = Double(String(text)), number.isFinite
    else { return nil }
    self = number
  }
}
