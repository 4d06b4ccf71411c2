import AlcoholKinetics
import Estimation
import Foundation
import StudyData
import TestSupport
import Testing

@testable import Population

/// Studies that are drawn from a population.
@Suite struct NewStudyTests {
  /// Subjects who drink 0.5 to 0.9 g/kg and blow within six hours.
  static func template(_ people: Int) -> [Series] {
    (0..<people).map { person in
      let dose = 0.5 + 0.4 * Double(person) / Double(people)
      return Series(
        subject: Subject(
          id: "\(person)", sex: person.isMultiple(of: 2) ? .male : .female,
          age: Years(20 + Double(person * 7 % 40))),
        drinks: [Drink(time: 0, ethanol: .perBodyWeight(GramsPerKilogram(dose)))],
        readings: [0.33, 0.67, 1, 1.75, 2.5, 3.5, 4.75].map {
          Reading(time: Hours($0), value: 0, unit: .bloodGramsPerKilogram, limitOfDetection: 0.02)
        })
    }
  }

  static func file(
    _ more: String = "", errors: [String: Double] = [:], covariates: [String] = []
  ) throws -> PopulationFile {
    try PopulationFile(
      Data(
        populationText(
          fit: #""people": 24"#, typical: ["ka": 3, "beta": 0.15, "r": 0.65], errors: errors,
          between: ["ka": 0.16, "beta": 0.04, "r": 0.0144], covariates: covariates,
          residual: ["sd": 0.03], more: more
        ).utf8))
  }

  private static func logarithms(
    _ people: [StudySimulation.Person], _ parameter: FitParameter
  ) throws -> Sample {
    try #require(Sample(people.map { Yardstick.log($0.truth[parameter] ?? .nan) }))
  }

  /// Means and standard deviations of 400 people, within four of their standard errors.
  @Test func simulatedPeopleHaveThePopulationsMoments() throws {
    let simulation = try StudySimulation(try Self.file(), seed: 3, isUncertain: false)
    let people = try simulation.study(1, like: Self.template(400), instrument: nil)
    for (parameter, typical, spread) in [
      (FitParameter.ka, 3, 0.4), (.beta, 0.15, 0.2), (.r, 0.65, 0.12),
    ] {
      let sample = try Self.logarithms(people, parameter)
      let deviation = try #require(sample.standardDeviation)
      #expect(abs(sample.mean - Yardstick.log(typical)) < 4 * spread / 20, "\(parameter)")
      #expect(abs(deviation / spread - 1) < 4 / 800.0.squareRoot(), "\(parameter)")
    }
    #expect(people.flatMap(\.series.readings).allSatisfy { $0.value == 0 || $0.value >= 0.02 })
  }

  /// ln k_a of a study's people has the mean ln 3 with the variance se^2 n / (n - 3), for Student's t, and 0.16 / 400.
  @Test func simulatedStudiesVaryWithUncertainty() throws {
    let file = try Self.file(errors: ["ka": 0.2, "beta": 0.01, "r": 0.01])
    let simulation = try StudySimulation(file, seed: 5)
    let means = try (1...60).map {
      try Self.logarithms(
        simulation.study($0, like: Self.template(40), instrument: nil), .ka
      ).mean
    }
    let sample = try #require(Sample(means))
    let expected = (0.04 * 24 / 21 + 0.16 / 40).squareRoot()
    let deviation = try #require(sample.standardDeviation)
    #expect(abs(sample.mean - Yardstick.log(3)) < 4 * expected / 60.0.squareRoot())
    #expect(abs(deviation / expected - 1) < 4 / 120.0.squareRoot())
  }

  private static let correlated =
    #", "estimate_covariance": ["#
    + [
      ("typical.ka", "typical.ka", 0.04), ("typical.beta", "typical.ka", 0.016),
      ("typical.beta", "typical.beta", 0.01), ("between.ka", "typical.ka", -0.014),
      ("between.ka", "typical.beta", 0), ("between.ka", "between.ka", 0.02),
    ].map { #"{"estimate": "\#($0.0)", "other": "\#($0.1)", "covariance": \#($0.2)}"# }
    .joined(separator: ",") + "]"

  /// Draws have the correlations of the file, to four standard errors, and its standard deviations, those of typical
  /// values times sqrt(n / (n - 3)).
  @Test func estimatesAreDrawnWithTheirCovariance() throws {
    let simulation = try StudySimulation(try Self.file(Self.correlated), seed: 5)
    #expect(simulation.isCorrelated)
    var stream = RandomStream(7)
    let draws = try (0..<4000).map { _ in try simulation.drawn(&stream) }
    // What has no covariance stays as it is, but for a logarithm and its exponential.
    #expect(draws.allSatisfy { $0.between[0] > 0 })
    #expect(draws.allSatisfy { abs($0.between[4] - 0.04) < 1e-12 })
    #expect(draws.allSatisfy { abs($0.sd - 0.03) < 1e-12 })
    let numbers = [
      draws.map { $0.typical[0] }, draws.map { $0.typical[1] },
      draws.map { 0.5 * Yardstick.log($0.between[0]) },
    ]
    let samples = try numbers.map { try #require(Sample($0)) }
    let widening = (24.0 / 21).squareRoot()
    for (sample, expected) in zip(samples, [0.2 * widening, 0.1 * widening, 0.02.squareRoot()]) {
      let deviation = try #require(sample.standardDeviation)
      #expect(abs(deviation / expected - 1) < 4 / 8000.0.squareRoot(), "\(deviation) \(expected)")
    }
    for (one, other, expected) in [(0, 1, 0.8), (0, 2, -0.014 / 0.0008.squareRoot()), (1, 2, 0)] {
      let products = zip(numbers[one], numbers[other]).map {
        ($0 - samples[one].mean) * ($1 - samples[other].mean)
      }
      let (first, second) = (
        try #require(samples[one].standardDeviation), try #require(samples[other].standardDeviation)
      )
      let correlation = products.reduce(0, +) / 3999 / (first * second)
      let error = (1 - expected * expected) / 4000.0.squareRoot()
      #expect(abs(correlation - expected) < 4 * error, "\(one) \(other): \(correlation)")
    }
  }

  @Test func invalidCovarianceOfEstimatesIsRefused() throws {
    let large = Self.correlated.replacingOccurrences(of: "0.016", with: "0.03")
    #expect(throws: Problem.self) { try Self.file(large) }
    let gap = Self.correlated.replacingOccurrences(
      of: #"{"estimate": "between.ka", "other": "typical.beta", "covariance": 0.0},"#, with: "")
    #expect(gap != Self.correlated)
    #expect(throws: Problem.self) { try Self.file(gap) }
  }

  @Test func simulatedStudiesDependOnlyOnSeedAndNumber() throws {
    let file = try Self.file()
    func readings(_ seed: UInt64, _ number: Int) throws -> [[Reading]] {
      try StudySimulation(file, seed: seed).study(
        number, like: Self.template(5), instrument: nil
      ).map(\.series.readings)
    }
    #expect(try readings(1, 2) == readings(1, 2))
    #expect(try readings(1, 2) != readings(1, 3))
    #expect(try readings(1, 2) != readings(2, 2))
  }

  @Test func aPopulationWithoutRIsRefused() throws {
    let file = try PopulationFile(
      Data(
        populationText(
          typical: ["ka": 3, "beta": 0.15], between: ["ka": 0.1], residual: ["sd": 0.03]
        ).utf8))
    #expect(throws: Problem.self) { try StudySimulation(file, seed: 1) }
  }
}

/// Values that are given or held, and intervals and tests beyond Wald's.
@Suite struct HeldValuesTests {
  private static func study(_ people: Int = 24, covariates: [String] = []) throws -> [Series] {
    try StudySimulation(
      try NewStudyTests.file(covariates: covariates), seed: 11, isUncertain: false
    ).study(
      1, like: NewStudyTests.template(people), instrument: nil
    ).map(\.series)
  }

  private static func fit(
    _ options: PopulationFit.Options = PopulationFit.Options(jobs: 2),
    _ change: (inout PopulationModel) -> Void = { _ in }
  ) throws -> PopulationFit {
    var model = PopulationModel()
    change(&model)
    return try PopulationFit(try study(), model: model, options: options)
  }

  private static let ka = PopulationParameter.kinetic(.ka)

  @Test func wideBoundsKeepTheFit() throws {
    let free = try Self.fit()
    let ranged = try Self.fit { $0.bounds = [Self.ka: 0.5...50, .kinetic(.beta): 0.01...1] }
    #expect(free.status == .ok && ranged.status == .ok)
    #expect(abs(free.objective - ranged.objective) < 1e-3)
    for place in 0..<3 {
      let (one, other) = (
        try #require(free.uncertainty?.typical[place]),
        try #require(ranged.uncertainty?.typical[place])
      )
      #expect(abs(one / other - 1) < 0.02, "\(place): \(one) \(other)")
    }
  }

  @Test func minimumOutsideBoundsIsWarnedOf() throws {
    let fit = try Self.fit { $0.bounds = [Self.ka: 6...50] }
    #expect(abs(fit.typicalValue(0) - 6) < 0.1)
    #expect(fit.status == .undetermined && fit.warnings.contains(.atBound(Self.ka)))
  }

  @Test func typicalValuesAndVariancesAreHeld() throws {
    let free = try Self.fit()
    let held = try Self.fit {
      $0.fixedTypical = [Self.ka: free.typicalValue(0)]
      $0.fixedVariances = [.kinetic(.beta): free.values.between[4]]
    }
    #expect(held.estimatedCount == free.estimatedCount - 2)
    #expect(abs(held.objective - free.objective) < 1e-2)
    #expect(held.typicalInterval(0) == nil && held.typicalInterval(1) != nil)
    #expect(abs(held.values.between[4] / free.values.between[4] - 1) < 1e-9)
    #expect(held.uncertainty?.between[1].isNaN == true)
    let other = try Self.fit { $0.fixedTypical = [Self.ka: 5] }
    #expect(abs(other.typicalValue(0) - 5) < 1e-9 && other.objective > free.objective + 4)
    #expect(other.values.between[0] > 0.1)
  }

  @Test func fixingUnknownParametersIsRefused() {
    for change: (inout PopulationModel) -> Void in [
      { $0.fixedTypical = [.kinetic(.lag): 0.1] }, { $0.bounds = [.clearance: 0.1...1] },
      { $0.fixedVariances = [.kinetic(.lag): 0.1] },
      {
        $0.isFull = true
        $0.fixedVariances = [Self.ka: 0.1]
      },
    ] {
      #expect(throws: Problem.self) { try Self.fit(.init(), change) }
    }
  }

  /// A fit in which a typical value is held at the end of its interval is as much worse as the interval says: Student's
  /// quantile with 23 degrees of freedom, squared, times 24 / 23.
  @Test func profilesEndWhereTheLikelihoodHasFallen() throws {
    var options = PopulationFit.Options(jobs: 2)
    options.intervals = .profile
    let fit = try Self.fit(options)
    let interval = try #require(fit.typicalInterval(0))
    let rise = 2.068658 * 2.068658 * 24 / 23
    for end in [interval.low, interval.high] {
      let held = try Self.fit { $0.fixedTypical = [Self.ka: end] }
      #expect(abs(held.objective - fit.objective - rise) < 0.03 * rise, "\(end)")
    }
    let variance = try #require(fit.varianceInterval(of: Self.ka, between: .person))
    let held = try Self.fit { $0.fixedVariances = [Self.ka: variance.high] }
    let difference = held.objective - fit.objective
    #expect(abs(difference - 2.068658 * 2.068658) < 0.1, "\(difference)")
  }

  /// Intervals by resampled people are about as wide as those by the curvature, and the same for any number of threads.
  @Test func resampledPeopleGiveIntervals() throws {
    var options = PopulationFit.Options(jobs: 2)
    options.intervals = .bootstrap
    options.replicates = 100
    let fit = try Self.fit(options)
    let plain = try Self.fit()
    let other = try #require(fit.otherIntervals)
    #expect(other.replicates == 100 && other.failed <= 5)
    for place in 0..<3 {
      let (own, wald) = (
        try #require(fit.typicalInterval(place)), try #require(plain.typicalInterval(place))
      )
      let ratio = Yardstick.log(own.high / own.low) / Yardstick.log(wald.high / wald.low)
      #expect(ratio > 0.6 && ratio < 1.4, "\(place): \(ratio)")
    }
    options.jobs = 1
    let again = try Self.fit(options)
    #expect(again.typicalInterval(0) == fit.typicalInterval(0))
    // The mean of the resampled fits lies inside their interval, and near the estimate.
    for place in 0..<3 {
      let bias = try #require(fit.typicalBias(place))
      let interval = try #require(fit.typicalInterval(place))
      let mean = fit.typicalValue(place) * (1 + bias / 100)
      #expect(interval.low < mean && mean < interval.high && abs(bias) < 20, "\(place): \(bias)")
    }
    #expect(fit.varianceBias(of: Self.ka, between: .person) != nil)
    #expect(plain.typicalBias(0) == nil && plain.varianceBias(of: Self.ka, between: .person) == nil)
  }

  /// Of somebody with one reading nearly all comes from the population; of somebody with many, little.
  @Test func individualShrinkageFallsWithReadings() throws {
    let fit = try Self.fit()
    for index in fit.model.random.indices {
      let all = fit.individuals.compactMap { fit.etaShrinkage(of: $0, index) }
      #expect(all.count == fit.individuals.count && all.allSatisfy { 0...100 ~= $0 })
      // With a mode and a normal posterior, the variance of people is that of modes plus what is not known of each
      // (the law of total variance), so the mean is about one less the square of what the modes keep.
      let kept = 1 - fit.etaShrinkage[index] / 100
      let mean = all.reduce(0, +) / Double(all.count) / 100
      #expect(abs(mean - (1 - kept * kept)) < 0.25, "\(index): \(mean) \(kept)")
    }
  }

  // MARK: Tests

  /// 5 % points: 3.841 of chi-squared; 2.706 of a mixture with a variance; 4.231 of one with two (Self & Liang 1987).
  @Test(arguments: [(3.8415, 1, 0), (2.7055, 0, 1), (4.2306, 0, 2), (5.1385, 1, 1)])
  func likelihoodRatioUsesChiSquareMixtures(fall: Double, numbers: Int, variances: Int) throws {
    let value = try #require(
      LikelihoodRatio.pValue(fall, numbers: numbers, variances: variances))
    #expect(abs(value - 0.05) < 1e-4, "\(value)")
  }

  @Test func nestedFitsAreTested() throws {
    let large = try Self.fit()
    let small = try Self.fit {
      $0 = PopulationModel(parameters: [Self.ka], random: [.kinetic(.beta), .kinetic(.r)])
    }
    let test = try NestedFitsTest(small.likelihood, large.likelihood)
    #expect(test.degreesOfFreedom == 1 && test.variances == 1)
    #expect(test.effects == ["variance of ka between people"])
    #expect(abs(test.fall - (small.objective - large.objective)) < 1e-9 && test.pValue < 1e-4)
    #expect(try NestedFitsTest(large.likelihood, small.likelihood) == test)
    let other = try Self.fit {
      $0 = PopulationModel(random: [Self.ka, .kinetic(.beta)], fixed: [.r: 0.65])
    }
    #expect(throws: Problem.self) {
      try NestedFitsTest(large.likelihood, large.likelihood)
    }
    #expect(throws: Problem.self) {
      try NestedFitsTest(small.likelihood, other.likelihood)
    }
  }

  /// Women eliminate a factor of e^0.4 faster here, and age does nothing.
  @Test func covariateSearchKeepsTrueCovariates() throws {
    let study = try Self.study(
      40, covariates: [#"{"parameter": "beta", "covariate": "sex", "coefficient": 0.4}"#])
    let candidates = [
      PopulationModel.Covariate(parameter: .kinetic(.beta), name: "sex", form: .power),
      PopulationModel.Covariate(parameter: .kinetic(.beta), name: "age_y", form: .power),
    ]
    let search = try CovariateSearch(
      study, instrument: nil, PopulationModel(), candidates, CovariateSearch.Limits(),
      options: PopulationFit.Options(jobs: 2))
    #expect(search.kept.map(\.name) == ["sex"])
    #expect(abs(search.chanceOfFalseEntry - 0.0975) < 1e-9)
    #expect(search.full.model.covariates.count == 2 && search.ofAll.degreesOfFreedom == 2)
    let first = search.steps.filter { $0.round == 1 }
    #expect(first.map(\.isTaken) == [true, false] && first[0].fall > 10)
    let interval = try #require(search.fit.coefficientInterval(0))
    #expect(interval.low < 0.4 && interval.high > 0.4)
    #expect(search.steps.last?.phase == .backward && search.steps.last?.isTaken == false)
  }
}
