import RealModule
import Testing

@testable import Statistics

/// Turnbull's distribution of many numbers.
@Suite struct CensoredMedianTests {
  /// At the maximum no weight gains from being larger, and those that are not zero do not from being smaller. It is reached
  /// in the 200 rounds that there are at most, so the rounds do not grow with the numbers.
  @Test(arguments: [50, 500, 5000])
  func turnbullWeightsMaximiseTheLikelihood(count: Int) {
    var stream = RandomStream(7)
    let known = (0..<count).map { _ -> (low: Double, high: Double) in
      let low = stream.normal() - stream.uniform()
      return (low, stream.uniform() < 0.2 ? .infinity : low + 2 * stream.uniform())
    }
    let supports = CensoredMedian.supports(of: known)
    let weights = CensoredMedian.weights(of: supports, known)
    #expect(abs(weights.reduce(0, +) - 1) < 1e-9)
    var gains = [Double](repeating: 0, count: supports.count)
    for (low, high) in known {
      let inside = supports.indices.filter { supports[$0].low >= low && supports[$0].high <= high }
      let probability = inside.reduce(0) { $0 + weights[$1] }
      for place in inside { gains[place] += 1 / probability / Double(count) }
    }
    for (gain, weight) in zip(gains, weights) {
      #expect(gain < 1 + 1e-6 && (weight < 1e-7 || gain > 1 - 1e-6), "\(gain) \(weight)")
    }
  }
}
