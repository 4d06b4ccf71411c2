import AlcoholKinetics
import Estimation
import FittingSupport
import Spreadsheets
import StudyData
import StudyFiles
import TestSupport
import Testing

@testable import Validation

@Suite struct SobrietyScorerTests {
  /// Predictions for the thesis' subjects against an independent computation (mpmath,
  /// Tests/Tools/nacar_sober.py). Both are exact; 1e-9 min is rounding.
  @Test func scoresAgreeWithAnIndependentComputation() throws {
    let study = try StudyReader.read(PackageFolder.dataset("nacar-2021"))
    let scores = try atZero().scores(of: study).filter { $0.timeStatus == .ok }
    let rows = try PackageFolder.expectations("nacar-2021-sober")
    #expect(scores.count == 19)
    #expect(rows.count == 19)
    for (score, row) in zip(scores, rows) {
      let prediction = try score.prediction.get()
      let deviation = try #require(score.deviation)
      #expect(score.series.subject.id == row["subject"])
      #expect(score.method == row["r_factor"])
      try expect(score.parameters?.r.value, row, "r")
      try expect(prediction.time?.minutes, row, "sober_predicted_min")
      try expect(score.measured.middle?.minutes, row, "sober_measured_min")
      try expect(score.measured.first?.minutes, row, "sober_first_below_min")
      try expect(score.measured.lastAbove?.minutes, row, "sober_last_above_min")
      try expect(deviation.minutes, row, "error_min")
      try expect(deviation.percentOfMeasured, row, "error_pct_of_measured")
      try expect(deviation.percentOfPredicted, row, "error_pct_of_predicted")
      try expect(score.deviationFromFirstBelow?.minutes, row, "error_min_first_below")
    }
  }

  /// The distance to the measured interval by an independent computation: 0 between its two readings, else to the
  /// nearer one.
  @Test func scoresAgreeOutsideTheMeasuredInterval() throws {
    let study = try StudyReader.read(PackageFolder.dataset("nacar-2021"))
    let scores = try atZero().scores(of: study).filter { $0.timeStatus == .ok }
    let rows = try PackageFolder.expectations("nacar-2021-sober")
    #expect(scores.count == rows.count)
    for (score, row) in zip(scores, rows) {
      let deviation = try #require(score.deviationFromInterval)
      try expect(deviation.minutes, row, "interval_error_min")
      try expect(deviation.percentOfMeasured, row, "interval_error_pct_of_measured")
      try expect(deviation.percentOfPredicted, row, "interval_error_pct_of_predicted")
    }
    let widmark = zip(scores, rows).filter { $0.1["r_factor"] == "widmark" }
    #expect(widmark.map { $0.0.deviationFromInterval?.minutes } == [0, 0, 0, 0])
  }

  @Test(arguments: [(3.0, -30.0), (3.5, 0), (3.75, 0), (4, 0), (4.5, 30)])
  func errorIsMeasuredToTheNearerEnd(predicted: Double, error: Double) throws {
    var series = try SimulatedSeries.series(count: 3)
    for (index, reading) in [(3.0, 0.4), (3.5, 0.2), (4, 0)].enumerated() {
      series.readings[index].time = Hours(reading.0)
      series.readings[index].value = reading.1
    }
    series.predictions = [GivenPrediction(model: "app", .times([GivenTime(Hours(predicted))]))]
    let scorer = try Scorer(
      PredictionOptions(methods: [], models: ["app"], threshold: 0))
    let score = try #require(try scorer.scores(of: study(series)).first)
    #expect(score.deviationFromInterval?.minutes == error)
  }

  /// Rinsing the mouth an hour after sobriety does not make anybody drunk.
  @Test func mouthAlcoholIsIgnored() throws {
    var series = try SimulatedSeries.series()
    series.drinks.append(Drink(time: 8.6, ethanol: .mass(0.01)))
    series.readings[51].value = 2
    let score = { (window: Hours) in
      var options = PredictionOptions(methods: [GivenRFactor(0.65)], threshold: 0)
      options.selection.mouthAlcoholWindow = window
      return try Scorer(options).scores(of: study(series)).first
    }
    let lastAbove = try SimulatedSeries.series().readings.last { $0.value > 0 }?.time
    #expect(try score(0)?.measured.lastAbove == series.readings[51].time)
    #expect(try score(0.25)?.measured.lastAbove == lastAbove)
  }

  /// The thesis counts from the first zero.
  private func atZero() throws -> Scorer {
    try Scorer(
      PredictionOptions(
        typical: .nacar2021, methods: RFactorMethods.all(bloodWater: .perLitre), threshold: 0))
  }

  private func study(_ series: Series...) -> Study {
    Study(name: "study", series: series)
  }

  private func expect(_ found: Double?, _ row: [String: String], _ column: String) throws {
    let found = try #require(found)
    let expected = try #require(try row.number(column))
    #expect(abs(found - expected) < 1e-9, "\(column) of \(row)")
  }

  /// The thesis' own predictions, table 4.1: its 11 to 30 % are relative to the prediction, and against the first
  /// reading of zero.
  @Test func thesisPredictionsHaveTheErrorsOfTheThesis() throws {
    let folder = PackageFolder.dataset("nacar-2021")
    var study = try StudyReader.read(folder)
    let table = try PredictionTable(
      folder + "/thesis-predictions.csv", model: "thesis", map: .empty)
    for index in study.series.indices {
      study.series[index].predictions = [try table.prediction(of: study.series[index])]
    }
    #expect(try table.findings().isEmpty)
    let options = PredictionOptions(methods: [], models: ["thesis"], threshold: 0)
    let scores = try Scorer(options).scores(of: study)
    let percentages = scores.compactMap { $0.deviationFromFirstBelow?.percentOfPredicted }
    #expect(percentages.map { ($0 * 10).rounded() / 10 } == [-11.8, -13.3, -17.6, -30.0])
    let rows = try PackageFolder.expectations("nacar-2021-thesis-sober")
    #expect(scores.count == rows.count)
    for (score, row) in zip(scores, rows) {
      #expect(score.isGiven && score.method == "thesis")
      try expect(score.deviation?.minutes, row, "error_min")
      try expect(score.deviation?.percentOfMeasured, row, "error_pct_of_measured")
      try expect(score.deviation?.percentOfPredicted, row, "error_pct_of_predicted")
      let fromFirst = score.deviationFromFirstBelow
      try expect(fromFirst?.minutes, row, "error_min_first_below")
      try expect(fromFirst?.percentOfMeasured, row, "error_pct_of_measured_first_below")
      try expect(fromFirst?.percentOfPredicted, row, "error_pct_of_predicted_first_below")
    }
  }

  @Test func missingFormulaIsNotReplaced() throws {
    let study = try StudyReader.read(PackageFolder.dataset("nacar-2021"))
    let scores = try atZero().scores(of: study)
    #expect(scores.count == 20)
    let missing = scores.filter { $0.timeStatus == .notApplicable }
    #expect(missing.map(\.method) == ["ulrich"])
    #expect(missing.map(\.series.subject.id) == ["4"])
    #expect(missing.allSatisfy { $0.deviation == nil })
  }

  @Test func simulatedSobrietyIsPredictedExactly() throws {
    let series = try SimulatedSeries.series()
    let options = PredictionOptions(
      parameters: .fitted(starts: 8), methods: [GivenRFactor(0.65)], threshold: 0.2)
    let score = try #require(try Scorer(options).scores(of: study(series)).first)
    let predicted = try #require(try score.prediction.get().time)
    let truth = Trajectory(
      try Regimen(series.drinks, bodyWeight: 80),
      try KineticParameters(ka: 4, beta: 0.15, r: 0.65))
    let expected = try #require(truth.timeToThreshold(0.2))
    #expect(abs((predicted - expected).minutes) < 1e-4)
    // The truth lies between the two readings.
    let lastAbove = try #require(score.measured.lastAbove)
    let first = try #require(score.measured.first)
    #expect(lastAbove < predicted && predicted <= first)
  }

  @Test func errorsAreInvariantToClockOffset() throws {
    var series = try SimulatedSeries.series()
    let options = PredictionOptions(methods: [GivenRFactor(0.65)], threshold: 0)
    let scorer = try Scorer(options)
    let before = try #require(try scorer.scores(of: study(series)).first?.deviation)
    for index in series.drinks.indices { series.drinks[index].time = series.drinks[index].time + 7 }
    for index in series.readings.indices {
      series.readings[index].time = series.readings[index].time + 7
    }
    let after = try #require(try scorer.scores(of: study(series)).first?.deviation)
    #expect(abs((before.predicted - after.predicted).minutes) < 1e-9)
    #expect(abs((before.measured - after.measured).minutes) < 1e-9)
  }

  @Test func incomparableTimesHaveAStatus() throws {
    let series = try SimulatedSeries.series()
    let status = { (series: Series, threshold: GramsPerKilogram) in
      try Scorer(
        PredictionOptions(methods: [GivenRFactor(0.65)], threshold: threshold)
      ).scores(of: study(series)).map(\.timeStatus)
    }
    #expect(try status(series, 0) == [.ok])
    #expect(try status(series, 5) == [.neverAbove])
    var cut = series
    cut.readings.removeLast(40)
    #expect(try status(cut, 0) == [.notReached])
    cut.readings = []
    #expect(try status(cut, 0) == [.noReadings])
    var high = series
    high.readings[5].value = 3
    #expect(try status(high, 2) == [.predictedNeverAbove])
    high.subject.weight = nil
    #expect(try status(high, 0) == [.failed])
  }

  @Test func percentagesNeedATimeToReferTo() {
    let deviation = SobrietyDeviation(predicted: 2, measured: 0)
    #expect(deviation.percentOfMeasured == nil)
    #expect(deviation.percentOfPredicted == 100)
    #expect(SobrietyDeviation(predicted: 0, measured: 1).percentOfPredicted == nil)
  }
}
