import AlcoholKinetics
import Estimation
import FittingSupport
import StudyData
import TestSupport
import Testing

@testable import Validation

/// Diagnostics of the errors of a method beyond their bias, on simulated errors.
@Suite struct ErrorDiagnosticsTests {
  private let method = GivenRFactor(0.65)
  private let times = (1...24).map { Hours(minutes: 12 * Double($0)) }

  /// The comparisons of people who drink 50 g at once and are read 24 times in 288 min, whose readings
  /// differ from what is predicted, far above zero, by errors of one's own choice.
  ///
  /// - Parameters:
  ///   - noise: Standard deviation of an error beside the drift, in g/kg.
  ///   - correlation: Of neighbouring errors.
  ///   - ofPeople: Standard deviation of what all readings of a person are off by, in g/kg.
  ///   - drift: The error in g/kg at a time in h and a prediction in g/kg.
  private func comparisons(
    subjects: Int, occasions: [String?] = [nil], noise: Double = 0.01, correlation: Double = 0,
    ofPeople: Double = 0, drift: (Double, Double) -> Double = { _, _ in 0 }
  ) throws -> [Score] {
    var generator = SeededGenerator(seed: 7)
    let drinks = [Drink(time: 0, ethanol: .mass(50))]
    let regimen = try Regimen(drinks, bodyWeight: SimulatedSeries.man.weight)
    let curve = Trajectory(regimen, try KineticParameters(ka: 4, beta: 0.12, r: 0.65))
    let series = (0..<subjects).flatMap { index in
      let own = ofPeople * generator.nearlyNormal()
      return occasions.map { occasion in
        var error = generator.nearlyNormal()
        let readings = times.map { time in
          let predicted = curve.concentration(at: time).value
          let off = own + noise * error + drift(time.value, predicted)
          error =
            correlation * error
            + (1 - correlation * correlation).squareRoot() * generator.nearlyNormal()
          return Reading(time: time, value: predicted - off, unit: .bloodGramsPerKilogram)
        }
        return Series(
          subject: Subject(
            id: "s\(index)", sex: .male, age: 30, height: 1.8,
            weight: SimulatedSeries.man.weight), occasion: occasion, drinks: drinks,
          readings: readings)
      }
    }
    return try Scorer(
      PredictionOptions(
        parameters: .given(ka: 4, beta: 0.12), methods: [method], threshold: 0)
    ).scores(of: Study(name: "made-up", series: series))
  }

  private func diagnostics(_ comparisons: [Score]) throws -> ErrorDiagnostics {
    let all = ErrorDiagnostics.all(of: comparisons)
    #expect(all.count == 1)
    return try #require(all.first)
  }

  private func codes(_ diagnostics: ErrorDiagnostics) -> [String] {
    ErrorDiagnostics.warnings(of: [diagnostics]).map(\.code)
  }

  @Test func correlatedErrorsAreDetected() throws {
    let found = try diagnostics(comparisons(subjects: 80, correlation: 0.6))
    let lag = try #require(found.autocorrelation)
    #expect(lag.series == 80)
    #expect(abs(lag.lagOne - 0.6) < 0.05)
    #expect(lag.interval.low < 0.6 && 0.6 < lag.interval.high)
    #expect(lag.interval.high - lag.interval.low < 0.1)
    #expect(codes(found) == ["W_ERRORS_CORRELATED"])
    let warning = try #require(ErrorDiagnostics.warnings(of: [found]).first)
    #expect(warning.description.contains("are not independent"))
  }

  /// The correlation is that of neighbours, however few readings a person has.
  @Test func correlationIsDetectedInShortSeries() throws {
    let short = try comparisons(subjects: 400, correlation: 0.6).map(\.series).map { series in
      Series(
        subject: series.subject, drinks: series.drinks, readings: Array(series.readings.prefix(3)))
    }
    let found = try diagnostics(
      Scorer(
        PredictionOptions(
          parameters: .given(ka: 4, beta: 0.12), methods: [method], threshold: 0)
      ).scores(of: Study(name: "short", series: short)))
    let lag = try #require(found.autocorrelation)
    #expect(lag.interval.low < 0.6 && 0.6 < lag.interval.high)
    #expect(abs(lag.lagOne - 0.6) < 0.08)
  }

  @Test func independentErrorsAreNotWarnedOf() throws {
    let found = try diagnostics(comparisons(subjects: 60))
    #expect(codes(found) == [])
    let lag = try #require(found.autocorrelation)
    #expect(agree(lag.expected, -1 / (60.0 * 24 - 1)))
    #expect(lag.interval.low < 0 && 0 < lag.interval.high)
  }

  /// A constant offset of each person is a correlation and no trend; an offset of everybody is no trend either.
  @Test func constantOffsetIsNoTrend() throws {
    let found = try diagnostics(
      comparisons(subjects: 60, ofPeople: 0.05) { _, _ in 0.2 })
    #expect(codes(found) == ["W_ERRORS_CORRELATED"])
    #expect(abs(found.bias - 0.2) < 0.03)
    let lag = try #require(found.autocorrelation)
    // 0.05^2 of 0.05^2 + 0.01^2.
    #expect(abs(lag.lagOne - 25.0 / 26) < 0.02)
    #expect(lag.interval.high <= 1)
  }

  @Test func driftOverTimeIsDetected() throws {
    let found = try diagnostics(
      comparisons(subjects: 40) { time, _ in 0.02 + 0.03 * (time - 2.5) })
    let trend = try #require(found.overTime)
    #expect(trend.isNoteworthy)
    for bin in trend.bins {
      let own = times.map(\.value).filter { $0 > bin.low - 1e-9 && $0 < (bin.high ?? 9) - 1e-9 }
      let drift = own.reduce(0) { $0 + 0.02 + 0.03 * ($1 - 2.5) } / Double(own.count)
      #expect(abs(bin.mean - drift) < 0.005, "\(bin)")
      #expect(bin.readings == 40 * own.count)
      #expect(bin.series == 40)
    }
    let total = trend.bins.reduce(0) { $0 + $1.mean * Double($1.readings) }
    #expect(agree(total / (40 * 24), found.bias))
    #expect(codes(found).contains("W_BIAS_OVER_TIME"))
    let warning = try #require(
      ErrorDiagnostics.warnings(of: [found]).first { $0.code == "W_BIAS_OVER_TIME" })
    #expect(warning.description.contains("0.65 +0.02 g/kg in total, -0.05 at 0-30 min"))
    #expect(warning.description.contains("limits of agreement do not describe"))
  }

  @Test func trendOverConcentrationIsDetected() throws {
    let found = try diagnostics(comparisons(subjects: 40) { _, predicted in 0.2 * predicted })
    let trend = try #require(found.overConcentration)
    #expect(trend.isNoteworthy)
    for bin in trend.bins {
      #expect(bin.mean > 0.2 * bin.low - 0.01)
      #expect(bin.mean < 0.2 * (bin.high ?? 9) + 0.01)
    }
    #expect(codes(found).contains("W_BIAS_OVER_CONCENTRATION"))
  }

  /// Two occasions of a person are one subject's, and the last reading of the one is no neighbour of the
  /// first of the other.
  @Test func occasionsAreGroupedBySubject() throws {
    let found = try diagnostics(
      comparisons(subjects: 30, occasions: ["one", "two"], correlation: 0.6, ofPeople: 0.01))
    #expect(found.subjects == 30)
    let lag = try #require(found.autocorrelation)
    #expect(lag.series == 30)
    // Errors of 0.01 with a correlation of 0.6 beside as much that people have of their own.
    #expect(lag.interval.low < 0.8 && 0.8 < lag.interval.high)
  }

  @Test func fewSubjectsHaveNoDiagnostics() throws {
    let found = try diagnostics(
      comparisons(subjects: 4, occasions: ["one", "two", "three"], correlation: 0.9))
    #expect(found.subjects == 4)
    #expect(found.autocorrelation == nil)
    #expect(found.overTime == nil)
    #expect(codes(found) == [])
  }

  /// One reading each, all at one time, or none that differ: nothing can be told, and nothing fails.
  @Test func degenerateStudiesHaveNoDiagnostics() throws {
    let one = try comparisons(subjects: 8).map(\.series).map { series in
      Series(
        subject: series.subject, drinks: series.drinks, readings: Array(series.readings.prefix(1)))
    }
    let found = try diagnostics(
      Scorer(
        PredictionOptions(
          parameters: .given(ka: 4, beta: 0.12), methods: [method], threshold: 0)
      ).scores(of: Study(name: "one", series: one)))
    #expect(found.autocorrelation == nil)
    #expect(found.overTime?.statistic == nil)
    #expect(found.overTime?.bins.count == 1)
    let equal = try diagnostics(comparisons(subjects: 8, noise: 0) { _, _ in 0.1 })
    #expect(codes(equal) == [])
    #expect(ErrorDiagnostics.all(of: []).isEmpty)
  }
}
