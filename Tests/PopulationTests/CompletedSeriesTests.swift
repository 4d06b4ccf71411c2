import AlcoholKinetics
import Estimation
import Foundation
import Statistics
import StudyData
import TestSupport
import Testing

@testable import Population

/// Priors that learn from the completed series of a study.
@Suite struct CompletedSeriesTests {
  /// Only beta differs: between studies with the variance 0.04, between people with 0.006, between occasions with 0.004.
  private static func prior() throws -> (prior: PopulationPrior, place: Int) {
    let prior = try PosteriorTests.population(
      populationText(
        typical: ["ka": 3, "beta": 0.15, "r": 0.68], between: ["beta": 0.006],
        within: ["beta": 0.004], studies: ["beta": 0.04], residual: ["sd": 0.02]))
    return (prior, try #require(prior.structure.parameters.firstIndex(of: .kinetic(.beta))))
  }

  /// A series whose readings say that ln beta is so far from what the prior expects.
  private static func series(
    _ subject: String, _ distance: Double, precision: Double, _ place: Int
  ) -> CompletedSeries {
    var matrix = Dense(3, 3)
    matrix[place, place] = precision
    var weighted = [0.0, 0, 0]
    weighted[place] = precision * distance
    return CompletedSeries(
      subject: subject, precision: matrix, weighted: weighted, besides: Dense(3, 3))
  }

  /// Conjugate normals, worked by hand: a person says 1 / (0.01 + 1 / 100) = 50, three of them 150 beside the prior's 25.
  @Test func learnedLevelMatchesConjugateNormals() throws {
    let (prior, place) = try Self.prior()
    let learned = prior.learned(
      from: [("a", 0.2), ("b", 0.3), ("c", 0.25)].map {
        Self.series($0.0, $0.1, precision: 100, place)
      }, spreadFreedom: .infinity)
    #expect(abs(learned.typical[place] - prior.typical[place] - 37.5 / 175) < 1e-7)
    #expect(abs(learned.covariance[place, place] - (0.01 + 1.0 / 175)) < 1e-9)
    #expect(abs(learned.between[place, place] - 0.006) < 1e-12)
  }

  /// Two occasions of one person say 1 / (0.006 + 0.014 / 2), less than two people.
  @Test func occasionsOfAPersonShareTheirEffects() throws {
    let (prior, place) = try Self.prior()
    let learned = prior.learned(
      from: [0.2, 0.3].map { Self.series("a", $0, precision: 100, place) },
      spreadFreedom: .infinity)
    let said = 1 / (0.006 + 0.007)
    #expect(
      abs(learned.typical[place] - prior.typical[place] - 0.25 * said / (25 + said)) < 1e-7)
  }

  /// The spread of exactly known people is the mean of the inverse Wishart distribution that 12 x 0.01 and their squares
  /// about the level make, over 14 + 3 - 2; the numbers are its fixed point, found by scalar iteration in Python.
  @Test func learnedSpreadMatchesInverseWishart() throws {
    let (prior, place) = try Self.prior()
    let learned = prior.learned(
      from: [("a", 0.2), ("b", 0.3), ("c", 0.25)].map {
        Self.series($0.0, $0.1, precision: 1e7, place)
      })
    #expect(abs(learned.typical[place] - prior.typical[place] - 0.23265063511) < 1e-5)
    let spread = learned.between[place, place] + learned.within[place, place]
    #expect(abs(spread - 0.00894871310) < 1e-6)
    #expect(abs(learned.between[place, place] / spread - 0.6) < 1e-9)
    #expect(abs(learned.covariance[place, place] - spread - 0.00277589838) < 1e-6)
  }

  /// Of 51 people, one of whom is far off, each is left out as if the study were learned anew from the others.
  @Test func leavingOneOutOfManyMatchesLearningFromTheOthers() throws {
    let prior = try PosteriorTests.population(
      populationText(
        typical: ["ka": 3, "beta": 0.15, "r": 0.68], between: ["ka": 0.1, "beta": 0.01, "r": 0.01],
        studies: ["ka": 0.05, "beta": 0.04, "r": 0.03], residual: ["sd": 0.02]))
    let spreads = prior.between.diagonal.map { $0.squareRoot() }
    var random = RandomStream(61)
    let completed = (0...LearnedStudy.mostAnew).map { number in
      let precision = Dense(diagonal: spreads.map { (2 + random.uniform() * 20) / ($0 * $0) })
      let distances = spreads.map { spread in
        number == 0 ? 5 * spread : spread * (0.5 + random.normal())
      }
      return CompletedSeries(
        subject: "p\(number)", precision: precision, weighted: precision * distances,
        besides: Dense(spreads.count, spreads.count))
    }
    let study = LearnedStudy(prior, completed, isDivided: true)
    for subject in completed.map(\.subject) {
      let left = study.without([subject])
      let anew = prior.learned(from: completed.filter { $0.subject != subject })
      for index in spreads.indices {
        let sd = anew.covariance[index, index].squareRoot()
        #expect(abs(left.typical[index] - anew.typical[index]) < 2e-3 * sd)
        #expect(abs(left.covariance[index, index].squareRoot() / sd - 1) < 2e-3)
      }
    }
  }

  @Test func priorIsUnchangedWithoutData() throws {
    let (prior, place) = try Self.prior()
    #expect(prior.learned(from: []).typical == prior.typical)
    let silent = prior.learned(from: [Self.series("a", 0, precision: 0, place)])
    #expect(abs(silent.typical[place] - prior.typical[place]) < 1e-12)
    #expect(abs(silent.covariance[place, place] - prior.covariance[place, place]) < 1e-6)
  }

  /// A likelihood does not depend on the prior that was taken out of the posterior.
  @Test func likelihoodIsIndependentOfThePrior() throws {
    let readings = [(30.0, 0.55), (60, 0.7), (120, 0.55), (180, 0.38), (240, 0.22), (300, 0.06)]
    let said = try [0.05, 0.2].map { variance in
      let prior = try PosteriorTests.population(
        populationText(
          typical: ["ka": 3, "beta": 0.15, "r": 0.68], between: ["beta": variance],
          residual: ["sd": 0.03]))
      let place = try #require(prior.structure.parameters.firstIndex(of: .kinetic(.beta)))
      let series = try CompletedSeries(
        PosteriorTests.series(readings), prior: prior, options: .init(draws: 4000))
      return (
        series.weighted[place] / series.precision[place, place], series.precision[place, place]
      )
    }
    #expect(abs(said[0].0 - said[1].0) < 0.02 && abs(said[0].1 / said[1].1 - 1) < 0.15, "\(said)")
  }

  /// In 30 studies that are drawn from a population the next person's beta and r are nearer to what is expected after
  /// seven others than before, and within the intervals about as often as these say.
  @Test func learnedPriorForecastsBetter() throws {
    let file = try PopulationFile(
      Data(
        populationText(
          typical: ["ka": 3, "beta": 0.15, "r": 0.65],
          between: ["ka": 0.1, "beta": 0.012, "r": 0.008],
          studies: ["ka": 0.1, "beta": 0.04, "r": 0.03], residual: ["sd": 0.03]
        ).utf8))
    let prior = try PopulationPrior(file)
    let simulation = try StudySimulation(file, seed: 61, isUncertain: false)
    var (held, squares, count) = (0.0, (before: 0.0, after: 0.0), 0.0)
    for number in 1...30 {
      let people = try simulation.study(
        number, like: NewStudyTests.template(8), instrument: nil)
      let completed = try people.dropLast().map {
        try CompletedSeries($0.series, prior: prior, options: .init(draws: 300))
      }
      let learned = prior.learned(from: completed)
      let next = try #require(people.last)
      for parameter in [FitParameter.beta, .r] {
        let place = try #require(
          prior.structure.parameters.firstIndex(of: .kinetic(parameter)))
        let truth = Foundation.log(try #require(next.truth[parameter]))
        let (before, after) = (truth - prior.typical[place], truth - learned.typical[place])
        squares.before += before * before
        squares.after += after * after
        held += abs(after) < 1.645 * learned.covariance[place, place].squareRoot() ? 1 : 0
        count += 1
      }
    }
    // The variances are 0.052 and 0.038 before, and about 0.014 and 0.010 after.
    #expect(squares.after < 0.5 * squares.before, "\(squares)")
    #expect((0.8...0.98).contains(held / count), "\(held / count)")
  }
}
