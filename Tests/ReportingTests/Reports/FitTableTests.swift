import AlcoholKinetics
import TestSupport
import Testing

@testable import Estimation
@testable import Reporting

/// The table of fits on a terminal.
@Suite struct FitTableTests {
  private func text(
    _ results: [Result<SeriesFit, SeriesFailure>], _ options: FitOptions = FitOptions(),
    occasion: String? = nil, isDetailed: Bool = false
  ) -> String {
    var report = Report.fit(
      KnownFit.study(results, occasion: occasion), options: options, provenance: Sample.provenance
    )
    report.isDetailed = isDetailed
    return report.rendered(as: .table)
  }

  private func table(_ text: String) -> String {
    text.split(separator: "\n").drop { !$0.hasPrefix("subject") }.prefix(4)
      .joined(separator: "\n")
  }

  @Test func roundsForPeople() {
    let text = text([.success(KnownFit.fit()), .failure(.nothingMeasured)], occasion: "fed")
    #expect(
      table(text) == """
        subject  occ.  status   n  k_a               beta                 r      resid. SD
        -------  ----  ------  --  ----------------  -------------------  -----  ---------
        1        fed   ok      20  12.3 (9.50-16.2)  0.150 (0.125-0.175)  0.700      0.050
        2        fed   failed   -  -                 -                    -              -
        """)
  }

  /// A value that the readings do not determine is not shown.
  @Test(arguments: [
    (KnownFit.estimate(18.2, error: 1, 12.1, 30.4, isIdentifiable: true), "18.2 (12.1-30.4)"),
    (KnownFit.estimate(97.3, error: 1, 5.1, nil, isIdentifiable: false), "> 5.10"),
    (KnownFit.estimate(97.3, error: 1, nil, 0.3, isIdentifiable: false), "< 0.300"),
    (KnownFit.estimate(97.3, error: 1, isIdentifiable: false), "?"),
    (KnownFit.estimate(1000, isAtBound: true), "?"),
    (KnownFit.estimate(18.2, error: 1.234), "18.2 +- 1.2"),
    (KnownFit.estimate(18.2), "18.2 +- ?"),
    (KnownFit.estimate(18.2, error: 1e300, 0, .infinity), "?"),
    (KnownFit.estimate(18.2, error: 20, 2, .infinity), "> 2.00"),
  ])
  func tableShowsEstimateOrItsLimits(_ estimate: ParameterEstimate, _ expected: String) {
    let fit = KnownFit.fit(
      values: KnownFit.values([.ka: estimate.value]), estimates: [.ka: estimate])
    #expect(fit.shown(.ka) == expected)
    #expect(text([.success(fit)]).contains("  \(expected)  "))
  }

  @Test func showsLagsInMinutes() {
    let lag = KnownFit.estimate(0.1, error: 0.05, 0, 0.25, isIdentifiable: true)
    let fit = KnownFit.fit(values: KnownFit.values([.lag: 0.1]), estimates: [.lag: lag])
    #expect(fit.shown(.lag) == "6.0 (0.0-15.0)")
  }

  /// A lag of 0 and a gain of 1 go without saying, all else that is fixed does not.
  @Test func tableShowsFixedParameters() {
    let fit = KnownFit.fit(values: KnownFit.values([.lag: 0.5]), estimates: [:])
    #expect(fit.shown(.ka) == "12.3")
    #expect(fit.shown(.lag) == "30.0")
    #expect(fit.shown(.gain) == nil)
    #expect(fit.shown(.vmax) == nil)
  }

  /// A column for each parameter that the error model has.
  @Test(
    arguments: [
      ("additive", 0.0123, nil, "resid. SD", "0.012"),
      ("proportional", nil, 0.125, "CV", "0.12"),
      ("combined", 0.0123, 0.125, "SD at 0 CV", "0.012 0.12"),
    ] as [(String, Double?, Double?, String, String)])
  func tableShowsTheErrorModel(
    _ model: String, _ sd: Double?, _ cv: Double?, _ head: String, _ numbers: String
  ) throws {
    let noise = NoiseEstimate(
      model: model, sd: sd, cv: cv, degreesOfFreedom: 18, rounds: 3, isSettled: true)
    let lines = table(text([.success(KnownFit.fit(noise: noise))])).split(separator: "\n")
      .map { $0.replacing(/\ +/, with: " ") }
    #expect(lines[0].hasSuffix(" r \(head)"))
    #expect(lines[2].hasSuffix(" 0.700 \(numbers)"))
  }

  /// Below it no standard deviation was estimated, so that a likelihood depends on it.
  @Test func tableStatesTheSmallestSD() {
    let noise = NoiseEstimate(
      model: "combined", sd: 0.0123, cv: 0.125, smallestSD: 0.000_288_675, degreesOfFreedom: 18,
      rounds: 3, isSettled: true)
    let text = text(
      [.success(KnownFit.fit(noise: noise))], FitOptions(error: .combined(nil)), isDetailed: true)
    #expect(text.contains("combined error (SD at zero at least 0.00029 g/kg), residual SD"))
  }

  @Test func introducesModelAndIntervals() {
    let options = FitOptions(
      model: .michaelisMenten, estimate: [.ka, .vmax, .km, .lag], error: .proportional(cv: nil),
      interval: IntervalOptions(kind: .residualBootstrap, level: 0.9))
    let text = text([.success(KnownFit.fit())], options, isDetailed: true)
    #expect(
      text.contains(
        """
        Michaelis-Menten elimination, r watson, proportional error, residual SD in g/kg.
        k_a in 1/h, V_max in g/kg/h, K_m in g/kg, r in kg/kg, lag in min.
        In brackets: 90 % intervals, residual bootstrap.
        > x or < x: only a lower or upper limit can be given. ?: undetermined.
        """))
  }

  @Test func linesFitATerminal() {
    for model in EliminationModel.allCases {
      let options = FitOptions(model: model, estimate: model.parameters)
      let text = text([.success(KnownFit.fit())], options)
      #expect(text.split(separator: "\n").allSatisfy { $0.count <= 100 })
    }
  }
}
