import Foundation
import Testing

@testable import Estimation

@Suite struct AkaikeWeightsTests {
  private func isClose(_ found: [Double?], _ expected: [Double?]) -> Bool {
    found.count == expected.count
      && zip(found, expected).allSatisfy { found, expected in
        guard let found, let expected else { return found == nil && expected == nil }
        return abs(found - expected) <= 1e-14
      }
  }

  /// exp(-0/2), exp(-2/2) and exp(-6/2) over their sum.
  @Test func weightsFollowEvidenceRatios() {
    let evidence = AkaikeWeights([102, 100, 106])
    let sum = 1 + exp(-1.0) + exp(-3.0)
    #expect(isClose(evidence.differences, [2, 0, 6]))
    #expect(isClose(evidence.weights, [exp(-1.0) / sum, 1 / sum, exp(-3.0) / sum]))
  }

  /// 0.6652, 0.2447 and 0.0900 of Delta 0, 2 and 4.
  @Test func weightsAgreeWithHandCalculation() {
    let weights = AkaikeWeights([-20, -18, -16]).weights.compactMap(\.self)
    #expect(zip(weights, [0.6652, 0.2447, 0.0900]).allSatisfy { abs($0 - $1) < 5e-5 })
  }

  @Test func equalModelsHaveEqualWeights() {
    #expect(isClose(AkaikeWeights([7, 7, 7, 7]).weights, [0.25, 0.25, 0.25, 0.25]))
  }

  @Test func modelWithoutCriterionHasNoWeight() {
    let evidence = AkaikeWeights([nil, 3, nil])
    #expect(isClose(evidence.differences, [nil, 0, nil]))
    #expect(isClose(evidence.weights, [nil, 1, nil]))
    #expect(isClose(AkaikeWeights([nil, nil]).weights, [nil, nil]))
  }

  /// A difference whose likelihood is no number above zero.
  @Test func hopelessModelsHaveWeightZero() {
    #expect(isClose(AkaikeWeights([0, 1e6]).weights, [1, 0]))
  }
}
