import AlcoholKinetics

/// The times of a study's drinks, summed up in a line.
package struct DrinkTimes {
  private var atZero = 0
  private var later = 0
  private var span: ClosedRange<Double>?

  package init() {}

  package mutating func add(minutes: Double) {
    guard minutes != 0 else {
      atZero += 1
      return
    }
    later += 1
    span = min(span?.lowerBound ?? minutes, minutes)...max(span?.upperBound ?? minutes, minutes)
  }

  package mutating func add(_ series: Series) {
    for drink in series.drinks { add(minutes: drink.time.minutes) }
  }

  /// `drinks: 3 at 0 min, 2 at 30 to 60 min`.
  package var text: String {
    var parts = atZero > 0 ? ["\(atZero) at 0 min"] : []
    if let span {
      let low = span.lowerBound == span.upperBound ? "" : "\(span.lowerBound.shown) to "
      parts.append("\(later) at \(low)\(span.upperBound.shown) min")
    }
    return "drinks: " + (parts.isEmpty ? "none" : parts.joined(separator: ", "))
  }
}
