import AlcoholKinetics
import StudyData
import TestSupport
import Testing

@testable import Estimation
@testable import Reporting

/// The answer and the remarks that come before the table of fits.
@Suite struct FitRemarksTests {
  private typealias Fitted = Result<SeriesFit, SeriesFailure>

  /// Everything that there is to warn of.
  private static let everything: [FitWarning] = [
    .aboveDose, .nothingAbsorbed, .kaRange, .betaRange, .rRange, .rPublishedRange,
    .notConverged(.noProgress), .atBound(.ka), .notIdentifiable(.ka, low: 1, high: nil),
    .priorDominated(.beta, ratio: 0.9), .outsidePrior("age"), .singleStart, .degreesOfFreedom(0),
    .degreesOfFreedom(1),
    .equalMinimum([.r: 2.8]),
    .limbShort, .notSettled, .beforeDrinking([0]), .curveAtZero([3, 4, 5, 6]),
    .outlyingReadings([1, 2]), .residualsNotRandom, .zeroInterval, .zerosAsRead,
  ]

  private func screen(
    _ results: [Fitted], names: ((Int) -> String)? = nil
  ) throws -> Report.FirstScreen {
    var fits = KnownFit.study(results)
    if let names {
      fits = results.enumerated().map {
        StudyFit(series: Sample.series(of: names($0)), rFactor: "watson", result: $1)
      }
    }
    let report = Report.fit(fits, options: FitOptions(), provenance: Sample.provenance)
    return try #require(report.firstScreen)
  }

  private func lines(_ screen: Report.FirstScreen, width: Int = 100) -> [Substring] {
    screen.remarks.flatMap { $0.printable.wrapped(to: width, indent: "").split(separator: "\n") }
  }

  private static func fit(
    _ warnings: [FitWarning] = [], open: [FitParameter] = [], readings: [FittedReading] = []
  ) -> Fitted {
    var estimates = KnownFit.estimates
    for parameter in open {
      estimates[parameter] = KnownFit.estimate(12, 4.5, isIdentifiable: false)
    }
    return .success(KnownFit.fit(estimates: estimates, readings: readings, warnings: warnings))
  }

  @Test func theAnswerCountsSeries() throws {
    let answers: [([Fitted], String)] = [
      ([Self.fit(), Self.fit()], "All 2 series determine k_a and beta."),
      ([Self.fit()], "The readings determine k_a and beta."),
      ([Self.fit(open: [.ka])], "The readings do not determine k_a."),
      (
        [Self.fit([.equalMinimum([.ka: 2, .r: 2.8])])],
        "Two sets of values of k_a and beta fit equally well: those below, which people are more likely to have, and"
      ),
      (
        [Self.fit(), Self.fit(open: [.ka])],
        "1 of 2 series determine k_a and beta; undetermined: k_a in 1."
      ),
      (
        [Self.fit(open: [.ka]), Self.fit(open: [.ka, .beta])], "No series determines k_a and beta;"
      ),
      (
        [Self.fit(), .failure(.nothingMeasured), Self.fit()],
        "2 of 3 series could be fitted. 2 of 3 series determine k_a and beta."
      ),
      ([.failure(.nothingMeasured)], "No series could be fitted."),
      ([], "No series could be fitted."),
    ]
    for (results, expected) in answers {
      let answer = try screen(results).answer[0]
      #expect(answer.hasPrefix(expected), "\(answer)")
    }
  }

  @Test func singleFitHasNoTypicalValue() throws {
    #expect(try !screen([Self.fit()]).answer[0].contains("Typical"))
    // Intervals that lie apart, so that people differ; the geometric mean of 2 and 8 is 4.
    let two = try screen(
      [2.0, 8].map { ka in
        var estimates = KnownFit.estimates
        estimates[.ka] = KnownFit.estimate(
          ka, error: 0.001, 0.999 * ka, 1.001 * ka, isIdentifiable: true)
        return .success(KnownFit.fit(estimates: estimates, readings: []))
      }
    ).answer[0]
    #expect(two.contains(" Typical (spread between people): k_a 4.00 /h ("), "\(two)")
  }

  @Test func remarksAreGroupedBySeries() throws {
    let odd: [FitWarning] = [.aboveDose, .rRange, .outlyingReadings([Hours(minutes: 140)])]
    let remarks = try screen([Self.fit(odd), Self.fit(), Self.fit([.aboveDose])]).remarks
    #expect(
      remarks.first == "Look at: readings above what the dose can give [1/fed, 3/fed]; "
        + "high r, dose or weight too high? [1/fed: 0.700]; "
        + "readings off the curve by 3 SD [1/fed at 140 min].")
    #expect(remarks.last?.contains("--details") == true)
  }

  @Test func failuresAreNamedWithTheirCode() throws {
    let remarks = try screen([.failure(.nothingMeasured), Self.fit()]).remarks
    #expect(remarks[0] == "Not fitted: every reading is zero (E_NOTHING_MEASURED) [1/fed].")
  }

  @Test func lateReadingsAreRemarked() throws {
    let late = [
      FittedReading(
        time: Hours(minutes: 160), observed: 0.5, limit: nil, use: .quantified, predicted: 0.5,
        standardDeviation: nil, standardisedResidual: nil, leverage: nil, cookDistance: nil)
    ]
    let open = FitWarning.notIdentifiable(.ka, low: 1, high: nil)
    let remarks = try screen([Self.fit([open], open: [.ka], readings: late)]).remarks
    #expect(
      remarks[0] == "Look at: no reading in the first hour, k_a undetermined [1/fed: 160 min].")
  }

  /// Remarks stay short for any number of findings and people, and for any names.
  @Test(arguments: [1, 4, 30, 5000]) func remarksStayShort(count: Int) throws {
    let results = (0..<count).map { index -> Fitted in
      switch index % 7 {
      case 0: .failure(FailureCase.all[index % FailureCase.all.count].failure)
      default: Self.fit(Self.everything, open: [.ka, .beta], readings: KnownFit.readings)
      }
    }
    let plain = try screen(results)
    #expect(lines(plain).count <= 12, "\(plain.remarks)")
    #expect(plain.answer.joined().count < 400)
    let hostile = try screen(results) { "\(HostileNames.all[$0 % HostileNames.all.count])\($0)" }
    let shown = lines(hostile)
    #expect(shown.count <= 12, "\(hostile.remarks)")
    #expect(HostileNames.isHarmless(shown.joined(separator: "\n")))
    #expect(lines(plain, width: 60).allSatisfy { $0.count <= 60 })
  }

  /// Taken one at a time, as rows are written, or all at once.
  @Test func remarksAreTheSameOneByOneOrAtOnce() {
    let fits = KnownFit.study((0..<20).map { _ in Self.fit(Self.everything) })
    var remarks = FitRemarks()
    for fit in fits { remarks.add(fit) }
    #expect(remarks.lines == FitRemarks(of: fits).lines)
    #expect(FitRemarks().lines == [])
  }

  @Test func detailsHaveEverything() {
    var report = Report.fit(
      KnownFit.study([Self.fit([.aboveDose])]), options: FitOptions(), provenance: Sample.provenance
    )
    #expect(!report.rendered(as: .table).contains("W_ABOVE_DOSE"))
    report.isDetailed = true
    #expect(report.rendered(as: .table).contains("W_ABOVE_DOSE: "))
  }
}
