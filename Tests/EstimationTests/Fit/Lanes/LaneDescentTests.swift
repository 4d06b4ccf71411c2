import AlcoholKinetics
import CLanes
import FittingSupport
import StudyData
import TestSupport
import Testing

@testable import Estimation

/// Descents eight at a time, with GSL as their judge.
@Suite struct LaneDescentTests {
  private static let losses: [(Loss, Censoring)] =
    Loss.allCases.flatMap { loss in [Censoring.none, .oneSided].map { (loss, $0) } }
    + [(.linear, .m3)]

  private func objective(
    _ options: FitOptions, _ series: Series, _ generator: inout SeededGenerator
  ) throws -> CurveObjective {
    let problem = try FitProblem(series, options: options)
    return CurveObjective(
      CurveMemory(problem),
      standardDeviations: problem.observations.all.map { _ in generator.logUniform(0.02...0.2) },
      loss: options.loss, tuning: options.loss.defaultTuning,
      hasLikelihood: options.selection.censoring == .m3)
  }

  private func starts(
    _ objective: CurveObjective, _ count: Int, _ generator: inout SeededGenerator
  ) -> [[Double]] {
    (0..<count).map { _ in
      objective.layout.free.map { parameter in
        let range = parameter.traits.startRange
        let low = parameter.coordinate(of: range.lowerBound)
        return generator.uniform(low...parameter.coordinate(of: range.upperBound))
      }
    }
  }

  /// The sums of rows that GSL is given, to rounding: that of 1e-12 g/kg which lanes' rounded steps may differ
  /// by, where the bisquare loss is nearly flat.
  @Test(arguments: losses)
  func normalEquationsMatchTheJacobian(loss: Loss, censoring: Censoring) throws {
    var generator = SeededGenerator(seed: 11)
    let series = try NoisySeries.series(seed: 3, limit: 0.1)
    let prior = try Prior(of: [.ka, .beta], mean: [1, -2], covariance: [0.2, 0.05, 0.05, 0.1])
    for (estimate, prior) in [
      (Set<FitParameter>([.ka, .beta, .r, .lag]), prior), ([.ka, .beta, .gain], nil),
    ] {
      var options = FitOptions(
        estimate: estimate, selection: ReadingSelection(censoring: censoring), loss: loss)
      if loss == .linear { options.prior = prior }
      let objective = try objective(options, series, &generator)
      let (rows, columns) = (objective.residualCount, objective.layout.count)
      let points = starts(objective, 8, &generator)
      let storage = UnsafeMutablePointer<Lanes>.allocate(capacity: NormalEquations.size(columns))
      defer { storage.deallocate() }
      let equations = NormalEquations(columns, storage)
      let lanes = (0..<columns).map { column in
        points.indices.reduce(into: Lanes.zero) { $0[$1] = points[$1][column] }
      }
      objective.accumulate(equations, at: lanes, .warm)
      for (lane, point) in points.enumerated() {
        var residuals = [Double](repeating: 0, count: rows)
        var jacobian = [Double](repeating: 0, count: rows * columns)
        try #require(objective.write(residuals: &residuals, at: point))
        try #require(objective.write(jacobian: &jacobian, at: point))
        let sum = residuals.reduce(0) { $0 + $1 * $1 }
        #expect(agree(equations.sumOfSquares[lane], sum, relative: 1e-11))
        var place = 0
        for i in 0..<columns {
          let slope = (0..<rows).reduce(0) { $0 + residuals[$1] * jacobian[$1 * columns + i] }
          let size = (0..<rows).reduce(0) { $0 + abs(residuals[$1] * jacobian[$1 * columns + i]) }
          #expect(abs(equations.gradient[i][lane] - slope) <= 1e-10 * size + 1e-15)
          for j in 0...i {
            let terms = (0..<rows).map { jacobian[$0 * columns + i] * jacobian[$0 * columns + j] }
            let scale = terms.reduce(1e-300) { $0 + abs($1) }
            #expect(
              abs(equations.matrix[place][lane] - terms.reduce(0, +)) <= 1e-10 * scale + 1e-15)
            place += 1
          }
        }
      }
    }
  }

  /// To the same bits as where all eight are followed.
  @Test(arguments: EliminationModel.allCases, [false, true])
  func idleLanesDoNotChangeActiveOnes(model: EliminationModel, isLagFree: Bool) throws {
    var generator = SeededGenerator(seed: 14)
    let series = try NoisySeries.series(seed: 4, limit: 0.1)
    let estimate = model.defaultEstimate.union(isLagFree ? [.r, .lag] : [.r])
    let objective = try objective(
      FitOptions(model: model, estimate: estimate), series, &generator)
    let count = objective.layout.count
    let points = starts(objective, 8, &generator)
    func sums(_ running: Set<Int>) -> [Lanes] {
      let lanes = (0..<count).map { column in
        points.indices.reduce(into: Lanes(repeating: .nan)) {
          if running.contains($1) { $0[$1] = points[$1][column] }
        }
      }
      var storage = [Lanes](repeating: .zero, count: NormalEquations.size(count))
      storage.withUnsafeMutableBufferPointer {
        guard let base = $0.baseAddress else { return }
        objective.accumulate(NormalEquations(count, base), at: lanes, .warm)
      }
      return storage
    }
    let all = sums(Set(0..<8))
    for running in [[0], [3], [2, 5], [6, 7], [1, 4, 6]] {
      let some = sums(Set(running))
      for lane in running { #expect(some.map { $0[lane] } == all.map { $0[lane] }) }
    }
  }

  /// From the same starts most descents end where GSL's do, and none ends above where it began.
  @Test(arguments: losses)
  func laneMinimaAgreeWithGSL(loss: Loss, censoring: Censoring) throws {
    var generator = SeededGenerator(seed: 12)
    let gsl = LeastSquaresEngine(.gsl)
    let lanes = LeastSquaresEngine(.lanes)
    for seed in 1...4 {
      let series = try NoisySeries.series(seed: UInt64(seed), limit: 0.1)
      let options = FitOptions(
        estimate: [.ka, .beta, .r], selection: ReadingSelection(censoring: censoring), loss: loss)
      let objective = try objective(options, series, &generator)
      let starts = starts(objective, 11, &generator)
      let found = try lanes.ends(
        of: objective, starts.map { DescentRequest(start: Coordinates($0)) }, startKind: .initial)
      #expect(found.count == starts.count)
      for (start, minimum) in zip(starts, found) {
        #expect(minimum.objective <= objective.value(at: start))
      }
      let best = try #require(found.min { $0.objective < $1.objective })
      let bar = try starts.map {
        try gsl.minimum(of: objective, from: $0, startKind: .initial).objective
      }
      .min()
      #expect(best.objective <= (bar ?? 0) * (1 + 1e-8), "seed \(seed)")
    }
  }

  /// If the curve touches zero between drinks the sum of squares has a kink, in which a search of either engine ends
  /// anywhere and finishing has to get on.
  @Test func fitsTouchingZeroAgreeWithGSL() throws {
    let (lanes, gsl) = (
      try SeriesFitter(options: FitOptions(estimate: [.ka, .beta, .r], engine: .lanes)),
      try SeriesFitter(options: FitOptions(estimate: [.ka, .beta, .r], engine: .gsl))
    )
    for seed in 1...150 {
      let series = try NoisySeries.touchingZero(seed: UInt64(seed))
      let (found, expected) = (try lanes.fit(series), try gsl.fit(series))
      for parameter in [FitParameter.ka, .beta, .r] {
        let (one, other) = (found.estimates[parameter]?.value, expected.estimates[parameter]?.value)
        let ratio = try #require(one) / #require(other)
        #expect(abs(ratio - 1) < 1e-5, "\(parameter) of \(seed)")
      }
    }
  }

  @Test func heldCoordinatesDoNotMove() throws {
    var generator = SeededGenerator(seed: 13)
    let options = FitOptions(estimate: [.ka, .beta, .r])
    let objective = try objective(options, try NoisySeries.series(seed: 8), &generator)
    let starts = starts(objective, 9, &generator)
    let requests = starts.enumerated().map {
      DescentRequest(start: Coordinates($1), held: CoordinateSet($0 % 3))
    }
    let found = try LeastSquaresEngine(.lanes).ends(of: objective, requests, startKind: .warm)
    for (request, minimum) in zip(requests, found) {
      for index in starts[0].indices where request.held.contains(index) {
        #expect(minimum.coordinates[index] == request.start[index])
      }
      let judged = try LeastSquaresEngine(.gsl).minimum(
        of: objective, from: minimum.coordinates.array(starts[0].count), holding: request.held,
        startKind: .warm)
      #expect(minimum.objective <= judged.objective * (1 + 1e-8))
    }
  }

  /// The minimum from a start depends neither on the starts beside it nor on its place among them.
  @Test func descentsAreIndependentOfEachOther() throws {
    var generator = SeededGenerator(seed: 14)
    let options = FitOptions(estimate: [.ka, .beta, .r])
    let objective = try objective(options, try NoisySeries.series(seed: 9), &generator)
    let starts = starts(objective, 13, &generator)
    let engine = LeastSquaresEngine(.lanes)
    func minima(_ starts: [[Double]]) throws -> [DescentEnd] {
      try engine.ends(
        of: objective, starts.map { DescentRequest(start: Coordinates($0)) }, startKind: .initial)
    }
    let together = try minima(starts)
    #expect(try minima(starts.reversed()) == together.reversed())
    #expect(try starts.flatMap { try minima([$0]) } == together)
  }

  /// Two, four or eight numbers at once, as far as this machine can: values, sums and steps.
  @Test(arguments: EliminationModel.allCases, losses)
  func vectorWidthDoesNotChangeBits(model: EliminationModel, way: (Loss, Censoring)) throws {
    defer { use_at_most(8) }
    var generator = SeededGenerator(seed: 18)
    let options = FitOptions(
      model: model, estimate: model.defaultEstimate.union([.r]),
      selection: ReadingSelection(censoring: way.1), loss: way.0)
    let objective = try objective(
      options, try NoisySeries.series(seed: 13, limit: 0.1), &generator)
    let requests = starts(objective, 5, &generator).map { DescentRequest(start: Coordinates($0)) }
    let minima = try [2, 4, 8].map { widest in
      use_at_most(Int32(widest))
      return try LeastSquaresEngine(.lanes).ends(of: objective, requests, startKind: .initial)
    }
    #expect(minima[1] == minima[0])
    #expect(minima[2] == minima[0])
  }

  /// Replicates side by side end where each alone does: other readings of the same curve, some of them
  /// censored.
  @Test func parallelReplicatesMatchSingleFits() throws {
    var generator = SeededGenerator(seed: 17)
    let options = FitOptions(
      estimate: [.ka, .beta, .r], selection: ReadingSelection(censoring: .oneSided))
    let problem = try FitProblem(try NoisySeries.series(seed: 12, limit: 0.1), options: options)
    let gsl = LeastSquaresEngine(.gsl)
    let solver = FitSolver(problem, gsl)
    let objective = solver.preliminaryObjective
    let start = try gsl.minimum(
      of: objective, from: starts(objective, 1, &generator)[0], startKind: .initial
    ).coordinates
    let predictions = try #require(objective.predictions(at: start))
    let replicates = (0..<21).map { _ in
      problem.observations.replicate(predictions.map { $0 + generator.uniform(-0.05...0.05) })
    }
    let found = try #require(
      try LeastSquaresEngine(.lanes).laneEnds(
        of: solver.preliminaryObjective(of: replicates),
        replicates.map { _ in DescentRequest(start: Coordinates(start)) }, startKind: .warm))
    #expect(replicates.contains { $0.hasCensored })
    for (replicate, minimum) in zip(replicates, found) {
      let alone = FitSolver(problem.replicate(replicate), gsl).preliminaryObjective
      let judged = try gsl.minimum(of: alone, from: start, startKind: .warm)
      #expect(
        agree(
          alone.value(at: minimum.coordinates.array(start.count)), minimum.objective,
          relative: 1e-11))
      #expect(minimum.objective <= judged.objective * (1 + 1e-8))
    }
  }

  @Test func minimaStayWithinBounds() throws {
    var generator = SeededGenerator(seed: 15)
    var options = FitOptions(estimate: [.ka, .beta, .r])
    options.bounds = [.beta: 0.2...0.3, .ka: 0.5...2]
    let objective = try objective(options, try NoisySeries.series(seed: 10), &generator)
    let found = try LeastSquaresEngine(.lanes).ends(
      of: objective,
      starts(objective, 10, &generator).map { DescentRequest(start: Coordinates($0)) },
      startKind: .initial)
    let best = try #require(found.min { $0.objective < $1.objective })
    for minimum in found {
      for index in objective.lowest.indices {
        #expect(minimum.coordinates[index] >= objective.lowest[index])
        #expect(minimum.coordinates[index] <= objective.highest[index])
      }
    }
    let judged = try LeastSquaresEngine(.gsl).minimum(
      of: objective, from: best.coordinates.array(objective.coordinateCount), startKind: .warm)
    #expect(best.objective <= judged.objective * (1 + 1e-8))
    #expect(!best.atBound.isEmpty)
  }

  /// A cancelled fit ends at once.
  @Test func cancelledDescentThrows() async throws {
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      var generator = SeededGenerator(seed: 16)
      let objective = try objective(
        FitOptions(), try NoisySeries.series(seed: 11), &generator)
      _ = try LeastSquaresEngine(.lanes).ends(
        of: objective, [DescentRequest(start: Coordinates(objective.layout.lowest))],
        startKind: .initial)
    }
    await #expect(throws: SeriesFailure.cancelled) { try await task.value }
  }
}
