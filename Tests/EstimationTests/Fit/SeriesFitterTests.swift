import AlcoholKinetics
import Estimation
import FittingSupport
import Foundation
import GSL
import StudyData
import Testing
import Validation

@Suite struct SeriesFitterTests {
  /// Without noise the truth is the minimum, and the solver should find it to its tolerance.
  @Test(arguments: [
    (0.8, 0.10, 0.55), (2.5, 0.15, 0.65), (6.0, 0.20, 0.70), (15.0, 0.13, 0.80),
  ])
  func fitRecoversTheTruth(ka: Double, beta: Double, r: Double) throws {
    let series = try SimulatedSeries.series(
      ka: PerHour(ka), beta: GramsPerKilogramHour(beta), r: RFactor(r))
    let fitter = try SeriesFitter(options: FitOptions(estimate: [.ka, .beta, .r]))
    let fit = try fitter.fit(series)
    #expect(abs(fit.value(.ka) / ka - 1) < 1e-7)
    #expect(abs(fit.value(.beta) / beta - 1) < 1e-7)
    #expect(abs(fit.value(.r) / r - 1) < 1e-7)
    #expect(fit.rss < 1e-14)
    // Of the zeros that end the series the first is a reading; the others only repeat it.
    #expect(fit.usedCount == 54 - fit.count(.repeatedZero))
    #expect(fit.count(.repeatedZero) == max(0, series.readings.count { $0.value == 0 } - 1))
    #expect(fit.isConverged)
    #expect(fit.warnings.isEmpty)
    #expect(fit.starts.count == StartDesign.defaultCount)
  }

  @Test(arguments: [
    [FitParameter.ka], [.beta], [.r], [.ka, .beta], [.ka, .r], [.beta, .r],
  ])
  func parametersNotEstimatedStayFixed(estimated: [FitParameter]) throws {
    let options = FitOptions(
      estimate: Set(estimated),
      fixed: [.ka: 4, .beta: 0.15].filter { !estimated.contains($0.key) },
      rFactor: GivenRFactor(0.65))
    let fit = try SeriesFitter(options: options).fit(try SimulatedSeries.series())
    #expect(abs(fit.value(.ka) - 4) < 1e-6)
    #expect(abs(fit.value(.beta) - 0.15) < 1e-8)
    #expect(abs(fit.value(.r) - 0.65) < 1e-8)
    #expect(Set(fit.estimates.keys) == Set(estimated))
  }

  @Test func convertsReadingsToBlood() throws {
    var series = try SimulatedSeries.series()
    let factors = ConversionFactors(bloodBreathRatio: 2300)
    series.readings = series.readings.map { reading in
      let breath = ConcentrationUnit.breathMilligramsPerLitre
      return Reading(
        time: reading.time,
        value: breath.value(of: GramsPerKilogram(reading.value), using: factors), unit: breath)
    }
    let options = FitOptions(estimate: [.ka, .beta, .r], factors: factors)
    let fit = try SeriesFitter(options: options).fit(series)
    #expect(abs(fit.value(.r) - 0.65) < 1e-7)
  }

  @Test func excludedReadingsAreLeftOut() throws {
    var series = try SimulatedSeries.series()
    series.readings[3].value = 3
    series.readings[3].isExcluded = true
    let fit = try SeriesFitter(options: FitOptions(estimate: [.ka, .beta, .r])).fit(series)
    #expect(fit.count(.excludedByStudy) == 1)
    #expect(fit.usedCount == 53 - fit.count(.repeatedZero))
    #expect(abs(fit.value(.ka) - 4) < 1e-6)
  }

  @Test func fitWithoutDegreesOfFreedomHasNoErrors() throws {
    let series = try SimulatedSeries.series(everyMinutes: 60, count: 2)
    let options = FitOptions(estimate: [.ka, .beta], rFactor: GivenRFactor(0.65))
    let fit = try SeriesFitter(options: options).fit(series)
    #expect(fit.residualSD == nil)
    #expect(fit.estimates.values.allSatisfy { $0.standardError == nil })
    #expect(fit.warnings.contains(.degreesOfFreedom(0)))
  }

  /// Two parameters: with three or four readings the size of errors is hardly known, with five it is.
  @Test(arguments: [(3, 1), (4, 2), (5, nil)])
  func fewDegreesOfFreedomAreWarnedOf(count: Int, spare: Int?) throws {
    var series = try SimulatedSeries.series(everyMinutes: 60, count: count)
    for index in series.readings.indices {
      series.readings[index].value += index % 2 == 0 ? 0.01 : -0.01
    }
    let options = FitOptions(estimate: [.ka, .beta], rFactor: GivenRFactor(0.65))
    let said = try SeriesFitter(options: options).fit(series).warnings.compactMap { warning in
      if case .degreesOfFreedom(let spare) = warning { spare } else { nil }
    }
    #expect(said == [spare].compactMap(\.self))
    // A known error needs no readings to tell it.
    var known = options
    known.error = .additive(sd: 0.02)
    let fit = try SeriesFitter(options: known).fit(series)
    #expect(!fit.warnings.contains { $0.code == "W_DEGREES_OF_FREEDOM" })
  }

  @Test func reusedWorkspaceGivesTheSameBits() throws {
    let one = try SimulatedSeries.series()
    let other = try SimulatedSeries.series(ka: 9, beta: 0.2, r: 0.8)
    let options = FitOptions(estimate: [.ka, .beta, .r])
    let used = try SeriesFitter(options: options)
    _ = try used.fit(other)
    #expect(try used.fit(one) == (try SeriesFitter(options: options).fit(one)))
  }

  /// Two drinks with a dry spell between: a start that keeps the blood from emptying ends in a
  /// minimum of its own.
  @Test func fitIsTheBestOfItsStarts() throws {
    let drinks = [
      Drink(time: 0, ethanol: .mass(12)), Drink(time: 3, ethanol: .mass(40)),
    ]
    let series = try SimulatedSeries.series(drinks: drinks)
    let fit = try SeriesFitter(options: FitOptions(estimate: [.ka, .beta, .r])).fit(series)
    let best = fit.starts.map(\.objective).filter(\.isFinite).min()
    // Its last digits come after.
    #expect(try fit.objective <= #require(best))
    #expect(fit.rss < 1e-14)
  }

  @Test func warnsOfReadingsAboveTheDose() throws {
    var series = try SimulatedSeries.series()
    for index in series.readings.indices { series.readings[index].value *= 5 }
    let fit = try SeriesFitter(options: FitOptions(rFactor: GivenRFactor(0.65))).fit(series)
    // 60 g in 80 kg at r 0.65.
    let highest = 60 / (80 * 0.65)
    #expect(fit.readingsAboveDose == series.readings.count { $0.value > highest })
    #expect(fit.readingsAboveDose > 0)
    #expect(fit.warnings.contains(.aboveDose))
  }

  /// A late reading where the curve has long been zero has leverage 0; nothing else shows it.
  @Test func warnsOfAlcoholWhereTheCurveIsZero() throws {
    var series = try NoisySeries.series(seed: 2, sd: 0.01)
    let calm: Set = ["W_CURVE_AT_ZERO", "W_OUTLYING_READING", "W_RESIDUALS_NOT_RANDOM"]
    let fitter = try SeriesFitter(options: FitOptions(fixed: [.r: 0.65]))
    #expect(calm.isDisjoint(with: try fitter.fit(series).warnings.map(\.code)))
    let late = Reading(time: 12, value: 0.3, unit: .bloodGramsPerKilogram)
    series.readings.append(late)
    let warnings = try fitter.fit(series).warnings
    #expect(warnings.contains(.curveAtZero([12])))
    #expect(warnings.contains(.outlyingReadings([12])))
    #expect(warnings.contains(.residualsNotRandom))
    // Below its limit of detection it says nothing.
    series.readings[series.readings.count - 1].limitOfDetection = 0.31
    #expect(try !fitter.fit(series).warnings.contains(.curveAtZero([12])))
  }

  /// A curve of another shape than the readings errs to one side for long.
  @Test func warnsOfResidualsInRuns() throws {
    var series = try SimulatedSeries.series()
    for index in series.readings.indices {
      series.readings[index].value += 0.05 * (1 + sin(series.readings[index].time.value * 3))
    }
    let fit = try SeriesFitter(options: FitOptions(fixed: [.r: 0.65])).fit(series)
    #expect(try #require(fit.diagnostics?.runs).pValue < 1e-3)
    #expect(fit.warnings.contains(.residualsNotRandom))
    #expect(!fit.warnings.contains { $0.code == "W_OUTLYING_READING" })
  }

  /// Zeros on the plateau that the curve meets exactly do not make residuals look odd.
  @Test func trailingZerosDoNotFailResidualTests() throws {
    var series = try NoisySeries.series(seed: 6, sd: 0.02)
    let last = try #require(series.readings.last).time
    series.readings += (1...20).map { index in
      Reading(
        time: last + 1 + Hours(Double(index)), value: index == 20 ? 0.01 : 0,
        unit: .bloodGramsPerKilogram)
    }
    let fit = try SeriesFitter(options: FitOptions(fixed: [.r: 0.65])).fit(series)
    #expect(fit.count(.repeatedZero) == 0)
    #expect(!fit.warnings.contains(.residualsNotRandom))
  }

  /// Readings on a straight line are met exactly by every fast absorption.
  @Test func perfectFitLeavesUnidentifiableParametersUndetermined() throws {
    let readings = zip([1.0, 2, 3, 4], [0.6, 0.45, 0.3, 0.15]).map {
      Reading(time: Hours($0), value: $1, unit: .bloodGramsPerKilogram)
    }
    let series = Series(
      subject: SimulatedSeries.man, drinks: [Drink(time: 0, ethanol: .mass(50))],
      readings: readings)
    let fit = try SeriesFitter(options: FitOptions(estimate: [.ka, .beta, .r])).fit(series)
    let ka = try #require(fit.estimates[.ka])
    #expect(ka.isIdentifiable == false && ka.high == nil)
    #expect(fit.status == .undetermined)
    #expect(fit.estimates[.beta]?.isIdentifiable == true)
  }

  /// A 0 without a limit of detection hides the error of the reading.
  @Test func warnsOfZerosAtFaceValue() throws {
    var series = try NoisySeries.series(seed: 6, sd: 0.02)
    let last = try #require(series.readings.last).time
    series.readings.removeAll { $0.value <= 0 }
    series.readings += [0, 0, 0, 0.01].enumerated().map { index, value in
      Reading(
        time: last + Hours(Double(index + 1)), value: value, unit: .bloodGramsPerKilogram)
    }
    let model = FitOptions(model: .michaelisMenten, fixed: [.r: 0.65])
    var stated = model
    stated.selection.limitOfDetection = 0.02
    var plain = model
    plain.interval = nil
    func warns(_ options: FitOptions) throws -> Bool {
      try SeriesFitter(options: options).fit(series).warnings.contains(.zerosAsRead)
    }
    #expect(try warns(model))
    #expect(try !warns(stated))
    #expect(try !warns(plain))
    #expect(try warns(FitOptions(fixed: [.r: 0.65])))
    series.readings.remove(at: series.readings.count - 2)
    #expect(try warns(model))
    #expect(try !warns(FitOptions(fixed: [.r: 0.65])))
  }

  @Test func warnsOfATimeToZeroThatRestsOnAnEstimatedErrorThere() throws {
    let series = try NoisySeries.series(seed: 6, sd: 0.02)
    func warns(_ error: ErrorModel, _ quantities: Set<DerivedQuantity>) throws -> Bool {
      var options = FitOptions(fixed: [.r: 0.65], error: error)
      options.derived = DerivedOptions(quantities)
      return try SeriesFitter(options: options).fit(series).warnings.contains(.zeroInterval)
    }
    #expect(try warns(.combined(nil), [.timeToZero]))
    #expect(try !warns(.combined(nil), [.peak]))
    #expect(try !warns(.additive(sd: nil), [.timeToZero]))
  }

  @Test func warnsOfImplausibleParameters() throws {
    let series = try SimulatedSeries.series(ka: 0.4, beta: 0.35, r: 0.35)
    let fit = try SeriesFitter(options: FitOptions(estimate: [.ka, .beta, .r])).fit(series)
    // The curve ends long before the readings, and no limit of detection is known.
    #expect(Set(fit.warnings) == [.kaRange, .betaRange, .rRange, .zerosAsRead])
  }

  // MARK: - What cannot be fitted

  private func failure(
    _ change: (inout Series) -> Void, options: FitOptions = FitOptions()
  ) throws -> SeriesFailure? {
    var series = try SimulatedSeries.series()
    change(&series)
    let fitter = try SeriesFitter(options: options)
    do {
      _ = try fitter.fit(series)
      return nil
    } catch {
      return error
    }
  }

  @Test func missingMeasuresAreNamed() throws {
    #expect(
      try failure { $0.subject.weight = nil }
        == .problem(.missingMeasure("weight_kg", method: "watson")))
    #expect(
      try failure({ $0.subject.weight = nil }, options: FitOptions(rFactor: Widmark()))
        == .problem(.weightMissing))
    #expect(
      try failure({ $0.subject.sex = .female }, options: FitOptions(rFactor: Ulrich()))
        == .problem(.methodNotDefined("ulrich", for: .female)))
    #expect(
      try failure { $0.readings.removeLast(53) } == .tooFewReadings(found: 1, needed: 2))
    #expect(try failure { $0.readings = [] } == .tooFewReadings(found: 0, needed: 2))
  }

  @Test func dosePerKilogramNeedsNoBodyMeasures() throws {
    let failure = try failure(
      { series in
        series.subject = Subject(id: "anybody")
        series.drinks = [Drink(time: 0, ethanol: .perBodyWeight(0.75))]
      }, options: FitOptions(estimate: [.ka, .beta, .r]))
    #expect(failure == nil)
  }

  @Test func refusesReadingsThatAreAllZero() throws {
    let failure = try failure { series in
      for index in series.readings.indices { series.readings[index].value = 0 }
    }
    #expect(failure == .nothingMeasured)
  }

  /// Start values must not be taken for estimates.
  @Test func refusesCurveThatIsZero() throws {
    let placebo = try failure { $0.drinks = [Drink(time: 0, ethanol: .mass(0))] }
    #expect(placebo == .nothingPredicted)
    let late = try failure { $0.drinks = [Drink(time: 10, ethanol: .mass(20))] }
    #expect(late == .nothingPredicted)
    let dilute = try failure({ _ in }, options: FitOptions(rFactor: GivenRFactor(1e308)))
    #expect(dilute == .nothingPredicted)
  }

  @Test func warnsOutsideThePublishedRange() throws {
    let series = try SimulatedSeries.series()
    var light = series
    light.subject.weight = 45
    light.subject.height = 2.0
    let fitter = try SeriesFitter(options: FitOptions(rFactor: Seidl()))
    #expect(try fitter.fit(light).warnings.contains(.rPublishedRange))
    #expect(try !fitter.fit(series).warnings.contains(.rPublishedRange))
  }

  @Test func refusesASeriesWithAnError() throws {
    let diagnostic = Diagnostic(
      .doseMissing, at: SourceLocation(file: "drinks.csv", line: 2), message: "no dose",
      remedy: "give one")
    #expect(try failure { $0.diagnostics = [diagnostic] } == .badData(diagnostic))
  }

  @Test func refusesSenselessOptions() {
    #expect(throws: SeriesFailure.self) { try SeriesFitter(options: FitOptions(estimate: [])) }
    #expect(throws: SeriesFailure.self) {
      try SeriesFitter(options: FitOptions(starts: StartDesign(count: 0)))
    }
    #expect(throws: SeriesFailure.self) {
      try Scorer(PredictionOptions(threshold: -1))
    }
  }

  @Test func badSeriesDoesNotStopOthers() throws {
    var bad = try SimulatedSeries.series()
    bad.subject = Subject(id: "bad")
    let good = try SimulatedSeries.series()
    let study = Study(name: "mixed", series: [good, bad, good])
    let fits = try StudyFit.fits(of: study, options: FitOptions())
    #expect(fits.map(\.hasFailed) == [false, true, false])
    #expect(fits.map(\.series.subject.id) == ["man", "bad", "man"])
    #expect(fits.map(\.rFactor) == ["watson", "watson", "watson"])
  }
}
