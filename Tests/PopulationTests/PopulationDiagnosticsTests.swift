import AlcoholKinetics
import Estimation
import StudyData
import TestSupport
import Testing

@testable import Population

/// Residuals and simulations of population fits.
@Suite struct PopulationDiagnosticsTests {
  // MARK: A study that the model made

  private static let ka = PopulationParameter.kinetic(.ka)
  private static let beta = PopulationParameter.kinetic(.beta)
  private static let r = PopulationParameter.kinetic(.r)

  private static let model = PopulationModel(random: [ka, beta, r])
  private static let truth = PopulationValues(
    typical: [3, 0.16, 0.68].map(Yardstick.log), between: [0.09, 0, 0, 0, 0.03, 0, 0, 0, 0.02],
    sd: 0.03)

  private static func subject(_ index: Int) -> Subject {
    let shoe = index == 0 ? "" : String(40 + index % 5)
    return Subject(
      id: "p\(index)", sex: index % 2 == 0 ? .female : .male, age: Years(20 + Double(index % 50)),
      weight: 70, covariates: ["site": "1", "shoe": shoe])
  }

  /// Subjects measured while there is alcohol to be seen, with readings that the model's own simulation made.
  private static func study(
    _ people: Int, replicate: Int = 0, limit: Double? = nil,
    times: [Double] = [0.25, 0.5, 0.8, 1.3, 2, 2.8]
  ) throws -> [Series] {
    let readings = times.map {
      Reading(time: Hours($0), value: 0.5, unit: .bloodGramsPerKilogram)
    }
    let empty = (0..<people).map { index in
      Series(
        subject: subject(index), drinks: [Drink(time: 0, ethanol: .perBodyWeight(0.9))],
        readings: readings)
    }
    let simulation = try #require(
      PopulationSimulation(
        try PopulationData(empty, instrument: nil, model, centers: nil, jobs: 1), model, truth,
        seed: 1000 + UInt64(replicate / 8)))
    return zip(empty, simulation.data.all).map { series, person in
      var series = series
      for (index, lanes) in simulation.replicates(person, batch: 0).enumerated() {
        let level = lanes[replicate % 8]
        series.readings[index] = Reading(
          time: series.readings[index].time,
          value: limit.map { level < $0 ? 0 : level } ?? level, unit: .bloodGramsPerKilogram,
          limitOfDetection: limit)
      }
      return series
    }
  }

  private static func diagnostics(
    _ study: [Series], _ values: PopulationValues = truth, _ model: PopulationModel = model,
    simulations: Int = 500, jobs: Int = 2, method: PopulationMethod = .focei
  ) throws -> PopulationDiagnostics {
    let fit = try PopulationFit(
      evaluating: values, of: study, model: model, options: .init(method: method, jobs: jobs))
    return try PopulationDiagnostics(
      of: fit, study, options: .init(simulations: simulations, seed: 3, jobs: jobs))
  }

  /// The largest distance between the distribution of some numbers and the standard normal one, in units of
  /// its 1 % point 1.63 / sqrt(n) (Kolmogorov 1933).
  private static func distance(_ values: [Double]) -> Double {
    let n = Double(values.count)
    return values.sorted().enumerated().map { rank, value in
      // -2 ln Phi is what a reading below its limit costs.
      let share = Yardstick.exp(-0.5 * BelowLimit.cost(value))
      return max(abs(share - Double(rank) / n), abs(share - Double(rank + 1) / n))
    }.reduce(0, max) * n.squareRoot() / 1.63
  }

  // MARK: The right model, and wrong ones

  @Test func residualsOfTheRightModelAreStandardNormal() throws {
    let all = try Self.diagnostics(try Self.study(120))
    #expect(all.readings.count == 720)
    let (cwres, npde) = (all.readings.compactMap(\.cwres), all.readings.compactMap(\.npde))
    #expect(cwres.count == 720 && npde.count == 720)
    #expect(Self.distance(cwres) < 1, "\(Self.distance(cwres))")
    #expect(Self.distance(npde) < 1, "\(Self.distance(npde))")
    for test in [all.cwres, all.npde] {
      let test = try #require(test)
      #expect(test.meanPValue > 0.01 && (test.variancePValue ?? 0) > 0.01, "\(test)")
    }
  }

  /// Readings that are drawn anew leave NPDE normal, and their variance what it was.
  @Test(arguments: [0.5, 0.65]) func readingsBelowDetectionAreNormalToo(_ limit: Double) throws {
    let seen = try Self.diagnostics(try Self.study(120))
    let all = try Self.diagnostics(try Self.study(120, limit: limit))
    let below = all.readings.filter(\.isBelowDetection)
    #expect(below.count > 15 && below.allSatisfy { $0.cwres == nil && $0.npde != nil })
    let npde = all.readings.compactMap(\.npde)
    #expect(npde.count == all.readings.count && npde.count > 700)
    #expect(Self.distance(npde) < 1, "\(Self.distance(npde))")
    let variances = try [seen, all].map { try #require($0.npde?.variance) }
    #expect(abs(variances[0] - variances[1]) < 0.05, "\(variances)")
    let fractions = all.predictiveCheck.rows.filter { $0.kind == .belowDetection }
    #expect(fractions.count(where: \.isInside) >= fractions.count - 1 && fractions.count > 4)
  }

  /// Each value is wrong, and how.
  @Test(arguments: [
    ("omega too small", 0.25, 1.0), ("omega too large", 4, 1), ("error too small", 1, 0.5),
    ("error too large", 1, 2),
  ])
  func wrongModelsFailDiagnostics(_ name: String, _ omega: Double, _ sd: Double) throws {
    var wrong = Self.truth
    wrong.between = wrong.between.map { omega * $0 }
    wrong.sd *= sd
    let all = try Self.diagnostics(try Self.study(120), wrong)
    let test = try #require(all.npde)
    let (variance, p) = (try #require(test.variance), try #require(test.variancePValue))
    let isNarrow = omega < 1 || sd < 1
    #expect(isNarrow ? variance > 1.2 : variance < 0.85, "\(name) \(variance)")
    #expect(p < 1e-3, "\(name) \(p)")
    let bands = all.predictiveCheck.rows.filter { $0.kind == .concentration && $0.percentile != 50 }
    let outside = bands.count { !$0.isInside }
    // A residual error of a third of what differs between subjects does not show in percentiles.
    if omega != 1 { #expect(outside > bands.count / 3, "\(name) \(outside)") }
  }

  /// Tables that mark censored readings have the limit in these rows alone: it holds for the others as well.
  @Test func theLimitOfAStudyHoldsForAllReadings() throws {
    let whole = try Self.study(30, replicate: 0, limit: 0.75)
    let sparse = whole.map { series in
      var series = series
      for index in series.readings.indices
      where series.readings[index].value >= series.readings[index].limitOfDetection ?? 0 {
        series.readings[index].limitOfDetection = nil
      }
      return series
    }
    func rows(_ study: [Series]) throws -> [PredictiveCheck.Row] {
      try Self.diagnostics(study, simulations: 100).predictiveCheck.rows
        .filter { $0.kind == .belowDetection }
    }
    let (one, other) = (try rows(whole), try rows(sparse))
    #expect(one.map(\.readings) == other.map(\.readings))
    #expect(one.map(\.observed) == other.map(\.observed))
    #expect(other.contains { ($0.observed ?? 0) < 1 })
  }

  @Test func predictiveBandsHaveNominalCoverage() throws {
    var (inside, all) = ([PredictiveCheck.Kind: Int](), [PredictiveCheck.Kind: Int]())
    for replicate in 0..<24 {
      let check = try Self.diagnostics(
        try Self.study(30, replicate: replicate, limit: 0.75), simulations: 200
      ).predictiveCheck
      for row in check.rows {
        all[row.kind, default: 0] += 1
        inside[row.kind, default: 0] += row.isInside ? 1 : 0
      }
    }
    for kind in PredictiveCheck.Kind.allCases {
      let (count, hits) = (Double(all[kind] ?? 0), Double(inside[kind] ?? 0))
      // Percentiles of one study go together: their effective number is taken for a third. A fraction that can
      // be few values is inside more often.
      let slack = 3 * (0.95 * 0.05 / (count / 3)).squareRoot()
      #expect(count >= 24 && abs(hits / count - 0.96) < slack + 0.01, "\(kind) \(hits / count)")
    }
  }

  // MARK: Promises

  @Test func threadCountDoesNotChangeDiagnostics() throws {
    let study = try Self.study(9, limit: 0.8)
    let one = try Self.diagnostics(study, simulations: 101, jobs: 1)
    #expect(one == (try Self.diagnostics(study, simulations: 101, jobs: 3)))
    // Nor on who else is in the study, but for bins.
    let less = try Self.diagnostics(Array(study.dropFirst(4)), simulations: 101)
    #expect(less.readings.count == 30)
    #expect(less.readings.map(\.npde) == one.readings.suffix(30).map(\.npde))
  }

  @Test func readingsLeftOutOfTheFitAreDiagnosed() throws {
    let times = [0.25, 0.5, 1.5, 3, 4, 5, 6, 7]
    let study = try Self.study(12, limit: 0.2, times: times)
    let kept = try Self.diagnostics(study, simulations: 200)
    #expect(kept.readings.count == 96)
    var dropping = Self.model
    dropping.selection = ReadingSelection(censoring: .drop)
    let dropped = try Self.diagnostics(study, Self.truth, dropping, simulations: 200)
    #expect(dropped.readings.map(\.isBelowDetection) == kept.readings.map(\.isBelowDetection))
    var naive = Self.model
    naive.selection = ReadingSelection(censoring: .none)
    let shown = try Self.diagnostics(study, Self.truth, naive, simulations: 200)
    #expect(!shown.predictiveCheck.rows.contains { $0.kind == .belowDetection })
  }

  @Test func oneReadingHasDiagnostics() throws {
    let all = try Self.diagnostics(try Self.study(1, times: [1]), simulations: 100)
    #expect(all.readings.count == 1 && all.readings[0].npde != nil)
    #expect(all.predictiveCheck.rows.count == 9)
    #expect(all.cwres?.variance == nil)
    #expect(all.covariates.allSatisfy { $0.correlation == nil })
  }

  @Test func readingsBelowDetectionHaveNoPercentiles() throws {
    // Everybody has one reading above, and the others below.
    var study = try Self.study(5, limit: 9)
    for index in study.indices {
      study[index].readings[0] = Reading(
        time: 0.25, value: 0.4, unit: .bloodGramsPerKilogram, limitOfDetection: 0.1)
    }
    let all = try Self.diagnostics(study, simulations: 100)
    #expect(all.readings.count { $0.isBelowDetection && $0.cwres == nil } == 25)
    for row in all.predictiveCheck.rows where row.from > 0.3 {
      #expect(row.isInside)
      #expect(row.kind == .belowDetection ? row.observed == 1 : row.observed == nil)
    }
    // Who was never above is no subject of a fit.
    let none = try Self.study(2, limit: 9)
    #expect(throws: Problem.self) { try Self.diagnostics(none) }
  }

  @Test func moreReadingsThanReplicatesHaveNoNPDE() throws {
    let times = (1...60).map { 0.05 * Double($0) }
    let all = try Self.diagnostics(try Self.study(2, times: times), simulations: 100)
    #expect(all.readings.allSatisfy { $0.npde == nil && $0.cwres != nil })
    #expect(all.npde == nil)
  }

  @Test func constantCovariatesHaveNoCorrelation() throws {
    let study = try Self.study(20)
    let all = try Self.diagnostics(study, simulations: 100)
    let found = Dictionary(grouping: all.covariates, by: \.covariate)
    #expect(Set(found.keys) == ["sex", "age_y", "weight_kg", "shoe", "site"])
    for (name, effects) in found {
      #expect(effects.map(\.parameter) == [Self.ka, Self.beta, Self.r])
      let isConstant = name == "weight_kg" || name == "site"
      for effect in effects {
        #expect((effect.correlation == nil) == isConstant && (effect.interval == nil) == isConstant)
        #expect(effect.points.count == (name == "shoe" ? 19 : 20))
      }
    }
  }

  /// If readings carry no information on a parameter, its effects are rounding, and have no correlation.
  @Test func shrunkEffectsHaveNoCorrelation() {
    let points = (1...9).map {
      EffectAgainstCovariate.Point(subject: "p\($0)", value: Double($0), effect: 1e-9 * Double($0))
    }
    #expect(EffectAgainstCovariate(Self.ka, "x", points, spread: 0.3).correlation == nil)
    #expect(EffectAgainstCovariate(Self.ka, "x", points, spread: 1e-9).correlation != nil)
  }

  @Test func binsHaveSimilarNumbersOfReadings() {
    let times = (0..<100).map { Double($0 % 25) }
    let bins = PredictiveCheck.bins(times, 5)
    #expect(bins.map(\.count) == [20, 20, 20, 20, 20])
    // What is of one time stays together.
    #expect(PredictiveCheck.bins([Double](repeating: 1, count: 50), 5).count == 1)
    #expect(PredictiveCheck.bins([], nil).isEmpty)
    #expect(PredictiveCheck.bins([3, 1], nil) == [[1, 0]])
    #expect(PredictiveCheck.bins([1, 1, 1, 1, 1, 1, 2, 3], 4).flatMap(\.self).count == 8)
  }

  @Test func aCancelledTaskEnds() async throws {
    let study = try Self.study(3)
    let fit = try PopulationFit(evaluating: Self.truth, of: study, model: Self.model)
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try PopulationDiagnostics(of: fit, study)
    }
    await #expect(throws: Problem.cancelled) { try await task.value }
  }

  @Test func tooFewSimulationsAreRefused() throws {
    let study = try Self.study(3)
    let fit = try PopulationFit(evaluating: Self.truth, of: study, model: Self.model)
    #expect(throws: Problem.self) {
      try PopulationDiagnostics(of: fit, study, options: .init(simulations: 99))
    }
    #expect(throws: Problem.self) {
      try PopulationDiagnostics(of: fit, Array(study.dropLast()), options: .init())
    }
  }

  // MARK: Another program

  @Test(
    .enabled(if: Yardstick.isThere, "the data may not be shipped"), arguments: ["all", "below-2"])
  func warfarinAgreesWithNumPy(_ name: String) throws {
    let model = PopulationModel(
      .firstOrder, random: [Self.ka, Self.r, .clearance], error: .proportional(cv: nil),
      selection: ReadingSelection(limitOfDetection: name == "all" ? nil : 2))
    let values = PopulationValues(
      typical: [0.811, 0.7737, 0.01327].map(Yardstick.log),
      between: [0.336, 0, 0, 0, 0.0096, 0, 0, 0, 0.0286], cv: 0.0106)
    let study = try Yardstick.warfarin()
    let fit = try PopulationFit(evaluating: values, of: study, model: model)
    let all = try PopulationDiagnostics(of: fit, study, options: .init(simulations: 200, seed: 7))
    var found = [
      "iwres": all.readings.compactMap(\.iwres), "cwres": all.readings.compactMap(\.cwres),
      "npde": all.readings.compactMap(\.npde),
    ]
    if name == "all" {
      let fit = try PopulationFit(
        evaluating: values, of: study, model: model, options: .init(method: .fo))
      found["wres"] = try PopulationDiagnostics(
        of: fit, study, options: .init(simulations: 100)
      ).readings.compactMap(\.cwres)
    }
    let expected = try PackageFolder.expectations("population-diagnostics")
      .filter { $0["case"] == name }
    for (quantity, numbers) in found {
      let test = try #require(StandardNormalTest(numbers))
      for row in expected where row["quantity"] == quantity {
        let statistic = try #require(row["statistic"])
        let actual: Double? =
          switch statistic {
          case "count": Double(test.count)
          case "mean": test.mean
          case "mean_p": test.meanPValue
          case "variance": test.variance
          case "variance_p": test.variancePValue
          case "shapiro_w": test.normality?.statistic
          case "shapiro_p": test.normality?.pValue
          default: Self.sum(of: numbers, statistic)
          }
        let value = try #require(try row.number("value"))
        // Modes are good to 1e-6, residuals are a hundredfold of that, and p values fall faster still.
        let slack = statistic.hasSuffix("_p") ? 2e-3 * value + 1e-12 : 1e-4 * max(1, abs(value))
        #expect(abs((actual ?? .nan) - value) < slack, "\(quantity) \(statistic) \(value)")
      }
    }
    let effect = EffectAgainstCovariate(
      .clearance, "ka",
      fit.individuals.map { .init(subject: "", value: $0.effects[0], effect: $0.effects[2]) },
      spread: 0.169)
    let ends = [
      "r": effect.correlation, "low": effect.interval?.low, "high": effect.interval?.high,
    ]
    for row in expected where row["quantity"] == "correlation" {
      let value = try #require(try row.number("value"))
      let actual = try #require(ends[row["statistic"] ?? ""] ?? nil)
      #expect(abs(actual - value) < 1e-5, "\(row)")
    }
  }

  @Test(.enabled(if: Yardstick.isThere, "the data may not be shipped"))
  func theophyllineAgreesWithNlme() throws {
    let expected = try PackageFolder.expectations("population-nlme")
    func value(_ name: String) throws -> Double {
      let row = try #require(expected.first { $0["statistic"] == name })
      return try #require(try row.number("value"))
    }
    let variances = try ["var_lKa", "var_lKe", "var_lCl"].map(value)
    let values = PopulationValues(
      typical: try ["lKa", "lKe", "lCl"].map(value),
      between: [variances[0], 0, 0, 0, variances[1], 0, 0, 0, variances[2]],
      sd: try value("sigma"))
    let study = try Yardstick.theophylline()
    let fit = try PopulationFit(
      evaluating: values, of: study,
      model: PopulationModel(.firstOrder, random: [Self.ka, .kinetic(.ke), .clearance]))
    let all = try PopulationDiagnostics(of: fit, study, options: .init(simulations: 100))
    let found = [
      "iwres": all.readings.compactMap(\.iwres), "population": all.readings.map(\.population),
      "individual": all.readings.map(\.individual),
      "eta_ka": fit.individuals.map { $0.effects[0] },
      "eta_cl": fit.individuals.map { $0.effects[2] },
    ]
    for row in expected {
      guard let quantity = row["quantity"], let numbers = found[quantity],
        let statistic = row["statistic"]
      else { continue }
      let test = try #require(StandardNormalTest(numbers))
      let actual: Double? =
        switch statistic {
        case "count": Double(test.count)
        case "mean": test.mean
        case "variance": test.variance
        default: Self.sum(of: numbers, statistic)
        }
      let value = try #require(try row.number("value"))
      // nlme stops a little short of its own minimum.
      let slack = 1e-4 * max(1, abs(value))
      #expect(abs((actual ?? .nan) - value) < slack, "\(row) \(actual ?? .nan)")
    }
  }

  /// The sum of numbers times cosines of k times their place, of `cosine_k`.
  private static func sum(of numbers: [Double], _ statistic: String) -> Double {
    let factor = Double(statistic.dropFirst(7)) ?? .nan
    return numbers.enumerated().reduce(0) { sum, one in
      sum + one.element * Yardstick.cos(factor * Double(one.offset + 1))
    }
  }
}
