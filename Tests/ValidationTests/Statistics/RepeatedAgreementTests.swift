import Estimation
import Testing
import Validation

/// Whole studies are compared with an independent computation in ``ComparisonReferenceTests``.
@Suite struct RepeatedAgreementTests {
  /// With one error of each it is the method of 1986.
  @Test func singleErrorsGiveUsualLimitsOfAgreement() throws {
    let errors = [0.5, -0.25, 1, 0.125, -2]
    let agreement = try #require(RepeatedAgreement(bySubject: errors.map { [$0] }))
    let expected = try #require(Sample(errors)?.limitsOfAgreement)
    #expect(agreement.variationWithin == 0)
    #expect(abs(agreement.limits.low - expected.low) < 1e-14)
    #expect(abs(agreement.limits.high - expected.high) < 1e-14)
  }

  /// By hand: means 1, 5 and 4 of 2, 3 and 1 errors, overall 3.5; within 2 + 8 = 10 over 3, between
  /// 12.5 + 6.75 + 0.25 = 19.5 over 2, m = (6 - 14/6) / 2 = 11/6.
  @Test func unequalNumbersMatchHandCalculation() throws {
    let agreement = try #require(RepeatedAgreement(bySubject: [[0, 2], [3, 5, 7], [4], []]))
    #expect(abs(agreement.bias - 3.5) < 1e-14)
    #expect(abs(agreement.variationWithin - 10.0 / 3) < 1e-14)
    #expect(abs(agreement.variationBetween - (9.75 - 10.0 / 3) * 6 / 11) < 1e-14)
  }

  /// People who differ less than their own errors let one expect have no variance between them.
  @Test func varianceBetweenSubjectsIsNotNegative() throws {
    let agreement = try #require(RepeatedAgreement(bySubject: [[-1, 1], [-2, 2]]))
    #expect(agreement.variationBetween == 0)
    #expect(abs(agreement.variationWithin - 5) < 1e-14)
  }

  @Test func singleSubjectHasNoLimits() {
    #expect(RepeatedAgreement(bySubject: [[1, 2, 3], []]) == nil)
    #expect(RepeatedAgreement(bySubject: []) == nil)
    #expect(RepeatedAgreement(bySubject: [[1], [.nan]]) == nil)
  }
}
