/// The correction of Holm (1979) for testing several hypotheses at once.
public enum Holm {
  /// Adjusted p values: a hypothesis is rejected at level alpha if its adjusted value is at most
  /// alpha, and the chance that any true one is rejected then stays at most alpha.
  ///
  /// The i-th smallest of m values is multiplied by m - i + 1, is no smaller than the one before it,
  /// and at most 1.
  ///
  /// - Parameter pValues: p values, each from 0 to 1. What is none, such as NaN, counts as 1.
  /// - Returns: the adjusted values, in the order of the input.
  public static func adjusted(_ pValues: [Double]) -> [Double] {
    let values = pValues.map { (0...1).contains($0) ? $0 : 1 }
    var adjusted = values
    var largest = 0.0
    for (step, index) in values.indices.sorted(by: { values[$0] < values[$1] }).enumerated() {
      largest = min(1, max(largest, Double(values.count - step) * values[index]))
      adjusted[index] = largest
    }
    return adjusted
  }
}
