import AlcoholKinetics
import Estimation
import FittingSupport
import StudyData
import Testing
import Validation

@Suite struct StudyEvaluationTests {
  private static let evaluation = Result {
    try StudyEvaluation(
      of: Study(
        name: "two",
        series: [try NoisySeries.series(seed: 21), try NoisySeries.series(seed: 22, first: 60)]),
      fitOptions: FitOptions(estimate: [.ka, .beta, .r]),
      predictionOptions: PredictionOptions(
        typical: .nacar2021, methods: [Widmark(), Watson(), Ulrich()]))
  }

  /// At the ends of an interval the rise is the threshold, by definition.
  @Test func profilesMeetTheThresholdAtTheEndsOfIntervals() throws {
    var checked = 0
    for series in try Self.evaluation.get().series {
      let fit = try series.fit.result.get()
      #expect(series.profiles.map(\.parameter) == fit.estimates.keys.sorted())
      for profile in series.profiles {
        let estimate = try #require(fit.estimates[profile.parameter])
        for end in [estimate.low, estimate.high].compactMap(\.self) {
          // Between two points the profile is nearly a parabola, whose root is straight.
          let right = try #require(profile.points.firstIndex { $0.value > end })
          let (low, high) = (profile.points[right - 1], profile.points[right])
          let part = (end - low.value) / (high.value - low.value)
          let root = low.rise.squareRoot() * (1 - part) + high.rise.squareRoot() * part
          #expect(abs(root * root / profile.threshold - 1) < 0.03, "\(profile.parameter)")
          checked += 1
        }
        #expect(profile.points.map(\.value) == profile.points.map(\.value).sorted())
        #expect(profile.points.contains { $0.rise < 0.2 * profile.threshold })
      }
    }
    #expect(checked >= 10)
  }

  @Test func predictedCurvesMatchTheMethods() throws {
    let evaluation = try Self.evaluation.get()
    for series in evaluation.series {
      #expect(series.predicted.map(\.method) == ["widmark", "watson", "ulrich"])
      #expect(series.fitted.count == series.times.count)
      let regimen = try Regimen(series.series.drinks, bodyWeight: series.series.subject.weight)
      let expected = Trajectory(
        regimen, try KineticParameters(ka: 18, beta: 0.15, r: 0.68))
      for (time, found) in zip(series.times, series.predicted[0].concentrations) {
        #expect(abs(found.value - expected.concentration(at: time).value) < 1e-12)
      }
    }
    #expect(evaluation.summary.methods.count == 6)
    #expect(evaluation.summary.sobriety.count == 3)
  }

  @Test func curveTimesReachFromFirstDrinkToLastReading() throws {
    for series in try Self.evaluation.get().series {
      let first = try #require(series.times.first)
      let last = try #require(series.times.last)
      #expect(first == 0)
      #expect(last >= series.series.readings.last?.time ?? 0)
    }
  }

  /// To the last bit, and with enough series that there is work for several threads.
  @Test func threadCountDoesNotChangeTheEvaluation() throws {
    let study = Study(name: "many", series: try (0..<20).map { try NoisySeries.series(seed: $0) })
    let evaluations = try [1, 3].map { jobs in
      try StudyEvaluation(
        of: study, fitOptions: FitOptions(starts: StartDesign(count: 2)),
        predictionOptions: PredictionOptions(
          parameters: .fitted(starts: 2), methods: [Widmark(), Watson()]),
        bootstrap: Bootstrap(seed: 1, replicates: 99), jobs: jobs)
    }
    #expect(evaluations[0].series.count == 20)
    for (one, several) in zip(evaluations[0].series, evaluations[1].series) {
      #expect(one.fitted == several.fitted)
      #expect(one.profiles == several.profiles)
      #expect(one.profiles.count == 2)
      #expect(one.predicted.map(\.concentrations) == several.predicted.map(\.concentrations))
    }
    let options = PredictionOptions(parameters: .fitted(starts: 2), methods: [Widmark()])
    let times = try [1, 3].map { jobs in
      try Scorer(options).scores(of: study, jobs: jobs)
        .map { try $0.prediction.get().time }
    }
    #expect(times[0] == times[1])
    #expect(times[0].compactMap(\.self).count == 20)
  }

  /// Curves, profiles and derived quantities are computed for the shown sample only; all else is the same.
  @Test func detailsAreComputedForTheSampleOnly() throws {
    let study = Study(name: "five", series: try (0..<5).map { try NoisySeries.series(seed: $0) })
    let evaluations = try [Int.max, 2].map { most in
      try StudyEvaluation(
        of: study,
        fitOptions: FitOptions(
          starts: StartDesign(count: 2), derived: DerivedOptions([.timeToZero])),
        predictionOptions: PredictionOptions(methods: [Widmark(), Watson()]),
        bootstrap: Bootstrap(seed: 1, replicates: 99), detailing: most)
    }
    let (whole, part) = (evaluations[0], evaluations[1])
    #expect(part.sample().map(\.series.subject.id) == [0, 2].map { study.series[$0].subject.id })
    #expect(part.sample(1).count == 1 && whole.sample().count == 5 && whole.sample(2).count == 2)
    for index in 0..<5 {
      let (one, other) = (whole.series[index], part.series[index])
      let (fit, bare) = (try one.fit.result.get(), try other.fit.result.get())
      let isTold = [0, 2].contains(index)
      #expect(fit.estimates == bare.estimates && fit.derived.count == 1)
      #expect(bare.derived == (isTold ? fit.derived : []))
      #expect(other.profiles == (isTold ? one.profiles : []))
      #expect(other.fitted == (isTold ? one.fitted : []))
      #expect(other.predicted.count == (isTold ? 2 : 0) && other.scores.count == 2)
    }
    #expect(whole.summary == part.summary)
  }

  @Test func unfittableSeriesStillHasPredictions() throws {
    var series = try NoisySeries.series(seed: 23)
    series.readings = []
    let evaluation = try StudyEvaluation(
      of: Study(name: "empty", series: [series]), fitOptions: FitOptions(),
      predictionOptions: PredictionOptions())
    #expect(evaluation.series[0].fit.hasFailed)
    #expect(evaluation.series[0].predicted.count == 5)
    #expect(evaluation.series[0].fitted.isEmpty)
    #expect(evaluation.series[0].profiles.isEmpty)
  }
}
