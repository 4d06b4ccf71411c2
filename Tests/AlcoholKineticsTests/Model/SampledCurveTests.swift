import AlcoholKinetics
import TestSupport
import Testing

/// A curve of points is a straight line between them.
@Suite struct SampledCurveTests {
  private static func curve(_ points: [(minutes: Double, value: Double)]) -> SampledCurve {
    SampledCurve(
      times: points.map { Hours(minutes: $0.minutes) },
      concentrations: points.map { GramsPerKilogram($0.value) })
  }

  private static let falling = curve([(0, 0), (60, 0.8), (120, 0.4), (180, 0)])

  @Test(arguments: [(30.0, 0.4), (60, 0.8), (90, 0.6), (150, 0.2), (180, 0)])
  func concentrationLiesOnTheLine(minutes: Double, expected: Double) {
    let value = Self.falling.concentration(at: Hours(minutes: minutes)).value
    #expect(abs(value - expected) < 1e-12)
  }

  @Test func concentrationIsUnknownBeyondThePoints() {
    for minutes in [-1.0, 181] {
      #expect(Self.falling.concentration(at: Hours(minutes: minutes)).value.isNaN)
      #expect(!Self.falling.covers(Hours(minutes: minutes)))
    }
  }

  @Test(arguments: [(0.6, 90.0), (0.4, 120), (0.1, 165), (0, 180)])
  func crossingLiesOnTheLine(threshold: Double, minutes: Double) throws {
    let time = try #require(Self.falling.timeToThreshold(GramsPerKilogram(threshold)))
    #expect(abs(time.minutes - minutes) < 1e-9)
  }

  @Test func crossingIsTheLastOne() throws {
    let curve = Self.curve([(0, 0.5), (60, 0.1), (120, 0.5), (180, 0.1)])
    let time = try #require(curve.timeToThreshold(0.3))
    #expect(abs(time.minutes - 150) < 1e-9)
  }

  @Test func curveEndingAboveIsLaterAndCurveBelowHasNoTime() {
    #expect(Self.falling.crossing(of: 0.9) == .neverAbove)
    #expect(Self.curve([(0, 0.5), (60, 0.4)]).crossing(of: 0.1) == .laterThan(1))
    #expect(Self.curve([(0, .nan)]).hasFailed && Self.curve([]).hasFailed)
    #expect(Self.curve([(0, 0)]).peak == nil)
  }

  /// If the curve falls from one point to the next, the line cannot miss by more than the step.
  @Test func crossingOfFewerPointsMissesByLessThanAStep() throws {
    var random = SeededGenerator(seed: 7)
    for _ in 0..<200 {
      var value = Double.random(in: 0.6...1.5, using: &random)
      let fine = (0...120).map { index -> (minutes: Double, value: Double) in
        defer { value = max(0, value - Double.random(in: 0...0.05, using: &random)) }
        return (5 * Double(index), value)
      }
      let coarse = fine.enumerated().filter { $0.offset.isMultiple(of: 12) }.map(\.element)
      let threshold = GramsPerKilogram(Double.random(in: 0.05...0.5, using: &random))
      guard case .at(let time, let after, let before) = Self.curve(coarse).crossing(of: threshold),
        let exact = Self.curve(fine).timeToThreshold(threshold)
      else { continue }
      #expect(after <= exact && exact <= before)
      #expect(abs((time - exact).minutes) <= max((time - after).minutes, (before - time).minutes))
    }
  }
}
