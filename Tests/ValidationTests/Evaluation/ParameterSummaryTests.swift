import AlcoholKinetics
import StudyData
import Testing

@testable import Certification
@testable import Estimation
@testable import Validation

@Suite struct ParameterSummaryTests {
  /// Thirty people of a simulated cohort who are first read after an hour, when the fast ones have absorbed
  /// what they drank; and what k_a they were simulated with.
  private func cohort() throws -> (fits: [StudyFit], truth: [Double]) {
    var cohort = try SimulatedCohort(
      CohortDesign(
        subjects: 30, seed: 5, readings: 8, every: Hours(minutes: 60), noise: 0.02,
        limitOfDetection: nil, spreadOfR: 0))
    var people: [SimulatedPerson] = []
    while let person = try cohort.next() { people.append(person) }
    let study = Study(name: "cohort", series: people.map(\.series))
    let fits = try StudyFit.fits(of: study, options: FitOptions(starts: StartDesign(count: 4)))
    return (fits, people.compactMap { $0.parameters[.ka] })
  }

  /// Series that determine k_a are those with slow absorption: their mean misses the truth, the summary does not.
  @Test func undeterminedFitsAreIncluded() throws {
    let (fits, truth) = try cohort()
    let summary = try #require(ParameterSummary.summaries(of: fits).first)
    #expect(summary.parameter == .ka && summary.subjects.count == 30)
    #expect(summary.count(.atLeast) >= 4)
    let geometric = try #require(Sample(truth.map { FitParameter.ka.coordinate(of: $0) })).mean
    let distribution = try #require(summary.distribution)
    let determined = try #require(Sample(summary.subjects.compactMap(\.value))).mean
    // The error that is left is within that of the estimate.
    #expect(abs(distribution.mean - geometric) < distribution.meanInterval.high - distribution.mean)
    #expect(determined < geometric - 0.08)
    #expect(abs(distribution.mean - geometric) < abs(determined - geometric))
  }

  @Test func summaryIsIndependentOfSubjectOrder() throws {
    let (fits, _) = try cohort()
    let one = ParameterSummary.summaries(of: fits)
    let other = ParameterSummary.summaries(of: fits.reversed())
    for (one, other) in zip(one, other) {
      let (left, right) = (try #require(one.typical), try #require(other.typical))
      #expect(abs(left / right - 1) < 1e-8)
      #expect(one.median == other.median)
      #expect(CensoredValue.Kind.allCases.allSatisfy { one.count($0) == other.count($0) })
    }
  }
}
