import AlcoholKinetics
import Estimation
import FittingSupport
import StudyData
import Testing

@testable import Validation

@Suite struct PredictionSpreadTests {
  private func prediction(
    _ parameters: PredictionParameters = .typical, typical: TypicalKinetics = .fasted,
    method: any RFactorMethod = Widmark(), threshold: GramsPerKilogram = 0.1,
    model: EliminationModel = .widmark
  ) throws -> SobrietyPrediction {
    try score(
      parameters, typical: typical, method: method, threshold: threshold, model: model
    ).prediction.get()
  }

  private func score(
    _ parameters: PredictionParameters = .typical, typical: TypicalKinetics = .fasted,
    method: any RFactorMethod = Widmark(), threshold: GramsPerKilogram = 0.1,
    model: EliminationModel = .widmark
  ) throws -> Score {
    let options = PredictionOptions(
      parameters: parameters, typical: typical, methods: [method], threshold: threshold,
      model: model)
    let study = Study(name: "one", series: [try SimulatedSeries.series()])
    return try #require(try Scorer(options).scores(of: study).first)
  }

  @Test(arguments: EliminationModel.allCases)
  func intervalContainsThePrediction(model: EliminationModel) throws {
    let prediction = try prediction(model: model)
    let (time, interval) = (try #require(prediction.time), try #require(prediction.interval))
    #expect(interval.low < time.minutes && time.minutes < interval.high)
  }

  /// Known parameters have no spread: the interval shrinks, and is none if r is given, too.
  @Test func knownParametersNarrowTheInterval() throws {
    func width(_ given: PredictionParameters, _ method: any RFactorMethod) throws -> Double? {
      try prediction(given, method: method).interval.map { $0.high - $0.low }
    }
    let all = try #require(try width(.typical, Widmark()))
    let noBeta = try #require(try width(.given([.beta: 0.16]), Widmark()))
    let onlyR = try #require(try width(.given([.ka: 4, .beta: 0.16]), Widmark()))
    let noR = try #require(try width(.typical, GivenRFactor(0.68)))
    #expect(all > noBeta && noBeta > onlyR && all > noR && onlyR > 0)
    #expect(try width(.given([.ka: 4, .beta: 0.16]), GivenRFactor(0.68)) == nil)
    #expect(try width(.fitted(starts: 1), Widmark()) == nil)
  }

  /// The thesis' values come without a spread; its r does not.
  @Test func presetSpreadsByROnly() throws {
    #expect(try prediction(typical: .nacar2021, method: GivenRFactor(0.68)).interval == nil)
    #expect(try prediction(typical: .nacar2021).interval != nil)
  }

  /// beta known, absorption instantaneous: the time is (dose / r - L) / beta, so its ends follow from those of r.
  @Test func intervalAgreesWithClosedForm() throws {
    let given = PredictionParameters.given([.ka: 500, .beta: 0.15])
    let interval = try #require(try prediction(given).interval)
    let point = try #require(try prediction(given).time)
    // ln r is normal with the SD of a CV of 13.9 %; z is 1.645 at 5 and 95 %.
    let series = try SimulatedSeries.series()
    let weight = try #require(series.subject.weight).value
    let dose =
      series.drinks.reduce(0) { $0 + ($1.ethanol.mass(forBodyWeight: nil)?.value ?? 0) } / weight
    let high = 60 * (dose / (0.68 * 0.7965) - dose / 0.68) / 0.15
    let low = 60 * (dose / (0.68 * 1.2556) - dose / 0.68) / 0.15
    // 64 points give a 5 % quantile to about a seventh of the distance.
    #expect(abs(interval.high - point.minutes - high) < 0.15 * high)
    #expect(abs(interval.low - point.minutes - low) < 0.15 * high)
  }

  // MARK: Bands

  private func evaluation(
    _ parameters: PredictionParameters, _ method: any RFactorMethod
  ) throws -> StudyEvaluation {
    try StudyEvaluation(
      of: Study(name: "one", series: [try SimulatedSeries.series()]),
      fitOptions: FitOptions(interval: nil),
      predictionOptions: PredictionOptions(
        parameters: parameters, typical: .fasted, methods: [method], threshold: 0.1),
      bootstrap: Bootstrap(seed: 1, replicates: 20))
  }

  private func band(
    _ parameters: PredictionParameters, _ method: any RFactorMethod = Widmark()
  ) throws -> [(time: Hours, interval: Interval)] {
    let evaluation = try evaluation(parameters, method)
    return evaluation.series[0].band(of: method.name, evaluation.predictionOptions)
  }

  /// beta known, absorption instantaneous: c = dose / r - beta t falls with r, so that the ends are those of r.
  @Test func bandAgreesWithClosedForm() throws {
    let series = try SimulatedSeries.series()
    let weight = try #require(series.subject.weight).value
    let dose =
      series.drinks.reduce(0) { $0 + ($1.ethanol.mass(forBodyWeight: nil)?.value ?? 0) } / weight
    let band = try band(.given([.ka: 500, .beta: 0.15])).filter { $0.time > 1.6 && $0.time < 4 }
    #expect(band.count > 10)
    for (time, interval) in band {
      let at = { (z: Double) in dose / (0.68 * z) - 0.15 * time.value }
      // As of times: 64 points give a 5 % quantile to about a seventh of the distance.
      #expect(abs(interval.low - at(1.2556)) < 0.15 * (at(1) - at(1.2556)))
      #expect(abs(interval.high - at(0.7965)) < 0.15 * (at(0.7965) - at(1)))
    }
  }

  /// The band contains the curve where this is above zero, is nowhere negative, and has no more points than requested.
  @Test func bandContainsTheCurve() throws {
    let evaluation = try evaluation(.typical, Widmark())
    let series = evaluation.series[0]
    let curve = Dictionary(
      uniqueKeysWithValues: zip(series.times, series.predicted[0].concentrations))
    let band = series.band(of: "widmark", evaluation.predictionOptions, most: 50)
    #expect(band.count <= 51 && band.count > 40 && band.last?.time == series.times.last)
    for (time, interval) in band {
      let value = try #require(curve[time]).value
      #expect(interval.low >= 0 && interval.low <= interval.high)
      if value > 0.02 && time > 0.3 { #expect(interval.low < value && value < interval.high) }
    }
    #expect(series.band(of: "seidl", evaluation.predictionOptions).isEmpty)
  }

  @Test func fullyGivenPredictionHasNoBand() throws {
    #expect(try band(.fitted(starts: 1)).isEmpty)
    #expect(try band(.given([.ka: 4, .beta: 0.15]), GivenRFactor(0.68)).isEmpty)
    #expect(try !band(.given([.ka: 4, .beta: 0.15])).isEmpty)
  }

  @Test func intervalIsReproducible() throws {
    #expect(try prediction() == prediction())
  }

  /// A threshold that no curve of the model reaches leaves the upper end open.
  @Test func subjectsNeverAboveAreSoberFromTheStart() throws {
    let peak = try #require(
      try score(threshold: 0.5).parameters?.curve(
        of: SimulatedSeries.series().regimen()
      ).peak?.concentration)
    let interval = try #require(try prediction(threshold: peak * 0.99).interval)
    #expect(interval.low == 0 && interval.high > 0)
  }

  // MARK: Agreement

  @Test func agreementWithReadingsIsReported() throws {
    let series = try SimulatedSeries.series()
    let options = PredictionOptions(methods: [GivenRFactor(0.65)], threshold: 0.1)
    let study = Study(name: "one", series: [series])
    #expect(try Scorer(options).scores(of: study)[0].agreesWithInterval == true)
    let wrong = PredictionOptions(methods: [GivenRFactor(6)], threshold: 0.1)
    #expect(try Scorer(wrong).scores(of: study)[0].agreesWithInterval == false)
    let fitted = PredictionOptions(
      parameters: .fitted(starts: 1), methods: [GivenRFactor(0.65)], threshold: 0.1)
    #expect(try Scorer(fitted).scores(of: study)[0].agreesWithInterval == nil)
  }
}
