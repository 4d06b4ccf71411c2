import AlcoholKinetics
import RealModule
import StudyData
import TestSupport
import Testing

@testable import Estimation
@testable import Validation

/// Estimates of the error of predicted times, from measured times that are known between limits.
@Suite struct TimeErrorEstimateTests {
  private let bootstrap = Bootstrap(seed: 1, replicates: 200)

  /// People measured every 20 min until `end`, whose times are predicted `bias` too late on average.
  private func people(
    _ count: Int, bias: Double = 0.1, sd: Double = 0.15, end: Double = .infinity, seed: UInt64
  ) -> [[SobrietyError]] {
    var generator = SeededGenerator(seed: seed)
    return (0..<count).map { index in
      (0...index % 2).map { _ in
        let predicted = 300 * Double.exp(0.2 * generator.nearlyNormal())
        let time = predicted * Double.exp(-bias - sd * generator.nearlyNormal())
        let last = 20 * (min(time, end) / 20).rounded(.down)
        return SobrietyError(
          predicted: Interval(low: predicted, high: predicted),
          measured: Interval(low: last, high: time > end ? .infinity : last + 20))
      }
    }
  }

  private func estimate(_ people: [[SobrietyError]]) throws -> TimeErrorEstimate {
    try #require(TimeErrorEstimate(people, within: [10, 20, 30], bootstrap))
  }

  /// Many people, of whom some are still above the threshold at the end.
  @Test(arguments: [Double.infinity, 330, 270])
  func estimateRecoversTheTruth(end: Double) throws {
    let found = try estimate(people(3000, end: end, seed: 3))
    let bias = try #require(found.biasPercentOfMeasured)
    #expect(abs(bias.value - 100 * Double.expMinusOne(0.1)) < 1.5)
    #expect(abs(try #require(found.sdPercent) - 15) < 1.5)
    #expect(found.isRatioLikelier)
    let interval = try #require(bias.interval)
    #expect(interval.low < bias.value && bias.value < interval.high)
    #expect(interval.high - interval.low < 3)
  }

  /// Without any assumption a statistic lies between two limits: the estimate does, too.
  @Test(arguments: [1, 2, 3, 4] as [UInt64], [Double.infinity, 300])
  func estimateLiesWithinTheLimits(seed: UInt64, end: Double) throws {
    let people = people(12, end: end, seed: seed)
    let found = try estimate(people)
    let errors = people.flatMap(\.self)
    let mean = { (values: [Double]) in values.reduce(0, +) / Double(values.count) }
    let (low, high) = (mean(errors.map(\.limits.low)), mean(errors.map(\.limits.high)))
    #expect(low <= found.biasMinutes.value + 1e-9 && found.biasMinutes.value <= high + 1e-9)
    let least = mean(errors.map { max(0, $0.limits.low, -$0.limits.high) })
    let most = mean(errors.map { max(-$0.limits.low, $0.limits.high) })
    #expect(least <= found.meanAbsoluteMinutes.value + 1e-9)
    #expect(found.meanAbsoluteMinutes.value <= most + 1e-9)
    let shares = found.within.map(\.percent)
    #expect(shares == shares.sorted() && shares.allSatisfy { (0...100).contains($0) })
  }

  /// In percent of the predicted time a ratio of e^m is 1 - e^-m.
  @Test func percentagesAreConsistent() throws {
    let found = try estimate(people(20, seed: 5))
    let measured = try #require(found.biasPercentOfMeasured)
    let predicted = try #require(found.biasPercentOfPredicted)
    #expect(abs((1 + measured.value / 100) * (1 - predicted.value / 100) - 1) < 1e-12)
  }

  @Test func estimateIsIndependentOfSubjectOrder() throws {
    let people = people(30, end: 320, seed: 6)
    let (one, other) = (try estimate(people), try estimate(people.reversed()))
    #expect(abs(one.biasMinutes.value - other.biasMinutes.value) < 1e-6)
    #expect(abs(one.meanAbsolutePercent.value - other.meanAbsolutePercent.value) < 1e-6)
  }

  /// Sobriety from the start: 100 % off where something was measured, nothing said where not.
  @Test func predictionsSoberFromTheStartAreIncluded() throws {
    let never = Interval(low: 0, high: 0)
    let wrong = SobrietyError(predicted: never, measured: Interval(low: 100, high: 120))
    let agreed = SobrietyError(predicted: never, measured: Interval(low: 0, high: 60))
    let people = people(8, seed: 7)
    let plain = try estimate(people)
    let withAgreed = try estimate(people + [[agreed]])
    #expect(withAgreed == plain)
    let withWrong = try estimate(people + [[wrong]])
    #expect(withWrong.biasPercentOfMeasured?.value == plain.biasPercentOfMeasured?.value)
    #expect(withWrong.meanAbsolutePercent.value > plain.meanAbsolutePercent.value)
    #expect(zip(withWrong.within, plain.within).allSatisfy { $0.percent < $1.percent })
    let later = SobrietyError(predicted: never, measured: Interval(low: 180, high: 200))
    let only = try estimate([[wrong], [later]])
    #expect(only.biasPercentOfMeasured == nil && only.meanAbsolutePercent.value == 100)
    // One error fits both.
    #expect(TimeErrorEstimate([[wrong], [wrong]], within: [10], bootstrap) == nil)
    #expect(TimeErrorEstimate([[agreed]], within: [10], bootstrap) == nil)
  }

  /// There is no estimate if nobody was seen sober, and no interval with few who were.
  @Test func tooFewLimitsGiveNoEstimate() throws {
    let late = people(10, end: 20, seed: 8)
    #expect(TimeErrorEstimate(late, within: [10], bootstrap) == nil)
    let few = try estimate(late + people(2, seed: 9))
    #expect(few.biasPercentOfMeasured?.interval == nil)
  }

  /// A draw of people who were all above to the end may be late without limit, and counts as such.
  @Test func drawsWithoutALimitWidenTheInterval() throws {
    let mixed = people(3, seed: 10) + people(20, end: 20, seed: 11)
    let found = try estimate(mixed)
    let bias = try #require(found.biasPercentOfMeasured?.interval)
    #expect(bias.low == -100 && bias.high.isFinite)
    #expect(found.meanAbsoluteMinutes.interval?.high == .infinity)
  }

  // MARK: - Side by side

  /// Predictions with typical values of people of about these parameters.
  private func scores(_ count: Int, readings: Int) throws -> [Score] {
    var generator = SeededGenerator(seed: 12)
    let series = try (0..<count).map { index in
      let drinks = [Drink(time: 0, ethanol: .mass(40))]
      let curve = Trajectory(
        try Regimen(drinks, bodyWeight: 80),
        try KineticParameters(
          ka: 3, beta: GramsPerKilogramHour(generator.uniform(0.12...0.22)),
          r: RFactor(generator.uniform(0.5...0.8))))
      return Series(
        subject: Subject(id: "\(index)", sex: .male, age: 30, height: 1.8, weight: 80),
        drinks: drinks,
        readings: (1...readings).map { step in
          let time = Hours(minutes: 20 * Double(step))
          return Reading(
            time: time, value: curve.concentration(at: time).value, unit: .bloodGramsPerKilogram)
        })
    }
    return try Scorer(
      PredictionOptions(methods: [Widmark(), GivenRFactor(0.5), Watson()])
    ).scores(of: Study(name: "study", series: series))
  }

  /// Two errors with one measured time differ by no more than the predictions, and a power is stated.
  @Test(arguments: [10, 15, 30])
  func pairsDifferByNoMoreThanPredictions(readings: Int) throws {
    let scores = try scores(12, readings: readings)
    let comparison = SobrietyComparison(of: scores, bootstrap: bootstrap)
    #expect(comparison.people == 12 && comparison.series == 12 && comparison.pairs.count == 3)
    let times = try Dictionary(grouping: scores, by: \.method)
      .mapValues { try $0.map { try #require(try $0.prediction.get().time).minutes } }
    for pair in comparison.pairs {
      let (first, second) = (try #require(times[pair.first]), try #require(times[pair.second]))
      let most = zip(first, second).reduce(0) { $0 + abs($1.0 - $1.1) } / 12
      #expect(abs(pair.difference) <= most + 1e-9)
    }
    #expect(try comparison.pairs.allSatisfy { try #require($0.detectable) > 0 })
  }

  /// Twice the people show differences 1 / sqrt(2) as large, but for Student's t.
  @Test func moreSubjectsDetectSmallerDifferences() throws {
    let scores = try scores(12, readings: 30)
    let twice =
      scores
      + scores.map { score in
        var series = score.series
        series.subject.id += "+"
        return Score(
          series, by: score.method, time: score.prediction,
          SobrietyEvidence(
            uses: score.uses, threshold: score.threshold, measured: score.measured, doubts: []))
      }
    let (one, two) = (
      SobrietyComparison(of: scores, bootstrap: bootstrap),
      SobrietyComparison(of: twice, bootstrap: bootstrap)
    )
    for (pair, doubled) in zip(one.pairs, two.pairs) {
      let ratio = try #require(doubled.detectable) / #require(pair.detectable)
      #expect(0.55 < ratio && ratio < 0.71)
    }
    let biases = try [one, two].map { try #require($0.methods[0].estimate).biasMinutes.value }
    #expect(abs(biases[0] - biases[1]) < 1e-9)
  }
}
