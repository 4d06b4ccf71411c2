import AlcoholKinetics
import Estimation
import Population
import StudyData
import TestSupport
import Testing

/// Figures of other programs and papers: see SOURCE.md beside the data.
@Suite(.enabled(if: Yardstick.isThere, "the data may not be shipped")) struct YardstickTests {
  // MARK: Wang 2007

  private static func wang(_ method: PopulationMethod) throws -> Double {
    let model = PopulationModel(
      .firstOrder, random: [.kinetic(.ke)], error: .proportional(cv: 0.1.squareRoot()),
      fixed: [.r: 1])
    let values = PopulationValues(
      typical: [Yardstick.log(0.5)], between: [0.04], cv: 0.1.squareRoot())
    return try PopulationFit(
      evaluating: values, of: try Yardstick.wang(), model: model,
      options: PopulationFit.Options(method: method, nodes: 15)
    ).objective
  }

  @Test(arguments: [
    (PopulationMethod.fo, 39.213), (.foce, 39.207), (.focei, 39.458), (.quadrature, 39.3548),
  ])
  func wangsObjectives(_ method: PopulationMethod, _ expected: Double) throws {
    #expect(abs(try Self.wang(method) - expected) < 1e-3)
  }

  // MARK: Warfarin

  private static let warfarinModel = PopulationModel(
    .firstOrder, random: [.kinetic(.ka), .kinetic(.r), .clearance], error: .proportional(cv: nil))

  private static let warfarinValues = PopulationValues(
    // In the order k_a, r, clearance.
    typical: [0.811, 0.7737, 0.01327].map(Yardstick.log),
    between: [0.336, 0, 0, 0, 0.0096, 0, 0, 0, 0.0286], cv: 0.0106)

  /// To all printed digits where the values are NONMEM's, which are printed to four digits.
  @Test func warfarinAtGivenValues() throws {
    let study = try Yardstick.warfarin()
    let focei = try PopulationFit(
      evaluating: Self.warfarinValues, of: study, model: Self.warfarinModel)
    #expect(abs(focei.objective - -286.004219) < 1e-5, "\(focei.objective)")
    let quadrature = try PopulationFit(
      evaluating: Self.warfarinValues, of: study, model: Self.warfarinModel,
      options: PopulationFit.Options(method: .quadrature, nodes: 9))
    #expect(abs(quadrature.objective - -285.977) < 1e-3, "\(quadrature.objective)")
  }

  @Test func warfarinIsFoundFromPoorStarts() throws {
    let study = try Yardstick.warfarin()
    for start: [PopulationParameter: Double] in [
      [.kinetic(.ka): 3, .kinetic(.r): 0.2, .clearance: 0.1],
      [.kinetic(.ka): 0.2, .kinetic(.r): 2, .clearance: 0.003],
    ] {
      let fit = try PopulationFit(
        study, model: Self.warfarinModel, options: PopulationFit.Options(starts: 1, start: start))
      #expect(fit.isConverged)
      // The values above are rounded; the minimum is a little lower than there.
      #expect(fit.objective < -286.004 && fit.objective > -286.02, "\(fit.objective)")
      #expect(agree(fit.values.typical[2], Yardstick.log(0.01327), relative: 2e-3))
    }
  }

  // MARK: Theophylline

  /// nlme alternates between two linearised problems, and ends within 1e-3 of the same likelihood.
  @Test func theophyllineIsNlmes() throws {
    let model = PopulationModel(
      .firstOrder, random: [.kinetic(.ka), .kinetic(.ke), .clearance])
    let fit = try PopulationFit(try Yardstick.theophylline(), model: model)
    #expect(fit.isConverged)
    #expect(fit.readingCount == 132)
    let logLikelihood = -0.5 * fit.minusTwoLogLikelihood
    #expect(abs(logLikelihood - -177.0233) < 1e-2, "\(logLikelihood) \(fit.values)")
    for (value, expected) in zip(fit.values.typical, [0.4655, -2.4547, -3.2272]) {
      #expect(abs(value - expected) < 5e-3, "\(value) \(expected)")
    }
  }

  // MARK: Modes

  @Test func modesAreNONMEMs() throws {
    let model = PopulationModel(
      .firstOrder, random: [.kinetic(.ka), .kinetic(.r), .clearance], error: .proportional(cv: nil))
    let values = PopulationValues(
      typical: [1, 0.05, 4.0 / 70 * 0.05].map(Yardstick.log), between: [0.2, 0, 0, 0, 0.2, 0, 0, 0, 0.2],
      cv: 0.05.squareRoot())
    let fit = try PopulationFit(evaluating: values, of: try Yardstick.map001(), model: model)
    let expected = try Yardstick.rows("map-001-nonmem")
    #expect(fit.individuals.count == expected.count)
    for (person, row) in zip(fit.individuals, expected) {
      #expect(person.subject == row["ID"])
      let etas = try ["ETA3_KA", "ETA2_VC", "ETA1_CL"].map { try row.number($0) ?? .nan }
      for (eta, other) in zip(person.effects, etas) {
        #expect(abs(eta - other) < 1e-4, "\(person.subject) \(person.effects) \(etas)")
      }
    }
  }

  // MARK: Recovery

  /// The typical values of 120 people whose own are known, within two standard errors.
  @Test func saturableEliminationIsRecovered() throws {
    let model = PopulationModel(
      .michaelisMenten, random: [.kinetic(.ka), .kinetic(.r), .kinetic(.vmax), .kinetic(.km)],
      isFull: true, error: .proportional(cv: nil))
    let fit = try PopulationFit(
      try Yardstick.saturable(), model: model, options: PopulationFit.Options(starts: 1, jobs: 2))
    #expect(fit.individuals.count == 120)
    let rows = try Yardstick.rows("oral-1cpt-mm").filter { $0["EVID"] == "1" }
    func mean(_ value: ([String: String]) throws -> Double) rethrows -> Double {
      try rows.reduce(0) { $0 + Yardstick.log(try value($1)) } / Double(rows.count)
    }
    let truth = [
      try mean { try $0.known("KA") }, try mean { try $0.known("V") / 70 },
      try mean { try $0.known("VM") / $0.known("V") / 1000 }, try mean { try $0.known("KM") / 1000 },
    ]
    let errors = try #require(fit.uncertainty).typical
    // In the order of the parameters: k_a, r, V_max, K_m.
    for (place, expected) in truth.enumerated() {
      let error = try #require(errors[place])
      #expect(
        abs(fit.values.typical[place] - expected) < 2 * error,
        "\(fit.model.parameters[place]) \(fit.values.typical[place]) \(expected) \(error)")
    }
  }
}
