import AlcoholKinetics
import StudyData
import TestSupport
import Testing

@testable import Estimation
@testable import Validation

/// Statements of a summary of times to sobriety, which hold wherever the true times are.
@Suite struct SobrietySummaryTests {
  private let bootstrap = Bootstrap(seed: 1, replicates: 100)

  /// People with one drink, read every 20 min; each knows when it really was sober, in min.
  private struct Person {
    var series: Series
    let soberMinutes: Double
  }

  private func cohort(_ count: Int, readings: Int, seed: UInt64) throws -> [Person] {
    var generator = SeededGenerator(seed: seed)
    return try (0..<count).map { index in
      let r = generator.uniform(0.5...0.8)
      let ka = generator.uniform(1...6)
      let beta = generator.uniform(0.12...0.22)
      let drinks = [Drink(time: 0, ethanol: .mass(40))]
      let curve = Trajectory(
        try Regimen(drinks, bodyWeight: 80),
        try KineticParameters(ka: PerHour(ka), beta: GramsPerKilogramHour(beta), r: RFactor(r)))
      let readings = (1...readings).map { step in
        let time = Hours(minutes: 20 * Double(step))
        return Reading(
          time: time, value: curve.concentration(at: time).value, unit: .bloodGramsPerKilogram)
      }
      return Person(
        series: Series(
          subject: Subject(id: "\(index)", sex: .male, age: 30, height: 1.8, weight: 80),
          drinks: drinks, readings: readings),
        soberMinutes: curve.timeToThreshold(0.1)?.minutes ?? 0)
    }
  }

  private func summary(
    _ people: [Series], by methods: [any RFactorMethod] = [Widmark(), GivenRFactor(0.5)]
  ) throws -> ComparisonSummary {
    ComparisonSummary(
      of: try Scorer(PredictionOptions(methods: methods)).scores(
        of: Study(name: "study", series: people)),
      bootstrap: bootstrap)
  }

  /// 48 people of whom nearly all are above the threshold to the end: as it was, the table said that the
  /// error was 0.0 [0.0, 0.0], from the few others.
  @Test func subjectsStillAboveTheThresholdAreCounted() throws {
    let people = try cohort(48, readings: 8, seed: 1)
    let summary = try summary(people.map(\.series))
    let method = try #require(summary.sobriety.first)
    #expect(method.count(.atLeast) >= 40)
    #expect(method.known == 48 && method.knownSubjects == 48)
    let pairs = summary.pairs.filter { $0.quantity == .sobriety }
    #expect(pairs.allSatisfy { $0.subjects == 48 && $0.better == nil })
    #expect(method.isLeftToAssumption)
  }

  /// The true errors lie between their limits.
  @Test(arguments: [4, 8, 12, 25], [1, 2, 3] as [UInt64])
  func limitsCoverTheTruth(readings: Int, seed: UInt64) throws {
    let people = try cohort(12, readings: readings, seed: seed)
    let options = PredictionOptions(methods: [Widmark()])
    let scores = try Scorer(options).scores(
      of: Study(name: "study", series: people.map(\.series)))
    let errors = try zip(scores, people).map { score, person in
      (try #require(try score.prediction.get().time)).minutes - person.soberMinutes
    }
    for (score, error) in zip(scores, errors) {
      let limits = try #require(score.error)
      #expect(limits.least.map { $0 - 1e-9 <= error } ?? true)
      #expect(limits.most.map { error <= $0 + 1e-9 } ?? true)
    }
  }

  /// Going on to read people tells more, and never something else.
  @Test(arguments: [1, 2, 3] as [UInt64])
  func moreReadingsStayWithinTheLimits(seed: UInt64) throws {
    let scorer = try Scorer(PredictionOptions(methods: [Widmark(), GivenRFactor(0.5)]))
    let all = try [3, 6, 9, 12, 18, 25].map { readings in
      try scorer.scores(
        of: Study(
          name: "study", series: cohort(10, readings: readings, seed: seed).map(\.series)))
    }
    for (before, after) in zip(all, all.dropFirst()) {
      for (wide, narrow) in zip(before.map(\.error), after.map(\.error)) {
        guard let wide else { continue }
        let narrow = try #require(narrow)
        if let least = wide.least { #expect(try #require(narrow.least) >= least - 1e-9) }
        if let most = wide.most { #expect(try #require(narrow.most) <= most + 1e-9) }
      }
    }
  }

  @Test func summaryIsIndependentOfSubjectOrder() throws {
    let people = try cohort(9, readings: 10, seed: 4).map(\.series)
    let (one, other) = (try summary(people), try summary(people.reversed()))
    for (method, same) in zip(one.sobriety, other.sobriety) {
      #expect(method.counts == same.counts)
    }
    #expect(zip(one.pairs, other.pairs).allSatisfy { $0.wilcoxonP == $1.wilcoxonP })
  }

  /// One more person who is not sober to the end takes nothing away: all are counted, and there is still an estimate.
  @Test func censoredSeriesKeepsTheEstimate() throws {
    let whole = try cohort(9, readings: 25, seed: 5).map(\.series)
    var cut = try #require(try cohort(10, readings: 25, seed: 5).last).series
    cut.readings.removeLast(20)
    let (before, after) = (try summary(whole), try summary(whole + [cut]))
    for (method, next) in zip(before.sobriety, after.sobriety) {
      #expect(next.known == method.known + 1 && next.count(.between) == method.count(.between))
      #expect(method.estimate != nil && next.estimate != nil)
    }
  }

  // MARK: - Thresholds

  private func threshold(
    _ instrument: Instrument?, _ options: PredictionOptions = PredictionOptions(),
    unit: ConcentrationUnit = .bloodGramsPerKilogram, limits: [Double?] = [nil]
  ) -> SobrietyThreshold {
    let readings = limits.enumerated().map { index, limit in
      Reading(time: Hours(Double(index)), value: 0.3, unit: unit, limitOfDetection: limit)
    }
    return SobrietyThreshold(
      of: Series(subject: Subject(id: "a"), drinks: [], readings: readings), instrument, options)
  }

  @Test func thresholdFollowsTheInstrument() {
    #expect(threshold(nil) == .assumed)
    #expect(threshold(Instrument(resolution: 0)) == .assumed)
    #expect(threshold(Instrument(resolution: 0.01)).origin == .resolution)
    let both = threshold(Instrument(resolution: 0.01, limitOfDetection: 0.05))
    #expect(both.origin == .limitOfDetection && both.concentration == 0.05)
    #expect(threshold(Self.described, limits: [0.02, nil, 0.2]).concentration == 0.2)
    var options = PredictionOptions()
    options.selection.limitOfDetection = 0.3
    #expect(threshold(Instrument(limitOfDetection: 0.05), options).concentration == 0.3)
    let given = threshold(Instrument(limitOfDetection: 0.05), PredictionOptions(threshold: 0))
    #expect(given.concentration == 0 && given.origin == .given)
  }

  private static let described = Instrument(resolution: 0.01, limitOfDetection: 0.05)

  /// 0.01 mg/L of breath is 0.021 g/L of blood at a ratio of 2100, and 0.0199 g/kg.
  @Test func resolutionsOfBreathAreConverted() {
    let found = threshold(Instrument(resolution: 0.01), unit: .breathMilligramsPerLitre)
    #expect(abs(found.concentration.value - 0.01 * 2.1 / 1.055) < 1e-12)
  }

  // MARK: - Other curves

  /// Under Michaelis-Menten elimination no curve comes to 0, and none says that it does.
  @Test func michaelisMentenIsNeverSoberAtZero() throws {
    let curve = MichaelisMentenTrajectory(
      try Regimen([Drink(time: 1, ethanol: .mass(40))], bodyWeight: 80),
      try MichaelisMentenParameters(ka: 4, vmax: 0.2, km: 0.05, r: 0.65))
    #expect(throws: SeriesFailure.neverSober(threshold: 0)) {
      try SobrietyPrediction(of: curve, threshold: 0, start: 1)
    }
    let reached = try SobrietyPrediction(of: curve, threshold: 0.1, start: 1)
    let time = try #require(reached.time)
    #expect(abs(curve.concentration(at: time + 1).value - 0.1) < 1e-9)
    #expect(try SobrietyPrediction(of: curve, threshold: 2, start: 1).outcome == .neverAbove)
  }
}
