import AlcoholKinetics
import FittingSupport
import GSL
import StudyData
import TestSupport
import Testing

@testable import Estimation

/// Jacobians against central differences of the residuals.
@Suite struct CurveProblemTests {
  /// How readings below detection count in a case.
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
    let selection = ReadingSelection(censoring: censoring, limitOfDetection: 0.5)
    let observations = Observations(
      series, uses: selection.uses(of: series, nil), selection, nil, ConversionFactors())
    #expect(observations.hasCensored == (censoring != .none))
    let layout = ParameterLayout(
      model, free: model.parameters, held: ParameterValues(), bounds: [:])
    let objective = CurveObjective(observations, try series.regimen(), layout)
    objective.use(
      standardDeviations: (0..<observations.count).map { _ in generator.logUniform(0.02...0.2) },
      loss: loss, tuning: loss.defaultTuning, hasLikelihood: censoring == .m3)
    return objective
  }

  private func residuals(_ objective: CurveObjective, at coordinates: [Double]) throws -> [Double] {
    let problem = objective.leastSquares
    var residuals = [Double](repeating: .nan, count: problem.residualCount)
    try #require(problem.residuals(coordinates, problem.context, &residuals))
    return residuals
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
  func jacobiansAreThoseOfTheResiduals(model: EliminationModel, loss: Loss) throws {
    var generator = SeededGenerator(seed: 17)
    for censoring in Self.censorings where loss == .linear || censoring != .m3 {
      let objective = try objective(model, loss, censoring, &generator)
      let columns = objective.layout.count
      for _ in 0..<3 {
        let point = Self.coordinates(objective.layout.free, &generator)
        let jacobian = try #require(objective.jacobian(at: point, slope: .residual))
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
  @Test func beyondABoundNothingChanges() throws {
    var generator = SeededGenerator(seed: 18)
    let objective = try objective(.widmark, .linear, .none, &generator)
    var point = Self.coordinates(objective.layout.free, &generator)
    point[0] = objective.layout.highest[0]
    let atBound = try residuals(objective, at: point)
    point[0] += 1
    #expect(try residuals(objective, at: point) == atBound)
    let jacobian = try #require(objective.jacobian(at: point, slope: .residual))
    let columns = objective.layout.count
    #expect((0..<objective.count).allSatisfy { jacobian[$0 * columns] == 0 })
  }
}
