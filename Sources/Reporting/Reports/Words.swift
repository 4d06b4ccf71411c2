import Estimation

// Parts of sentences that many answers have.

extension [String] {
  /// The texts with commas, and "and" before the last.
  var inWords: String {
    guard count > 1, let last else { return first ?? "" }
    return dropLast().joined(separator: ", ") + " and \(last)"
  }

  /// The first few of the texts, and how many more there are.
  package func shortened(to most: Int, _ separator: String = ", ") -> String {
    let rest = count > most ? "\(separator == ", " ? " " : separator)and \(count - most) more" : ""
    return prefix(most).joined(separator: separator) + rest
  }
}

extension String {
  var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}

extension Int {
  /// A count with its noun: `1 person`, `3 people`.
  package func counted(_ one: String, _ many: String? = nil) -> String {
    "\(self) \(self == 1 ? one : many ?? one + "s")"
  }
}

extension NumberStyle {
  /// A number with its sign, unless it rounds to 0.
  func signed(_ number: Double) -> String {
    let text = format(number)
    return (number > 0 && text != "0" ? "+" : "") + text
  }

  /// The range: `1-2`, or `> 1` or `< 2` if only one limit is known; nil without any.
  func range(_ low: Double?, _ high: Double?, _ separator: String = "-") -> String? {
    switch (low, high) {
    case (let low?, let high?): format(low) + separator + format(high)
    case (let low?, nil): "> \(format(low))"
    case (nil, let high?): "< \(format(high))"
    case (nil, nil): nil
    }
  }

  /// A number with its interval in brackets: `1.5 (1-2)`.
  func format(_ number: Double, _ interval: Interval?) -> String {
    format(number) + (interval.map { " (\(format($0.low))-\(format($0.high)))" } ?? "")
  }
}

extension Interval {
  func map(_ transform: (Double) -> Double) -> Interval {
    Interval(low: transform(low), high: transform(high))
  }
}
