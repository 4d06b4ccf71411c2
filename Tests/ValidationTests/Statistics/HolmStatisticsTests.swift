import TestSupport
import Testing
import Validation

@Suite struct HolmStatisticsTests {
  /// The closed test with Bonferroni for every subset, which is another definition of the same
  /// (Tests/Tools/statistics_scipy.py).
  @Test func holmAdjustmentAgreesWithTheClosedTest() throws {
    for row in try PackageFolder.expectations("statistics-holm") {
      let found = Holm.adjusted(try row.numbers("p_values"))
      let expected = try row.numbers("adjusted")
      #expect(found.count == expected.count)
      #expect(zip(found, expected).allSatisfy { agree($0, $1) }, "\(row["case"] ?? "")")
    }
  }

  /// Holm's procedure rejects the first and the last of p 0.01, 0.04, 0.03 and 0.005 at 5 %.
  @Test func adjustmentMatchesTextbookExample() {
    #expect(Holm.adjusted([0.01, 0.04, 0.03, 0.005]) == [0.03, 0.06, 0.06, 0.02])
  }

  @Test func adjustmentKeepsOrderAndNeverLowersP() {
    let pValues = [0.9, 0.001, 0.2, 0.02, 0.02, 0.6]
    let adjusted = Holm.adjusted(pValues)
    for i in pValues.indices {
      #expect(adjusted[i] >= pValues[i] && adjusted[i] <= 1)
    }
    let order = pValues.indices.sorted { pValues[$0] < pValues[$1] }
    #expect(zip(order, order.dropFirst()).allSatisfy { adjusted[$0] <= adjusted[$1] })
  }

  @Test func invalidProbabilitiesCountAsOne() {
    #expect(Holm.adjusted([]) == [])
    #expect(Holm.adjusted([.nan, 0.01, -1, 2]) == [1, 0.04, 1, 1])
  }
}
