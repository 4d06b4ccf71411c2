import AlcoholKinetics
import Certification
import Estimation
import StudyData
import Testing

/// More starts are others besides the same: they never make a fit worse, also where standard deviations
/// follow the predictions and several minima of the search are equally good.
@Suite struct MoreStartsTests {
  private static let half = Hours(minutes: 30)

  private func people() throws -> [Series] {
    var cohort = try SimulatedCohort(
      CohortDesign(subjects: 60, seed: 5, readings: 12, every: Self.half))
    var people: [Series] = []
    while let person = try cohort.next() { people.append(person.series) }
    return people
  }

  @Test(arguments: [
    (34, FitOptions(estimate: [.ka, .beta, .r, .lag], error: .proportional(cv: 0.05))),
    (56, FitOptions(estimate: [.ka, .beta, .r], error: .proportional(cv: nil))),
  ])
  func moreStartsNeverMakeAFitWorse(person: Int, options: FitOptions) throws {
    let series = try people()[person]
    var least = Double.infinity
    for count in [8, 32, 64] {
      var options = options
      options.starts.count = count
      options.interval = nil
      let fit = try SeriesFitter(options: options).fit(series)
      let deviance = try #require(fit.criteria?.deviance)
      #expect(deviance <= least + 1e-6, "\(count) starts")
      least = min(least, deviance)
    }
  }
}
