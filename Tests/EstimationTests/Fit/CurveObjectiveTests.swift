import AlcoholKinetics
import FittingSupport
import StudyData
import TestSupport
import Testing

@testable import Estimation

/// Jacobians against central differences of the residuals.
@Suite struct CurveObjectiveTests {
  /// The treatments of readings below detection.
  private static let censorings: [Censoring] = [.none, .oneSided, .m3]

  /// A point between the bounds at which every parameter has a say.
  private static func coordinates(
    _ parameters: [FitParameter], _ generator: inout SeededGenerator
  ) -> [Double] {
    parameters.map { parameter in
      switch parameter {
      case .ka: generator.uniform(0...2)
      case .lag: generator.uniform(0.02...0.3)
      default:
        parameter.coordinate(of: parameter.traits.typicalValue) + generator.uniform(-0.3...0.3)
      }
    }
  }

  private func objective(
    _ model: EliminationModel, _ loss: Loss, _ censoring: Censoring,
    _ generator: inout SeededGenerator
  ) throws -> CurveObjective {
    let series = try SimulatedSeries.series(everyMinutes: 20, count: 16)
    let options = FitOptions(
      model: model, estimate: model.parameters,
      selection: ReadingSelection(censoring: censoring, limitOfDetection: 0.5))
    let problem = try FitProblem(series, options: options)
    #expect(problem.observations.hasCensored == (censoring != .none))
    return CurveObjective(
      CurveMemory(problem),
      standardDeviations: problem.observations.all.map { _ in generator.logUniform(0.02...0.2) },
      loss: loss, tuning: loss.defaultTuning, hasLikelihood: censoring == .m3)
  }

  private func residuals(_ objective: CurveObjective, at coordinates: [Double]) throws -> [Double] {
    var residuals = [Double](repeating: .nan, count: objective.residualCount)
    try #require(objective.write(residuals: &residuals, at: coordinates))
    return residuals
  }

  private func jacobian(_ objective: CurveObjective, at coordinates: [Double]) throws -> [Double] {
    let size = objective.residualCount * coordinates.count
    var jacobian = [Double](repeating: .nan, count: size)
    try #require(objective.write(jacobian: &jacobian, at: coordinates))
    return jacobian
  }

  private func differences(
    _ objective: CurveObjective, at coordinates: [Double], _ index: Int, step: Double
  ) throws -> [Double] {
    var (low, high) = (coordinates, coordinates)
    low[index] -= step
    high[index] += step
    return zip(try residuals(objective, at: high), try residuals(objective, at: low)).map {
      ($0 - $1) / (2 * step)
    }
  }

  @Test(arguments: EliminationModel.allCases, Loss.allCases)
  func jacobiansAgreeWithDifferencesOfResiduals(model: EliminationModel, loss: Loss) throws {
    var generator = SeededGenerator(seed: 17)
    for censoring in Self.censorings where loss == .linear || censoring != .m3 {
      let objective = try objective(model, loss, censoring, &generator)
      let columns = objective.layout.count
      for _ in 0..<3 {
        let point = Self.coordinates(objective.layout.free, &generator)
        let jacobian = try jacobian(objective, at: point)
        for column in 0..<columns {
          let found = (0..<objective.count).map { jacobian[$0 * columns + column] }
          // The larger the step the more the third derivative tells, the smaller the more rounding.
          let expected = try differences(objective, at: point, column, step: 1e-5)
          let scale = expected.reduce(1) { max($0, abs($1)) }
          for (row, (one, other)) in zip(found, expected).enumerated() {
            #expect(
              abs(one - other) <= 1e-6 * scale,
              "\(objective.layout.free[column]) \(censoring) row \(row): \(one) \(other)")
          }
        }
      }
    }
  }

  /// Beyond a bound the model stays as it is there.
  @Test func residualsAreConstantBeyondABound() throws {
    var generator = SeededGenerator(seed: 18)
    let objective = try objective(.widmark, .linear, .none, &generator)
    var point = Self.coordinates(objective.layout.free, &generator)
    point[0] = objective.layout.highest[0]
    let atBound = try residuals(objective, at: point)
    point[0] += 1
    #expect(try residuals(objective, at: point) == atBound)
    let jacobian = try jacobian(objective, at: point)
    let columns = objective.layout.count
    #expect((0..<objective.count).allSatisfy { jacobian[$0 * columns] == 0 })
  }
}
