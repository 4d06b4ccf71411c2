import AlcoholKinetics
import Estimation
import StudyData
import Testing
import Validation

@Suite struct RComparisonTests {
  private let man = SubjectEstimate(
    subject: Subject(id: "man", sex: .male, age: 30, height: 1.8, weight: 80),
    ethanol: 64, c0: 1.25)
  private let woman = SubjectEstimate(subject: Subject(id: "woman", sex: .female), givenR: 0.5)

  private func comparisons(
    _ subjects: SubjectEstimate..., by methods: [any RFactorMethod] = RFactorMethods.all()
  ) -> [RComparison] {
    RComparison.comparisons(of: EstimateStudy(name: "study", subjects: subjects), by: methods)
  }

  @Test func errorIsEstimatedMinusObserved() throws {
    let found = comparisons(man, woman, by: [Widmark()])
    // 64 / (1.25 x 80) = 0.64; Widmark's are 0.68 and 0.55.
    #expect(found.map { try? $0.observed.get() } == [0.64, 0.5])
    #expect(found.map { try? $0.estimated.get() } == [0.68, 0.55])
    let errors = try found.map { try #require($0.error).value }
    #expect(zip(errors, [0.04, 0.05]).allSatisfy { abs($0 - $1) < 1e-15 })
    #expect(found.map(\.status) == [.ok, .ok])
    #expect(found.allSatisfy { $0.failure == nil })
  }

  @Test func comparisonsAreOrderedBySubjectThenMethod() {
    let found = comparisons(man, woman, by: [Seidl(), Widmark()])
    #expect(found.map(\.subject.id) == ["man", "man", "woman", "woman"])
    #expect(found.map(\.rFactor) == ["seidl", "widmark", "seidl", "widmark"])
  }

  @Test func methodWithoutFormulaIsNotApplicable() {
    let found = comparisons(woman, SubjectEstimate(subject: woman.subject), by: [Ulrich()])
    let failure = SeriesFailure.problem(.methodNotDefined("ulrich", for: .female))
    #expect(found.map(\.status) == [.notApplicable, .notApplicable])
    #expect(found.map(\.failure) == [failure, failure])
    #expect(found.map { (try? $0.observed.get()) != nil } == [true, false])
  }

  @Test func missingMeasureFailsOnlyMethodsThatNeedIt() {
    let found = comparisons(woman, by: [Widmark(), Forrest()])
    #expect(found.map(\.status) == [.ok, .failed])
    #expect(found[1].failure?.code == "E_MEASURE_MISSING")
  }

  @Test func missingColumnsOfObservedRAreNamed() {
    let bare = SubjectEstimate(subject: Subject(id: "bare", sex: .male), ethanol: 60)
    let found = comparisons(bare, by: [Widmark()])
    #expect(found.map(\.status) == [.failed])
    #expect(found[0].failure == .estimateMissing(columns: ["c0_g_per_kg", "weight_kg"]))
    #expect(found[0].failure?.code == "E_MEASURE_MISSING")
    #expect(found[0].failure?.description.contains("c0_g_per_kg, weight_kg") == true)
  }

  @Test func badDataFailOnlyTheirSubject() {
    var spoilt = man
    let finding = Diagnostic(
      .range, at: SourceLocation(file: "estimates.csv", line: 2), message: "m", remedy: "r")
    spoilt.diagnostics = [finding]
    let found = comparisons(spoilt, man)
    #expect(found.prefix(5).map(\.failure) == Array(repeating: .badData(finding), count: 5))
    #expect(found.prefix(5).allSatisfy { $0.status == .failed })
    #expect(found.suffix(5).allSatisfy { $0.status == .ok })
  }
}
