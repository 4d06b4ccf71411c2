import AlcoholKinetics
public import Estimation
public import GSL
import RealModule
public import StudyData

extension BenchmarkWork {
  /// Fits of k_a and beta: by the solver alone, and with all that a fit tells, from one start, from as
  /// many as usual, and with profiles.
  static func fits(of series: [Series]) throws(SeriesFailure) -> [Self] {
    let oneStart = try fit("fit_one_start", series, starts: 1)
    return [
      try fitKernel(of: series),
      Self(oneStart, unit: "fits"),
      Self(
        try fit("fit_default_starts", series, starts: StartDesign.defaultCount), unit: "fits",
        reference: oneStart),
      Self(
        try fit("fit_with_profile", series, starts: StartDesign.defaultCount, interval: .profile),
        unit: "fits", reference: oneStart),
    ]
  }

  /// The solver on the model, with covariance, from one start, in memory that is used again.
  ///
  /// - Parameters:
  ///   - series: ``BenchmarkSeries``.
  ///   - options: How to solve.
  ///   - reference: The same by other means, if it is at hand.
  ///   - target: What share of its speed is to be reached.
  /// - Throws: ``SeriesFailure`` if there is not enough memory.
  public static func fitKernel(
    of series: [Series], options: LeastSquaresOptions = LeastSquaresOptions(),
    reference: Task? = nil, target: BenchmarkTarget? = nil
  ) throws(SeriesFailure) -> Self {
    let kernel = try FitKernel(series, options)
    return Self(
      Task(name: "fit_kernel", count: series.count, run: kernel.run), unit: "fits",
      reference: reference, target: target)
  }

  private static func fit(
    _ name: String, _ series: [Series], starts: Int, interval: IntervalOptions.Kind? = nil
  ) throws(SeriesFailure) -> Task {
    let fitter = try SeriesFitter(
      options: FitKernel.options(starts: starts, interval: interval))
    return Task(name: name, count: series.count) {
      series.reduce(0) { sum, series in
        sum + ((try? fitter.fit(series))?.values[known: .beta] ?? .nan)
      }
    }
  }
}

/// What is left of fits when everything is made ready beforehand.
private struct FitKernel {
  private let objectives: [CurveObjective]
  private let solver: LeastSquaresSolver
  /// The coordinates of k_a 6 /h and beta 0.15 g/kg/h.
  private let start = [Double.log(6), .log(0.15)]

  init(_ series: [Series], _ options: LeastSquaresOptions) throws(SeriesFailure) {
    let fitter = try SeriesFitter(options: Self.options(starts: 1))
    var objectives: [CurveObjective] = []
    for one in series {
      let uses = fitter.options.uses(of: one, nil)
      objectives.append(try fitter.problem(one, uses, nil).objective)
    }
    self.objectives = objectives
    do {
      solver = try LeastSquaresSolver(
        residualCount: objectives.first?.count ?? start.count, parameterCount: start.count,
        options: options)
    } catch {
      throw .solver(error)
    }
  }

  /// Fits all; the sum of the logarithms of beta.
  func run() -> Double {
    objectives.reduce(0) { sum, objective in
      sum + ((try? solver.solve(objective.leastSquares, from: start))?.parameters.last ?? .nan)
    }
  }

  /// k_a and beta estimated from readings that are all taken at face value.
  static func options(starts: Int, interval: IntervalOptions.Kind? = nil) -> FitOptions {
    FitOptions(
      fixed: [.r: BenchmarkSeries.r.value], selection: ReadingSelection(censoring: .none),
      starts: StartDesign(count: starts), interval: interval.map { IntervalOptions(kind: $0) })
  }
}
