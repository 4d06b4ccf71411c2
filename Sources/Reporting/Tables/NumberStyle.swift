import Estimation
import Foundation

/// How many digits of a number people are shown.
public enum NumberStyle: Hashable, Sendable {
  /// So many significant digits.
  case significant(Int)
  /// So many digits after the point.
  case decimals(Int)
  /// As many digits as it has.
  case whole

  /// The number with as many digits as it has, and no `.0`, for running text.
  package static func exact(_ number: Double) -> String {
    String(format: "%.15g", number)
  }

  func format(_ number: Double) -> String {
    let text =
      switch self {
      case .significant(let digits): String(format: "%#.\(digits)g", number).trimmingPoint
      case .decimals(let digits): String(format: "%.\(digits)f", number)
      case .whole: Self.exact(number)
      }
    // What rounds to zero has no sign.
    let isZero = !text.contains { ("1"..."9").contains($0) }
    return isZero && text.hasPrefix("-") ? String(text.dropFirst()) : text
  }

  /// Both ends in brackets.
  func format(_ interval: Interval) -> String {
    "[\(format(interval.low)), \(format(interval.high))]"
  }
}

extension String {
  /// C's `%#g` keeps trailing zeros, which are significant, and a bare trailing point, which is
  /// not.
  fileprivate var trimmingPoint: String {
    hasSuffix(".") ? String(dropLast()) : replacing(".e", with: "e")
  }
}
