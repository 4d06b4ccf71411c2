import AlcoholKinetics
import Estimation
import Validation

/// Everything in a summary, or its part for one sex, that no seed may change; but for what Holm's
/// correction makes of it, which is for all parts together.
struct SummaryValues: Equatable {
  let errors: [Sample]
  let subjects: [Int]
  let names: [String]
  let differences: [Double]
  let pValues: [Double?]
  let tests: [FriedmanTest]

  init(_ summary: ComparisonSummary, of sex: Sex? = nil) {
    self.init(
      summary.methods.filter { $0.sex == sex }, summary.pairs.filter { $0.sex == sex },
      summary.rankings.filter { $0.sex == sex })
  }

  private init(_ methods: [MethodSummary], _ pairs: [MethodPair], _ rankings: [MethodRanking]) {
    errors = methods.map(\.errors)
    subjects = methods.map(\.subjects) + pairs.map(\.subjects)
    names = methods.map(\.method) + pairs.flatMap { [$0.first, $0.second] }
    differences = pairs.map(\.difference)
    pValues = pairs.map(\.wilcoxonP)
    tests = rankings.map(\.test)
  }
}
