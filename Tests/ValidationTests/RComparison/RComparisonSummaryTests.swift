import AlcoholKinetics
import Estimation
import StudyData
import Testing
import Validation

@Suite struct RComparisonSummaryTests {
  private let bootstrap = Bootstrap(seed: 1, replicates: 200, level: 0.9)

  /// Widmark's errors are -0.02, 0.03 and 0.08 for men, 0.05 for the woman.
  private let study = EstimateStudy(
    name: "study",
    subjects: [(Sex.male, 0.7), (.female, 0.5), (.male, 0.65), (.male, 0.6)].map { sex, r in
      SubjectEstimate(
        subject: Subject(id: "", sex: sex, age: 30, height: 1.8, weight: 80), givenR: RFactor(r))
    })

  private func summaries(
    bySex: Bool = false, _ methods: any RFactorMethod...
  ) -> [RComparisonSummary] {
    RComparisonSummary.summaries(
      of: RComparison.comparisons(of: study, by: methods), bySex: bySex, bootstrap: bootstrap)
  }

  @Test func summaryMatchesHandCalculation() throws {
    let summary = try #require(summaries(Widmark()).first)
    let errors = try #require(summary.errors)
    #expect(summary.sex == nil)
    #expect(errors.count == 4)
    #expect(abs(errors.bias - 0.035) < 1e-15)
    #expect(abs(errors.mae - 0.045) < 1e-15)
    // (0.0004 + 0.0009 + 0.0064 + 0.0025) / 4
    #expect(abs(errors.rmse - 0.00255.squareRoot()) < 1e-15)
  }

  @Test func summariesAreOrderedByMethodThenSex() {
    let found = summaries(bySex: true, Ulrich(), Widmark())
    let methods = ["ulrich", "ulrich", "ulrich", "widmark", "widmark", "widmark"]
    #expect(found.map(\.rFactor) == methods)
    #expect(found.map(\.sex) == [nil, .male, .female, nil, .male, .female])
    #expect(found.map { $0.errors?.count } == [3, 3, nil, 4, 3, 1])
  }

  @Test func sexesThatTheStudyHasNotAreLeftOut() {
    let men = RComparison.comparisons(of: study).filter { $0.subject.sex == .male }
    let found = RComparisonSummary.summaries(of: men, bySex: true, bootstrap: bootstrap)
    #expect(Set(found.map(\.sex)) == [nil, .male])
    #expect(found.count == 10)
  }

  @Test func oneSubjectHasNoInterval() {
    let woman = summaries(bySex: true, Widmark()).filter { $0.sex == .female }
    #expect(woman.map(\.bias?.interval) == [nil])
    #expect(woman.map(\.rmse?.interval) == [nil])
    #expect(woman.map(\.mae?.interval) == [nil])
  }

  @Test func intervalsContainEstimatesAndFollowOptions() throws {
    let found = summaries(Widmark(), Watson())
    for summary in found {
      let bias = try #require(summary.bias?.interval)
      let errors = try #require(summary.errors)
      #expect(bias.low <= errors.bias && errors.bias <= bias.high)
    }
    #expect(found == summaries(Widmark(), Watson()))
    let errors = [-0.02, 0.05, 0.03, 0.08]
    let expected = bootstrap.interval(count: 4) { drawn in
      drawn.map { errors[$0] }.reduce(0, +) / Double(drawn.count)
    }
    let bias = try #require(found[0].bias?.interval)
    let other = try #require(expected)
    #expect(abs(bias.low - other.low) < 1e-14 && abs(bias.high - other.high) < 1e-14)
  }

  @Test func emptyComparisonHasNoSummary() {
    #expect(RComparisonSummary.summaries(of: [], bySex: true, bootstrap: bootstrap).isEmpty)
  }
}
