import AlcoholKinetics
import Estimation
import StudyData
import TestSupport
import Testing

@testable import Population

/// Made-up studies are fitted; `Tests/Tools/population_coverage.py` does so with many, in minutes.
@Suite struct PopulationSimulationTests {
  private static let truth: [(typical: Double, spread: Double)] = [
    (3, 0.4), (0.15, 0.2), (0.65, 0.12),
  ]

  /// Subjects who drink 0.5 to 0.9 g/kg and blow eight times within six hours, when some are sober again. The
  /// display has steps of 0.01 g/kg, and shows 0 below the limit of detection.
  private static func study(_ people: Int, seed: UInt64) throws -> [Series] {
    var generator = SeededGenerator(seed: seed)
    return try (0..<people).map { person in
      let values = truth.map { $0.typical * Yardstick.exp($0.spread * generator.nearlyNormal()) }
      let parameters = try ModelParameters(
        .widmark, [.ka: values[0], .beta: values[1], .r: values[2]])
      let dose = 0.5 + 0.4 * Double(person) / Double(people)
      let drinks = [Drink(time: 0, ethanol: .perBodyWeight(GramsPerKilogram(dose)))]
      let curve = try parameters.curve(of: try Regimen(drinks, bodyWeight: nil))
      let readings = [0.33, 0.67, 1, 1.75, 2.5, 3.5, 4.75, 6].map { time in
        let level = curve.concentration(at: Hours(time)).value + 0.03 * generator.nearlyNormal()
        let shown = (100 * level).rounded() / 100
        return Reading(
          time: Hours(time), value: shown < 0.02 ? 0 : shown, unit: .bloodGramsPerKilogram,
          limitOfDetection: 0.02)
      }
      return Series(subject: Subject(id: "\(person)"), drinks: drinks, readings: readings)
    }
  }

  /// Fits 20 studies with 24 subjects each. Intervals of 95 % hold at least 16 in 99.7 % of such tests; the mean of 20
  /// estimates is within 3.5 of its standard errors of the truth, or within 3 % of it, since the approximation is a
  /// little off.
  @Test func intervalsCoverTrueTypicalValues() throws {
    var held = [0, 0, 0]
    var sums = [0.0, 0, 0]
    var (variances, spreads) = ([0.0, 0, 0], [0.0, 0, 0])
    for seed in 1...20 {
      let fit = try PopulationFit(
        try Self.study(24, seed: UInt64(seed)), model: PopulationModel(),
        options: .init(starts: 1, jobs: 2))
      #expect(fit.isConverged, "seed \(seed)")
      let errors = try #require(fit.uncertainty).typical
      for (place, truth) in Self.truth.enumerated() {
        let error = try #require(errors[place])
        let miss = fit.values.typical[place] - Yardstick.log(truth.typical)
        if abs(miss) < 1.96 * error { held[place] += 1 }
        sums[place] += miss / 20
        variances[place] += error * error / 400
        spreads[place] += fit.values.between[4 * place].squareRoot() / truth.spread / 20
      }
    }
    for place in Self.truth.indices {
      #expect(held[place] >= 16, "\(place): \(held)")
      #expect(
        abs(sums[place]) < max(0.03, 3.5 * variances[place].squareRoot()), "\(place): \(sums)")
      // Maximum likelihood finds spreads too small, by about 1 / (2 n), and this by no more than a fifth.
      #expect(spreads[place] > 0.8 && spreads[place] < 1.15, "\(place): \(spreads)")
    }
  }

  /// The mode of a subject is the same after evaluations at other values.
  @Test func modeIsIndependentOfEarlierEvaluations() throws {
    let model = PopulationModel()
    let people = try PopulationData(
      try Self.study(3, seed: 4), instrument: nil, model, centers: nil, jobs: 1)
    let values = PopulationValues(
      typical: [3, 0.15, 0.65].map(Yardstick.log),
      between: [0.16, 0, 0, 0, 0.04, 0, 0, 0, 0.0144], sd: 0.03)
    var other = values
    other.typical[0] = Yardstick.log(9)
    let prepared = try #require(people.coordinates.prepared(values, people.all))
    let before = people.map { $0.mode(prepared)?.effects }
    let elsewhere = try #require(people.coordinates.prepared(other, people.all))
    _ = people.map { $0.mode(elsewhere)?.effects }
    #expect(people.map { $0.mode(prepared)?.effects } == before)
  }
}
