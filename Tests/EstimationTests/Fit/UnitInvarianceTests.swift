import AlcoholKinetics
import Foundation
import StudyData
import TestSupport
import Testing

@testable import Estimation

/// A study in another unit, on another clock and under other names has equal verdicts, and numbers equal to 1e-6.
@Suite struct UnitInvarianceTests {
  /// A person with readings to two digits, as a breathalyser shows them in mg/L.
  private static func series(_ seed: UInt64) throws -> Series {
    var random = SeededGenerator(seed: seed)
    let (ka, beta, r) = (
      Double.random(in: 0.8...12, using: &random), Double.random(in: 0.1...0.22, using: &random),
      Double.random(in: 0.5...0.9, using: &random)
    )
    let grams = (10 * Double.random(in: 25...70, using: &random)).rounded() / 10
    let subject = Subject(id: "p\(seed)", sex: .male, weight: 70)
    let drink = Drink(time: 0, duration: Hours(minutes: 15), ethanol: .mass(Grams(grams)))
    let curve = Trajectory(
      try Regimen([drink], bodyWeight: 70),
      try KineticParameters(ka: PerHour(ka), beta: GramsPerKilogramHour(beta), r: RFactor(r)))
    let first = Int.random(in: 20...120, using: &random)
    let readings = stride(from: first, through: 360, by: 20).map { minute -> Reading in
      let time = Hours(minutes: Double(minute))
      let noise = Double.random(in: -0.02...0.02, using: &random)
      let shown = max(0, curve.concentration(at: time).value + noise) * 1.055 / 2.1
      return Reading(
        time: time, value: (shown * 100).rounded() / 100, unit: .breathMilligramsPerLitre)
    }
    return Series(subject: subject, drinks: [drink], readings: readings)
  }

  private static func inAnotherUnit(_ series: Series, _ unit: ConcentrationUnit) -> Series {
    var other = series
    let factors = ConversionFactors()
    other.readings = series.readings.map { reading in
      var reading = reading
      reading.value = unit.value(of: reading.bloodConcentration(using: factors), using: factors)
      reading.unit = unit
      return reading
    }
    return other
  }

  /// As a file in minutes has it.
  private static func shifted(_ series: Series, by minutes: Double) -> Series {
    var other = series
    func moved(_ time: Hours) -> Hours { Hours(minutes: (time.minutes.rounded() + minutes)) }
    other.drinks = series.drinks.map {
      Drink(time: moved($0.time), duration: $0.duration, ethanol: $0.ethanol)
    }
    other.readings = series.readings.map { reading in
      var reading = reading
      reading.time = moved(reading.time)
      return reading
    }
    return other
  }

  /// Each drink as two halves, over the same time.
  private static func halved(_ series: Series) -> Series {
    var other = series
    other.drinks = series.drinks.flatMap { drink -> [Drink] in
      guard case .mass(let grams) = drink.ethanol else { return [drink] }
      let half = Drink(
        time: drink.time, duration: drink.duration, ethanol: .mass(Grams(grams.value / 2)))
      return [half, half]
    }
    return other
  }

  private static func named(_ series: Series) -> Series {
    var other = series
    other.subject.id = "somebody else"
    return other
  }

  private struct Verdict: Equatable {
    let status: FitStatus
    let identifiable: [FitParameter: Bool?]
    let warnings: [String]

    init(_ fit: Result<SeriesFit, SeriesFailure>) {
      status = fit.status
      let found = try? fit.get()
      identifiable = (found?.estimates ?? [:]).mapValues(\.isIdentifiable)
      warnings = found?.warnings.map(\.code) ?? []
    }
  }

  private static func haveEqualNumbers(
    _ one: Result<SeriesFit, SeriesFailure>, _ other: Result<SeriesFit, SeriesFailure>
  ) -> Bool {
    guard let one = try? one.get(), let other = try? other.get() else { return true }
    return one.estimates.allSatisfy { parameter, estimate in
      guard let twin = other.estimates[parameter] else { return false }
      let pairs = [
        (estimate.isIdentifiable == true ? estimate.value : nil, twin.value as Double?),
        (estimate.low, twin.low), (estimate.high, twin.high),
      ]
      return pairs.allSatisfy { one, other in
        guard let one else { return true }
        return other.map { agree(one, $0, relative: 1e-6) } ?? false
      }
    }
  }

  /// The options for which a last bit decided the verdict on the study in the articles.
  @Test(arguments: [ErrorModel.additive(sd: nil), .proportional(cv: nil)])
  func roundingDoesNotChangeVerdicts(_ error: ErrorModel) throws {
    let options = FitOptions(estimate: [.ka, .beta, .r], error: error)
    let fitter = try SeriesFitter(options: options)
    func fit(_ series: Series) -> Result<SeriesFit, SeriesFailure> {
      Result { () throws(SeriesFailure) in try fitter.fit(series) }
    }
    var (different, apart) = (0, 0)
    for seed in 1...150 {
      let series = try Self.series(UInt64(seed))
      let known = fit(series)
      for other in [
        Self.inAnotherUnit(series, .bloodGramsPerLitre),
        Self.inAnotherUnit(series, .bloodMilligramsPer100Millilitres),
        Self.inAnotherUnit(series, .bloodGramsPerKilogram),
        Self.shifted(series, by: 137), Self.named(series), Self.halved(series),
      ] {
        let twin = fit(other)
        if Verdict(twin) != Verdict(known) { different += 1 }
        if !Self.haveEqualNumbers(known, twin) { apart += 1 }
      }
    }
    #expect(different == 0 && apart == 0, "\(different) verdicts, \(apart) numbers")
  }

  /// What has few decimals stays what it is; what a conversion leaves of them goes.
  @Test func settlingRemovesConversionRounding() {
    #expect(RoundedInput.level(0.652) == 0.652)
    let factors = ConversionFactors()
    #expect(
      RoundedInput.level(
        ConcentrationUnit.breathMilligramsPerLitre.bloodConcentration(of: 0.35, using: factors)
          .value)
        == RoundedInput.level(
          ConcentrationUnit.bloodGramsPerLitre.bloodConcentration(of: 0.735, using: factors).value))
    #expect(
      RoundedInput.elapsed(Hours(minutes: 157), since: Hours(minutes: 137))
        == Hours(minutes: 20).value)
    #expect(RoundedInput.elapsed(Hours(1.0 / 3), since: 0) == 1.0 / 3)
  }
}

/// Flip-flop: k_a and k_e may be exchanged, and r makes up for it.
@Suite struct EqualMinimumTests {
  /// Made from k_a 0.5, k_e 2 /h and r 0.7, to four digits; 2, 0.5 and 2.8 give the same curve.
  private static let series: Series = {
    let values = [
      (0.25, 0.0751), (0.5, 0.1118), (0.75, 0.1263), (1, 0.1282), (1.5, 0.1150), (2, 0.0951),
      (3, 0.0600), (4, 0.0367), (6, 0.0135), (8, 0.0050),
    ]
    return Series(
      subject: Subject(id: "1", sex: .male, weight: 70),
      drinks: [Drink(time: 0, ethanol: .mass(40))],
      readings: values.map {
        Reading(time: Hours($0.0), value: $0.1, unit: .bloodGramsPerKilogram)
      })
  }()

  @Test(arguments: [IntervalOptions.Kind.profile, .wald])
  func equalMinimaAreReportedAndThePlausibleIsShown(_ kind: IntervalOptions.Kind) throws {
    let options = FitOptions(
      model: .firstOrder, estimate: [.ka, .ke, .r], interval: IntervalOptions(kind: kind))
    let fit = try SeriesFitter(options: options).fit(Self.series)
    let r = try #require(fit.estimates[.r])
    #expect(agree(r.value, 0.7, relative: 0.01))
    #expect(agree(fit.values[.ka], 0.5, relative: 0.02))
    #expect(fit.status != .implausible)
    let other = try #require(
      fit.warnings.lazy.compactMap { warning -> [FitParameter: Double]? in
        if case .equalMinimum(let values) = warning { values } else { nil }
      }.first)
    #expect(agree(other[.r], 2.8, relative: 0.01))
    // The interval holds both, or there is none.
    #expect((r.low ?? 0) <= 0.7 && (r.high ?? .infinity) >= 2.7)
    let bounded = try SeriesFitter(
      options: FitOptions(
        model: .firstOrder, estimate: [.ka, .ke, .r], bounds: [.r: 0.3...1.2])
    ).fit(Self.series)
    #expect(!bounded.warnings.map(\.code).contains("W_EQUAL_MINIMUM"))
    #expect(agree(bounded.values[.r], r.value, relative: 1e-6))
  }
}
