import AlcoholKinetics
import Certification
import Estimation
import FittingSupport
import StudyData
import Synchronization
import TestSupport
import Testing
import Validation

/// A series that a program has put together is checked wherever it is evaluated: none of them ends in a
/// result that looks like one, and none in a crash.
@Suite struct MemorySeriesTests {
  private static let spoilt: [(code: String, change: @Sendable (inout Series) -> Void)] = [
    ("E_RANGE", { $0.readings[5].value = -0.1 }),
    ("E_NUMBER", { $0.readings[5].value = .nan }),
    ("E_NUMBER", { $0.readings[5].value = .infinity }),
    ("E_NUMBER", { $0.readings[5].time = Hours(.nan) }),
    ("E_NUMBER", { $0.readings[5].limitOfDetection = .nan }),
    ("E_RANGE", { $0.readings[53].time = 1e9 }),
    ("E_TIME", { $0.readings[0].time = -14 }),
    ("E_NUMBER", { $0.drinks[1].time = Hours(.nan) }),
    ("E_RANGE", { $0.drinks[1].duration = -1 }),
    ("E_NUMBER", { $0.drinks[1].ethanol = .mass(Grams(.nan)) }),
    ("E_RANGE", { $0.drinks[1].ethanol = .mass(-20) }),
    ("E_NUMBER", { $0.subject.weight = Kilograms(.nan) }),
    ("E_RANGE", { $0.subject.weight = -80 }),
    ("E_RANGE", { $0.subject.weight = 0 }),
    ("E_RANGE", { $0.subject.height = 18 }),
    ("E_NUMBER", { $0.subject.age = Years(.nan) }),
  ]

  private func code<Value>(_ result: Result<Value, SeriesFailure>) -> String {
    switch result {
    case .success: "ok"
    case .failure(let failure): failure.code
    }
  }

  private func codes(of series: Series) throws -> [String: Set<String>] {
    let study = Study(name: "made", series: [series])
    var codes: [String: Set<String>] = [:]
    let options = FitOptions(starts: StartDesign(count: 1), interval: nil)
    codes["fit"] = Set(try StudyFit.fits(of: study, options: options).map { code($0.result) })
    codes["michaelis-menten"] = Set(
      try StudyFit.fits(
        of: study,
        options: FitOptions(
          model: .michaelisMenten, estimate: [.ka, .vmax, .km], starts: StartDesign(count: 1),
          interval: nil)
      ).map { code($0.result) })
    codes["models"] = Set(
      try ModelSelection.selections(of: study, options: options).flatMap(\.candidates).map {
        code($0.result)
      })
    codes["line"] = Set(
      try EliminationLineFit.fits(of: study, options: EliminationLineOptions()).map {
        code($0.result)
      })
    codes["sober"] = Set(
      try Scorer().scores(of: study).map { code($0.prediction) })
    codes["fitted"] = Set(
      try Scorer(PredictionOptions(parameters: .fitted(starts: 1)))
        .scores(of: study).map { code($0.prediction) })
    var given = series
    given.predictions = [series.asPrediction(by: "app")]
    codes["curve"] = Set(
      try Scorer(PredictionOptions(methods: [], models: ["app"]))
        .scores(of: Study(name: "made", series: [given])).map { code($0.prediction) })
    codes["compare"] = Set(
      try Scorer(PredictionOptions()).scores(of: study).map { code($0.curve) })
    codes["simulate"] = try simulated(study)
    return codes
  }

  /// Curves say why there is none in words.
  private func simulated(_ study: Study) throws -> Set<String> {
    let found = Collected()
    _ = try SimulatedCurves(options: PredictionOptions(), everyMinutes: 30, end: 60)
      .forEach(of: StudyStream(study)) { curves in
        found.add(curves.curves.map { _ in "ok" })
        found.add(
          curves.reasons.map { reason in
            String(reason.split(separator: ":")[1].drop { $0 == " " })
          })
      }
    return found.all
  }

  @Test(arguments: spoilt.indices)
  func invalidSeriesGiveNoResult(_ index: Int) throws {
    var series = try SimulatedSeries.series()
    Self.spoilt[index].change(&series)
    for (name, codes) in try codes(of: series) {
      #expect(codes == [Self.spoilt[index].code], "\(name)")
    }
    // Nothing to be had, and no crash.
    _ = try StudyEvaluation(
      of: Study(name: "made", series: [series]),
      fitOptions: FitOptions(starts: StartDesign(count: 1), interval: nil),
      predictionOptions: PredictionOptions(), bootstrap: Bootstrap(seed: 1, replicates: 20))
  }

  @Test func validSeriesGiveAResult() throws {
    let codes = try codes(of: try SimulatedSeries.series())
    for name in ["fit", "models", "sober", "compare", "simulate"] {
      #expect(codes[name]?.contains("ok") == true, "\(name)")
    }
  }

  /// Drinks and readings may come in any order.
  @Test func orderOfDrinksAndReadingsIsIgnored() throws {
    let series = try SimulatedSeries.series()
    var other = series
    other.drinks.reverse()
    other.readings.reverse()
    #expect(try codes(of: other) == codes(of: series))
    let fitter = try SeriesFitter(options: FitOptions(starts: StartDesign(count: 2)))
    #expect(try fitter.fit(other).values == fitter.fit(series).values)
    #expect(
      try Scorer().scores(of: Study(name: "", series: [other]))[0].deviation
        == Scorer().scores(of: Study(name: "", series: [series]))[0].deviation)
  }

  /// Asked for in any order, the curve is the same.
  @Test func curveTimesMayBeUnordered() throws {
    let series = try SimulatedSeries.series()
    let fit = try SeriesFitter(options: FitOptions(starts: StartDesign(count: 2))).fit(series)
    let times: [Hours] = [3, 0.5, 8, 1, 0.5]
    let points = fit.band(at: times, level: 0.95)
    #expect(points.map(\.time) == times)
    for point in points {
      let alone = try #require(fit.band(at: [point.time], level: 0.95).first)
      #expect(abs((point.concentration - alone.concentration).value) < 1e-12)
    }
    #expect(fit.band(at: [1, Hours(.nan)], level: 0.95).isEmpty)
  }

  @Test func measuredSobrietyTakesReadingsInAnyOrder() {
    let readings = [(2.0, 0.0), (1, 0.3), (3, 0), (Double.nan, 0.5), (0.5, .nan)].map {
      Reading(time: Hours($0), value: $1, unit: .bloodGramsPerKilogram)
    }
    #expect(
      MeasuredSobriety(
        readings: readings, threshold: 0, start: 0, factors: ConversionFactors())
        == .reached(lastAbove: 1, first: 2))
  }
}

/// Results that several threads collect.
private final class Collected: Sendable {
  private let values = Mutex<Set<String>>([])

  var all: Set<String> { values.withLock { $0 } }

  func add(_ new: [String]) {
    values.withLock { $0.formUnion(new) }
  }
}
