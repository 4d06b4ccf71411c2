import Foundation
import RealModule

/// What is known of an input: a number, or a distribution of a positive quantity.
public enum Uncertainty: Hashable, Sendable {
  /// Taken as known.
  case exactly(Double)
  /// Normal, cut off at zero.
  case normal(mean: Double, sd: Double)
  /// Lognormal, by its median and the coefficient of variation as a fraction.
  case lognormal(median: Double, cv: Double)
  /// All values between two are equally likely.
  case uniform(low: Double, high: Double)
  /// A guideline's range with its most likely value; as a distribution, a triangle.
  case range(low: Double, likeliest: Double, high: Double)

  /// A normal distribution, or the mean itself where there is no spread.
  static func normal(_ mean: Double, _ sd: Double) -> Uncertainty {
    sd > 0 ? .normal(mean: mean, sd: sd) : .exactly(mean)
  }

  /// The value that a guideline calls the most likely.
  public var likeliest: Double {
    switch self {
    case .exactly(let value), .normal(let value, _), .lognormal(let value, _),
      .range(_, let value, _):
      value
    case .uniform(let low, let high): (low + high) / 2
    }
  }

  /// The ends of its range: two standard deviations to either side (of the logarithm, where that is
  /// normal), or the range that is stated.
  public var ends: ClosedRange<Double> {
    switch self {
    case .exactly(let value): value...value
    case .normal(let mean, let sd): max(mean - 2 * sd, mean / 100)...(mean + 2 * sd)
    case .lognormal(let median, let cv):
      (median / .exp(2 * Self.sigma(cv)))...(median * .exp(2 * Self.sigma(cv)))
    case .uniform(let low, let high), .range(let low, _, let high): low...high
    }
  }

  /// Whether there is nothing to draw.
  public var isExact: Bool {
    if case .exactly = self { return true }
    return ends.lowerBound == ends.upperBound
  }

  /// The value below which the fraction `p` lies, `p` between 0 and 1.
  public func quantile(_ p: Double) -> Double {
    switch self {
    case .exactly(let value): return value
    case .normal(let mean, let sd):
      let below = 0.5 * Double.erfc(mean / sd / 2.0.squareRoot())
      return max(mean + sd * Self.normalQuantile(below + p * (1 - below)), .leastNormalMagnitude)
    case .lognormal(let median, let cv):
      return median * .exp(Self.sigma(cv) * Self.normalQuantile(p))
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

  /// The standard normal quantile, to about 1e-15 (Wichura 1988, algorithm AS 241).
  static func normalQuantile(_ p: Double) -> Double {
    let q = p - 0.5
    if abs(q) <= 0.425 {
      let r = 0.180625 - q * q
      return q
        * horner(
          r,
          [
            3.3871328727963666080, 133.14166789178437745, 1971.5909503065514427,
            13731.693765509461125, 45921.953931549871457, 67265.770927008700853,
            33430.575583588128105, 2509.0809287301226727,
          ])
        / horner(
          r,
          [
            1, 42.313330701600911252, 687.18700749205790830, 5394.1960214247511077,
            21213.794301586595867, 39307.895800092710610, 28729.085735721942674,
            5226.4952788528545610,
          ])
    }
    let tail = min(p, 1 - p)
    guard tail > 0 else { return q < 0 ? -.infinity : .infinity }
    var r = (-Double.log(tail)).squareRoot()
    let value: Double
    if r <= 5 {
      r -= 1.6
      value =
        horner(
          r,
          [
            1.42343711074968357734, 4.63033784615654529590, 5.76949722146069140550,
            3.64784832476320460504, 1.27045825245236838258, 0.241780725177450611770,
            0.0227238449892691845833, 0.000774545014278341407640,
          ])
        / horner(
          r,
          [
            1, 2.05319162663775882187, 1.67638483018380384940, 0.689767334985100004550,
            0.148103976427480074590, 0.0151986665636164571966, 0.000547593808499534494600,
            0.00000000105075007164441684324,
          ])
    } else {
      r -= 5
      value =
        horner(
          r,
          [
            6.65790464350110377720, 5.46378491116411436990, 1.78482653991729133580,
            0.296560571828504891230, 0.0265321895265761230930, 0.00124266094738807843860,
            0.0000271155556874348757815, 0.000000201033439929228813265,
          ])
        / horner(
          r,
          [
            1, 0.599832206555887937690, 0.136929880922735805310, 0.0148753612908506148525,
            0.000786869131145613259100, 0.0000184631831751005468180,
            0.000000142151175831644588870, 2.04426310338993978564e-15,
          ])
    }
    return q < 0 ? -value : value
  }

  private static func horner(_ x: Double, _ coefficients: [Double]) -> Double {
    coefficients.reversed().reduce(0) { $0 * x + $1 }
  }
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

  /// The same of a quantity in another unit.
  func scaled(by factor: Double) -> Uncertainty {
    switch self {
    case .exactly(let value): .exactly(value * factor)
    case .normal(let mean, let sd): .normal(mean: mean * factor, sd: sd * factor)
    case .lognormal(let median, let cv): .lognormal(median: median * factor, cv: cv)
    case .uniform(let low, let high): .uniform(low: low * factor, high: high * factor)
    case .range(let low, let likeliest, let high):
      .range(low: low * factor, likeliest: likeliest * factor, high: high * factor)
    }
  }

  /// What it is, in words with numbers.
  public var text: String {
    func number(_ value: Double) -> String { String(format: "%.4g", value) }
    switch self {
    case .exactly(let value): return "exactly \(number(value))"
    case .normal(let mean, let sd): return "normal, mean \(number(mean)), SD \(number(sd))"
    case .lognormal(let median, let cv):
      return "lognormal, median \(number(median)), CV \(number(100 * cv)) %"
    case .uniform(let low, let high): return "uniform, \(number(low)) to \(number(high))"
    case .range(let low, let likeliest, let high):
      return "range \(number(low)) to \(number(high)), most likely \(number(likeliest))"
    }
  }
}

extension Double {
  /// A number as people write it: decimal, finite, and no other form that Swift would read.
  init?(decimal text: some StringProtocol) {
    guard text.utf8.allSatisfy({ (48...57).contains($0) || Array("+-.eE".utf8).contains($0) }),
      let number = Double(String(text)), number.isFinite
    else { return nil }
    self = number
  }
}

/// Uniform numbers by their place: each depends on the seed, the row and the column alone, so that no
/// result depends on which thread draws what, or when.
///
/// Source: the output function of SplitMix64 (Steele, Lea and Flood 2014), twice over a Weyl sequence.
struct PlacedRandom {
  private let key: UInt64

  init(seed: UInt64) { key = Self.mixed(seed &+ 0x9E37_79B9_7F4A_7C15) }

  /// A number above 0 and below 1.
  func uniform(row: Int, column: Int) -> Double {
    let ofRow = Self.mixed(key &+ UInt64(bitPattern: Int64(row)) &* 0x9E37_79B9_7F4A_7C15)
    let bits = Self.mixed(ofRow &+ UInt64(bitPattern: Int64(column)) &* 0xD1B5_4A32_D192_ED03)
    return (Double(bits >> 12) + 0.5) * 0x1p-52
  }

  private static func mixed(_ value: UInt64) -> UInt64 {
    var z = value
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
