import AlcoholKinetics
import Estimation
import FittingSupport
import StudyData
import Testing
import Validation

@Suite struct ComparisonTests {
  private func study(_ series: Series...) -> Study {
    Study(name: "study", series: series)
  }

  private func agreement(
    _ series: Series, r: RFactor = 0.65, ka: PerHour = 4, beta: GramsPerKilogramHour = 0.15
  ) throws -> CurveAgreement {
    let options = PredictionOptions(
      parameters: .given(ka: ka, beta: beta), methods: [GivenRFactor(r)])
    let comparison = try Scorer(options).scores(of: study(series)).first
    return try #require(comparison?.agreement)
  }

  @Test func perfectPredictionHasNoError() throws {
    let agreement = try agreement(try SimulatedSeries.series())
    // The 8 zeros at the end say the same.
    #expect(agreement.errors.count == 54 - 7)
    #expect(agreement.errors.allSatisfy { abs($0) < 1e-12 })
    #expect(abs(agreement.areaError) < 1e-12)
    // The highest reading is at most 5 min from the peak.
    let peakError = try #require(agreement.peakError)
    #expect(peakError >= 0 && peakError < 0.02)
    #expect(agreement.readingsAboveDose == 0)
    let dose = try #require(agreement.doseConcentration)
    #expect(abs(dose.value - 60 / (80 * 0.65)) < 1e-12)
  }

  /// Readings shifted by a constant: every error is minus that constant.
  @Test func errorsArePredictedMinusMeasured() throws {
    var series = try SimulatedSeries.series()
    for index in series.readings.indices { series.readings[index].value += 0.1 }
    let agreement = try agreement(series)
    #expect(agreement.errors.allSatisfy { abs($0 + 0.1) < 1e-12 })
    let hours = 530.0 / 60
    #expect(abs(agreement.areaError + 0.1 * hours) < 1e-9)
    let summary = try #require(agreement.summary)
    #expect(abs(summary.bias + 0.1) < 1e-12)
    #expect(abs(summary.mae - 0.1) < 1e-12)
    #expect(abs(summary.rmse - 0.1) < 1e-12)
  }

  @Test func timesCountFromTheFirstDrink() throws {
    var series = try SimulatedSeries.series()
    let before = try agreement(series)
    for index in series.drinks.indices { series.drinks[index].time = series.drinks[index].time + 5 }
    for index in series.readings.indices {
      series.readings[index].time = series.readings[index].time + 5
    }
    let after = try agreement(series)
    let predicted = try #require(before.predictedPeak)
    let shifted = try #require(after.predictedPeak)
    #expect(abs((predicted.time - shifted.time).value) < 1e-12)
    #expect(abs((before.measuredPeak.time - after.measuredPeak.time).value) < 1e-12)
  }

  // MARK: - Readings that a fit would not use

  /// Two readings lie within 25 min after the first drink, one of them the highest of all.
  @Test func mouthAlcoholIsNotCompared() throws {
    var series = try SimulatedSeries.series()
    series.readings[0].value = 4
    let instrument = Instrument(mouthAlcoholWindow: Hours(minutes: 25))
    var options = PredictionOptions(
      parameters: .given(ka: 4, beta: 0.15), methods: [GivenRFactor(0.65)])
    let spoiled = { (options: PredictionOptions) in
      try Scorer(options).scores(of: Study(name: "study", instrument: instrument, series: [series]))
    }
    let comparison = try #require(try spoiled(options).first)
    let agreement = try #require(comparison.agreement)
    // 10 and 20; 50 to 90 during and after the second drink; 100 and 110 after the third.
    let left = comparison.uses.count { $0 == .mouthAlcohol }
    #expect(left == 9)
    #expect(agreement.errors.count == 47 - left)
    #expect(agreement.errors.allSatisfy { abs($0) < 1e-12 })
    #expect(agreement.measuredPeak.concentration < 1.2)
    #expect(agreement.readingsAboveDose == 0)

    options.selection.mouthAlcoholWindow = 0
    let all = try #require(try spoiled(options).first?.agreement)
    #expect(all.errors.count == 47)
    #expect(all.measuredPeak.concentration == 4)
  }

  /// However many zeros follow, the comparison is the same.
  @Test func onlyTheFirstZeroIsCompared() throws {
    let short = try SimulatedSeries.series(count: 54)
    let zeros = try SimulatedSeries.series(count: 80)
    let bias = { (series: Series) in
      try #require(try agreement(series, r: 0.7).summary).bias
    }
    #expect(zeros.readings.count { $0.value == 0 } > short.readings.count { $0.value == 0 })
    #expect(try bias(short) == (try bias(zeros)))
    var options = PredictionOptions(methods: [GivenRFactor(0.7)])
    options.selection.censoring = .none
    let everything = try Scorer(options).scores(of: study(zeros)).first
    #expect(try #require(everything?.agreement).errors.count == 80)
  }

  /// A reading below detection is compared with its limit: 0 up to it, then what is above it.
  @Test func censoredReadingsAreComparedWithTheirLimit() throws {
    var series = try SimulatedSeries.series()
    for index in series.readings.indices { series.readings[index].value = 0.05 }
    series.readings[53].value = 0.5
    var options = PredictionOptions(
      parameters: .given(ka: 4, beta: 0.15), methods: [GivenRFactor(0.65)])
    options.selection.limitOfDetection = 0.2
    let comparison = try #require(
      try Scorer(options).scores(of: study(series)).first)
    let errors = try #require(comparison.agreement).errors
    #expect(comparison.uses.count { $0 == .censored } == 53)
    let truth = try SimulatedSeries.series().readings.map(\.value)
    for (error, value) in zip(errors.dropLast(), truth) {
      #expect(abs(error - max(0, value - 0.2)) < 1e-12)
    }
    #expect(errors.count == 54 && truth.contains { $0 > 0.2 } && truth.contains { $0 < 0.2 })
  }

  /// k_a and beta are fitted to the readings that are compared, and to no others.
  @Test func fitsUseTheComparedReadings() throws {
    var series = try SimulatedSeries.series()
    for index in 0..<3 { series.readings[index].value = 3 }
    var options = PredictionOptions(
      parameters: .fitted(starts: 8), methods: [GivenRFactor(0.65)])
    options.selection.mouthAlcoholWindow = Hours(minutes: 35)
    let comparison = try Scorer(options).scores(of: study(series)).first
    let errors = try #require(comparison?.agreement).errors
    #expect(errors.allSatisfy { abs($0) < 1e-6 })
  }

  @Test func readingsAboveTheDoseAreCounted() throws {
    var series = try SimulatedSeries.series()
    for index in series.readings.indices { series.readings[index].value *= 3 }
    let agreement = try agreement(series)
    let limit = 60 / (80 * 0.65)
    #expect(agreement.readingsAboveDose == series.readings.count { $0.value > limit })
  }

  @Test func warnsOutsideThePublishedRange() throws {
    var light = try SimulatedSeries.series()
    light.subject.weight = 45
    light.subject.height = 2.0
    let comparisons = try Scorer(PredictionOptions()).scores(of: study(light))
    let warned = comparisons.filter { $0.warnings.contains(.rPublishedRange) }
    #expect(warned.map(\.method) == ["seidl"])
  }

  @Test func missingFormulaIsNotReplaced() throws {
    var woman = try SimulatedSeries.series()
    woman.subject.sex = .female
    let comparisons = try Scorer(PredictionOptions()).scores(of: study(woman))
    #expect(comparisons.map(\.curveStatus) == [.ok, .ok, .ok, .ok, .notApplicable])
    #expect(comparisons.last?.method == "ulrich")
    #expect(comparisons.last?.agreement == nil)
  }

  @Test func incomparableSeriesHaveAStatus() throws {
    var silent = try SimulatedSeries.series()
    silent.readings = []
    var unknown = try SimulatedSeries.series()
    unknown.subject = Subject(id: "unknown")
    let options = PredictionOptions(methods: [Watson()])
    let comparisons = try Scorer(options).scores(of: study(silent, unknown))
    #expect(comparisons.map(\.curveStatus) == [.noReadings, .failed])
  }

  /// With each subject's own fit, k_a and beta are those that go best with the method's r.
  @Test func fittedParametersDifferByMethod() throws {
    let series = try SimulatedSeries.series()
    let options = PredictionOptions(
      parameters: .fitted(starts: 8), methods: [GivenRFactor(0.65), Watson()])
    let comparisons = try Scorer(options).scores(of: study(series))
    let exact = try #require(comparisons.first?.agreement)
    let watson = try #require(comparisons.last?.agreement)
    #expect(exact.errors.allSatisfy { abs($0) < 1e-6 })
    #expect(watson.parameters?.r != exact.parameters?.r)
    #expect(try #require(watson.summary).rmse > 1e-3)
  }
}
