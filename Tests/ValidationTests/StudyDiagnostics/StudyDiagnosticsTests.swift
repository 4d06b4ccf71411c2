import AlcoholKinetics
import FittingSupport
import StudyData
import TestSupport
import Testing

@testable import Estimation
@testable import Validation

/// Diagnostics of all series of a study together, which no single series gives.
@Suite struct StudyDiagnosticsTests {
  /// A study of one drink and 24 readings each.
  ///
  /// - Parameters:
  ///   - correlation: Of neighbouring errors.
  ///   - km: In g/kg; 0 for elimination at a constant rate.
  private func study(
    subjects: Int, correlation: Double = 0, km: Double = 0
  ) throws -> Study {
    var generator = SeededGenerator(seed: 20)
    let series = try (0..<subjects).map { index in
      let ka = PerHour(generator.logUniform(2...6))
      let drinks = [Drink(time: 0, ethanol: .mass(50))]
      let regimen = try Regimen(drinks, bodyWeight: SimulatedSeries.man.weight)
      let times = (1...24).map { Hours(minutes: 12 * Double($0)) }
      let truth: [Double]
      if km > 0 {
        truth = try ModelParameters(
          .michaelisMenten, [.ka: ka.value, .vmax: 0.2, .km: km, .r: 0.65]
        )
        .predictions(of: regimen, at: times.map(\.value))
      } else {
        let curve = Trajectory(regimen, try KineticParameters(ka: ka, beta: 0.12, r: 0.65))
        truth = times.map { curve.concentration(at: $0).value }
      }
      var error = 0.0
      let readings = zip(times, truth).enumerated().map { position, reading in
        let fresh = generator.nearlyNormal()
        error =
          position == 0
          ? fresh : correlation * error + (1 - correlation * correlation).squareRoot() * fresh
        return Reading(
          time: reading.0, value: max(0, reading.1 + 0.01 * error), unit: .bloodGramsPerKilogram)
      }
      return Series(
        subject: Subject(id: "s\(index)", sex: .male, age: 30, height: 1.8, weight: 80),
        drinks: drinks, readings: readings)
    }
    return Study(name: "made-up", series: series)
  }

  private let options = FitOptions(
    estimate: [.ka, .beta, .r], interval: nil, correlation: .independent)
  private let oneStart = FitOptions(
    estimate: [.ka, .beta, .r], starts: StartDesign(count: 1), interval: nil,
    correlation: .independent)

  @Test func correlatedErrorsAreWarnedOf() throws {
    let fits = try StudyFit.fits(of: study(subjects: 40, correlation: 0.6), options: options)
    let diagnostics = StudyDiagnostics(of: fits)
    let lag = try #require(diagnostics.autocorrelation)
    #expect(lag.series == 40)
    #expect(lag.lagOne > 0.25)
    #expect(lag.interval.low < lag.lagOne && lag.lagOne < lag.interval.high)
    #expect(lag.interval.low > 0.1)
    let warning = try #require(diagnostics.warnings.first { $0.code == "W_STUDY_CORRELATED" })
    #expect(warning.description.contains("Intervals that ignore this are too narrow"))
    #expect(warning.description.contains("correlated errors, or robust standard errors"))
    // Options are the command's to name.
    #expect(diagnostics.warnings.allSatisfy { !$0.description.contains("--") })
    // Of single series hardly any says so.
    let alone = fits.count { fit in
      (try? fit.result.get())?.warnings.contains(.residualsNotRandom) == true
    }
    #expect(alone < 10)
  }

  @Test func whitenedResidualsAreNotWarnedOf() throws {
    var options = options
    options.correlation = .exponential(time: nil)
    let fits = try StudyFit.fits(of: study(subjects: 20, correlation: 0.6), options: options)
    let codes = StudyDiagnostics(of: fits).warnings.map(\.code)
    #expect(!codes.contains("W_STUDY_CORRELATED"))
  }

  @Test func rightModelHasExpectedAutocorrelation() throws {
    let fits = try StudyFit.fits(of: study(subjects: 60), options: options)
    let diagnostics = StudyDiagnostics(of: fits)
    let lag = try #require(diagnostics.autocorrelation)
    #expect(diagnostics.warnings == [])
    // A curve of three parameters through 24 readings leaves residuals that alternate a little.
    #expect(lag.expected < -0.05)
    #expect(lag.interval.low < lag.expected && lag.expected < lag.interval.high)
    #expect(lag.pValue > 0.01)
  }

  @Test func fewReadingsLowerExpectedAutocorrelation() throws {
    let short = try study(subjects: 30).series.map { series in
      Series(
        subject: series.subject, drinks: series.drinks,
        readings: series.readings.enumerated().filter { $0.offset % 4 == 1 }.map(\.element))
    }
    let fits = try StudyFit.fits(
      of: Study(name: "short", series: short), options: options)
    let lag = try #require(StudyDiagnostics(of: fits).autocorrelation)
    #expect(lag.expected < -0.2)
    #expect(lag.interval.low < lag.expected && lag.expected < lag.interval.high)
  }

  @Test func saturableEliminationIsWarnedOf() throws {
    let study = try study(subjects: 40, km: 0.15)
    let fits = try StudyFit.fits(of: study, options: options)
    let codes = StudyDiagnostics(of: fits).warnings.map(\.code)
    #expect(codes.contains("W_STUDY_TREND_TIME") || codes.contains("W_STUDY_TREND_CONCENTRATION"))
    // Fewer, from one start each: in a debug build these fits take their time.
    var few = study
    few.series = Array(study.series.prefix(8))
    let selections = try ModelSelection.selections(of: few, options: oneStart)
    let evidence = try #require(
      ModelEvidence.all(of: selections).first { $0.candidate.model == .michaelisMenten })
    #expect(evidence.series == 8)
    #expect(evidence.fall > 2 * evidence.expected)
    #expect(evidence.isNoteworthy)
  }

  @Test func trueWidmarkModelIsNotWarnedOf() throws {
    let selections = try ModelSelection.selections(of: study(subjects: 8), options: oneStart)
    let evidence = ModelEvidence.all(of: selections)
    #expect(evidence.map(\.candidate.name) == ["widmark-lag", "michaelis-menten"])
    for one in evidence {
      #expect(!one.isNoteworthy, "\(one)")
      #expect(one.fall < 1.5 * one.expected)
    }
  }

  /// Fits that are there are taken, and only where they are of the candidate.
  @Test func givenFitsAreReused() throws {
    let study = try study(subjects: 2)
    let known = study.series.map {
      StudyFit(series: $0, rFactor: "known", result: .failure(.curveMissing))
    }
    func failed(_ options: FitOptions, _ known: [StudyFit]) throws -> [String] {
      try ModelSelection.selections(of: study, options: options, known: known)
        .flatMap(\.candidates).filter(\.hasFailed).map(\.candidate.name)
    }
    #expect(try failed(oneStart, known) == ["widmark", "widmark"])
    #expect(try failed(oneStart, []) == [])
    #expect(try failed(oneStart, [known[0]]) == [])
    var other = oneStart
    other.estimate = [.ka, .r]
    other.fixed = [.beta: 0.12]
    #expect(try failed(other, known) == ["widmark", "widmark"])
    other.estimate = [.ka, .r, .lag]
    #expect(try failed(other, known).contains("widmark") == false)
  }

  @Test func fewSeriesHaveNoDiagnostics() throws {
    let fits = try StudyFit.fits(of: study(subjects: 4, correlation: 0.9), options: options)
    let diagnostics = StudyDiagnostics(of: fits)
    #expect(diagnostics.series == 4)
    #expect(diagnostics.autocorrelation == nil)
    #expect(diagnostics.overTime == nil)
    #expect(diagnostics.warnings == [])
  }

  @Test func diagnosticsAreIndependentOfSeriesOrder() throws {
    let fits = try StudyFit.fits(of: study(subjects: 12, correlation: 0.5), options: options)
    let one = try #require(StudyDiagnostics(of: fits).autocorrelation)
    let other = try #require(StudyDiagnostics(of: fits.reversed()).autocorrelation)
    #expect(agree(one.lagOne, other.lagOne))
    #expect(agree(one.interval.low, other.interval.low, relative: 1e-9))
  }

  /// Hotelling's T^2 and the ratio's variance by hand, of made-up sums.
  @Test func statisticsMatchHandCalculation() throws {
    let rows = [
      [0.5, -1, 2, 0.3], [1, 0.2, -0.7, -0.4], [-2, 1, 1, 0.8], [0.1, 0.4, -1, -1.5],
      [0.9, -0.3, 0.2, 0.6],
    ]
    let sums = rows.compactMap { row in
      ResidualSums(
        row.enumerated().map { index, value in
          ResidualSums.Residual(
            time: Double(index), concentration: 1, value: value, leverage: 0.25,
            shared: index == 0 ? nil : 0.125)
        })
    }
    let products = rows.map { row in zip(row, row.dropFirst()).reduce(0) { $0 + $1.0 * $1.1 } }
    let squares = rows.map { row in row.reduce(0) { $0 + $1 * $1 } }
    for index in rows.indices {
      #expect(agree(sums[index].products, products[index]))
      #expect(agree(sums[index].squares, squares[index]))
      #expect(agree(sums[index].expectedProducts, -0.375))
      #expect(agree(sums[index].expectedSquares, 3))
      #expect(
        agree(sums[index].timeMoments[1], rows[index][1] + 2 * rows[index][2] + 3 * rows[index][3]))
    }
  }
}
