import AlcoholKinetics
import FittingSupport
import Foundation
import Statistics
import StudyData
import TestSupport
import Testing

@testable import Estimation
@testable import Validation

/// Models whose predictions were computed elsewhere, beside the r methods.
@Suite struct GivenModelTests {
  private static let methods: [any RFactorMethod] = [
    GivenRFactor(0.6), GivenRFactor(0.65), GivenRFactor(0.7),
  ]

  /// Twelve people with r between 0.58 and 0.72, measured every 20 minutes.
  private func study(_ predictions: (Int, Series) throws -> [GivenPrediction]) throws -> Study {
    let series = try (0..<12).map { index in
      var series = try SimulatedSeries.series(
        r: RFactor(0.58 + 0.012 * Double(index)), everyMinutes: 20, count: 27)
      series.subject.id = "p\(index)"
      series.predictions = try predictions(index, series)
      return series
    }
    return Study(name: "study", series: series)
  }

  private func options(_ models: [String]) -> PredictionOptions {
    PredictionOptions(
      parameters: .given(ka: 4, beta: 0.15), methods: Self.methods, models: models, threshold: 0.1)
  }

  /// The curve of an r factor, at so many minutes from each other.
  private func curve(
    _ series: Series, r: RFactor, every step: Double, from: Double = 0, to end: Double = 600
  ) throws -> GivenCurve {
    let trajectory = Trajectory(
      try Regimen(series.drinks, bodyWeight: 80), try KineticParameters(ka: 4, beta: 0.15, r: r))
    let times = stride(from: from, through: end, by: step).map { Hours(minutes: $0) }
    return GivenCurve(
      times: times, values: times.map { trajectory.concentration(at: $0).value },
      unit: .bloodGramsPerKilogram)
  }

  private func app(_ index: Int, _ series: Series) throws -> [GivenPrediction] {
    [GivenPrediction(model: "app", .curve(try curve(series, r: 0.65, every: 1)))]
  }

  /// A method's curve that is given as a model has the errors of the method.
  @Test func givenCurveHasTheErrorsOfItsMethod() throws {
    let comparisons = try Scorer(options(["app"])).scores(of: study(app))
    let given = comparisons.filter(\.isGiven)
    let own = comparisons.filter { $0.method == "0.65" }
    #expect(given.count == 12 && comparisons.count == 48)
    for (given, own) in zip(given, own) {
      let (curve, exact) = (try #require(given.agreement), try #require(own.agreement))
      #expect(zip(curve.errors, exact.errors).allSatisfy { abs($0 - $1) < 1e-9 })
      let minutes = try #require(given.deviation?.minutes)
      #expect(abs(minutes - (own.deviation?.minutes ?? .nan)) < 0.1)
      #expect(given.parameters == nil && curve.doseConcentration == nil)
    }
  }

  /// Given models, complete or not, do not change the results of methods.
  @Test(arguments: [0, 1, 2, 3])
  func givenModelDoesNotChangeMethods(kind: Int) throws {
    let without = try study { _, _ in [] }
    let with = try study { index, series in
      switch kind {
      case 0: return try app(index, series)
      // Lacks people.
      case 1: return index.isMultiple(of: 3) ? [] : try app(index, series)
      // Lacks readings.
      case 2:
        return [
          GivenPrediction(
            model: "app", .curve(try curve(series, r: 0.5, every: 30, from: 90, to: 400)))
        ]
      // Times alone.
      default: return [GivenPrediction(model: "app", .times([GivenTime(Hours(Double(index) / 2))]))]
      }
    }
    for requiresAllMethods in [false, true] {
      let summaries = try [(without, []), (with, ["app"])].map { study, models in
        let comparisons = try Scorer(options(models)).scores(of: study)
        return ComparisonSummary(
          of: comparisons, bootstrap: Bootstrap(replicates: 200),
          requiresAllMethods: requiresAllMethods)
      }
      #expect(summaries[0].methods == summaries[1].methods.filter { $0.method != "app" })
      #expect(summaries[0].sobriety == summaries[1].sobriety.filter { !$0.isGiven })
      let pairs = summaries[1].pairs.filter { $0.first != "app" && $0.second != "app" }
      #expect(pairs.count == summaries[0].pairs.count)
      for (alone, beside) in zip(summaries[0].pairs, pairs) {
        #expect(alone.difference == beside.difference && alone.interval == beside.interval)
        #expect(alone.wilcoxonP == beside.wilcoxonP)
      }
      let ranking = summaries[1].ranking
      #expect(ranking.ranks("app") == (kind != 1))
    }
  }

  /// A model is compared with a method at the readings that both predict.
  @Test func pairsUseCommonReadings() throws {
    let partial = try study { _, series in
      [
        GivenPrediction(
          model: "app", .curve(try curve(series, r: 0.65, every: 1, from: 200, to: 400)))
      ]
    }
    let comparisons = try Scorer(options(["app"])).scores(of: partial)
    let summary = ComparisonSummary(of: comparisons, bootstrap: Bootstrap(replicates: 200))
    let pair = try #require(
      summary.pairs.first {
        $0.quantity == .concentration && $0.first == "app" && $0.second == "0.65"
      })
    #expect(abs(pair.difference) < 1e-9)
    let model = try #require(comparisons.first(where: \.isGiven)?.agreement)
    #expect(model.errors.count == 11 && model.peakError == nil)
    #expect(GivenModelCheck(comparisons).findings.map(\.code) == ["W_PREDICTION_READINGS"])
  }

  @Test func coarseCurvesAreNotedWithTheirLargestError() throws {
    let fine = try study(app)
    let coarse = try study { _, series in
      [GivenPrediction(model: "app", .curve(try curve(series, r: 0.65, every: 60)))]
    }
    let scorer = try Scorer(options(["app"]))
    let scores = try [fine, coarse].map { try scorer.scores(of: $0).filter(\.isGiven) }
    var largest = 0.0
    for (fine, coarse) in zip(scores[0], scores[1]) {
      let times = try [fine, coarse].map { try #require(try $0.prediction.get().time) }
      let step = try #require(try coarse.prediction.get().step)
      #expect(abs((times[0] - times[1]).minutes) <= step.largestError.minutes + 1)
      largest = max(largest, step.largestError.minutes)
    }
    for (scores, codes) in zip(scores, [[], ["W_PREDICTION_STEPS"]]) {
      let check = GivenModelCheck(scores)
      #expect(check.findings.map(\.code) == codes)
      let stated = " off by at most \(Int(largest.rounded(.up))) min;"
      #expect(check.findings.allSatisfy { $0.sentence.contains(stated) })
    }
  }

  @Test func timesToAnotherThresholdAreNotUsed() throws {
    let reading = Reading(time: 0, value: 0.5, unit: .bloodGramsPerKilogram)
    let study = try study { _, _ in
      [GivenPrediction(model: "app", .times([GivenTime(3, threshold: reading)]))]
    }
    let scores = { (threshold: GramsPerKilogram) in
      var options = options(["app"])
      options.threshold = threshold
      return try Scorer(options).scores(of: study).filter(\.isGiven)
    }
    #expect(try scores(0.5).allSatisfy { $0.timeStatus == .ok })
    #expect(try scores(0.1).allSatisfy { $0.prediction.failure == .otherThreshold(threshold: 0.1) })
  }

  // MARK: Intervals

  /// The score is smallest for the interval that is right, and its parts are what they are for exact times.
  @Test func intervalScoreMatchesGneitingAndRaftery() throws {
    let stated: [Interval] = [
      Interval(low: 90, high: 110), Interval(low: 101, high: 130), Interval(low: 60, high: 95),
    ]
    let (predicted, measured) = (
      Interval(low: 100, high: 100), Interval(low: 100 - 1e-9, high: 100 + 1e-9)
    )
    let errors = stated.map {
      SobrietyError(predicted: predicted, measured: measured, interval: $0)
    }
    let normal = CensoredNormalFit([Interval(low: -20, high: -10), Interval(low: 10, high: 20)])
    let wide = try #require(normal)
    let skill = try #require(
      IntervalSkill(errors, level: 0.9) { error in
        MeasuredTime(
          isRatio: false, normal: wide, predicted: 100, limits: error.limits.negated)
      })
    #expect(abs((skill.held ?? .nan) - 1) < 1e-6)
    #expect(skill.heldForCertain == 1 && skill.heldPerhaps == 1)
    let expected: Double = (20 + (29 + 20 * 1) + (35 + 20 * 5)) / 3
    #expect(abs((skill.score ?? .nan) - expected) < 1e-6)
    #expect(abs((skill.meanWidth ?? .nan) - 28) < 1e-12)
  }

  /// For censored times the expectation is that of many draws within their limits.
  @Test func expectedShareAndScoreMatchSimulation() throws {
    let known = [-0.3, -0.1, 0, 0.05, 0.2, 0.4].map { (x: Double) in
      Interval(low: x - 0.05, high: x + 0.05)
    }
    let normal = try #require(CensoredNormalFit(known))
    let (low, high) = (Interval(low: -0.4, high: 0.5), Interval(low: 180, high: 260))
    let time = MeasuredTime(isRatio: true, normal: normal, predicted: 200, limits: low)
    var random = SeededGenerator(seed: 11)
    var (count, held, outside) = (0.0, 0.0, 0.0)
    while count < 200_000 {
      let z =
        normal.mean + normal.sd
        * NormalScores.quantile(Double.random(in: 1e-12..<1, using: &random))
      guard z > low.low, z < low.high else { continue }
      let minutes = 200 * exp(z)
      count += 1
      held += minutes >= high.low && minutes <= high.high ? 1 : 0
      outside += max(0, high.low - minutes, minutes - high.high)
    }
    #expect(abs(time.probability(of: high) - held / count) < 0.005)
    #expect(abs(time.meanDistance(outside: high) - outside / count) < 0.15)
  }

  // MARK: What the error is made of

  /// If r alone is wrong, all of the error is attributed to r.
  @Test func errorOfWrongRIsAttributedToR() throws {
    let study = try study { _, _ in [] }
    let scores = try Scorer(
      PredictionOptions(
        parameters: .given(ka: 4, beta: 0.15), methods: [GivenRFactor(0.5)], threshold: 0.1)
    ).scores(of: study)
    let shares = try #require(
      try TimeErrorShares.all(of: scores, options([]), bootstrap: Bootstrap(replicates: 100)).first)
    #expect(shares.subjects == 12 && shares.known == 12)
    #expect(shares.largest == .r)
    #expect((shares.percent[.r]?.value ?? 0) > 80)
    let sum = TimeErrorShares.Part.allCases.compactMap { shares.percent[$0]?.value }.reduce(0, +)
    #expect(abs(sum - shares.all.value) < 1e-9)
  }

  @Test func errorOfFittedPredictionsIsNotSplit() throws {
    var options = options([])
    options.parameters = .fitted(starts: 1)
    #expect(try TimeErrorShares.all(of: [], options).isEmpty)
  }
}

extension Interval {
  fileprivate var negated: Interval { Interval(low: -high, high: -low) }
}
