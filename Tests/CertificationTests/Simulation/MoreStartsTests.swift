import AlcoholKinetics
import Certification
import Estimation
import StudyData
import Testing

/// More starts are others besides the same: they never make a fit worse, also where standard deviations
/// follow the predictions and several minima of the search are equally good.
@Suite struct MoreStartsTests {
  /// Some of this person's minima lie in a valley so flat that points a hundredth apart lead to different fits.
  @Test func moreStartsNeverMakeAFitWorse() throws {
    var cohort = try SimulatedCohort(
      CohortDesign(subjects: 57, seed: 5, readings: 12, every: Hours(minutes: 30)))
    var last: SimulatedPerson?
    while let person = try cohort.next() { last = person }
    let series = try #require(last).series
    var least = Double.infinity
    for count in [8, 32] {
      let fit = try SeriesFitter(
        options: FitOptions(
          estimate: [.ka, .beta, .r], error: .proportional(cv: nil),
          starts: StartDesign(count: count), interval: nil)
      ).fit(series)
      let deviance = try #require(fit.criteria?.deviance)
      #expect(deviance <= least + 1e-6, "\(count) starts")
      least = min(least, deviance)
    }
  }
}
