import AlcoholKinetics
package import Estimation
import RealModule
package import StudyData

extension BenchmarkWork {
  /// Fits of k_a and beta: the solver alone, and complete results from one start, from the default
  /// starts, and with profiles; then fits of k_a, beta and r with default options, and with a
  /// bootstrap, against GSL alone.
  static func fits(of series: [Series]) throws(SeriesFailure) -> [Self] {
    let oneStart = try fit("fit_one_start", series, fitOptions(starts: 1))
    let usual = StartDesign.defaultCount
    return [
      try fitKernel(of: series),
      Self(oneStart, unit: "fits"),
      Self(
        try fit("fit_default_starts", series, fitOptions(starts: usual)), unit: "fits",
        reference: oneStart),
      Self(
        try fit("fit_with_profile", series, fitOptions(starts: usual, interval: .profile)),
        unit: "fits", reference: oneStart),
      try byBothEngines("fit_default", series, IntervalOptions(), target: 10),
      try byBothEngines(
        "fit_bootstrap", Array(series.prefix(max(1, series.count / 20))),
        IntervalOptions(kind: .residualBootstrap), target: 8),
    ]
  }

  /// Complete fits of k_a, beta and r by lanes, with GSL alone as the reference.
  private static func byBothEngines(
    _ name: String, _ series: [Series], _ interval: IntervalOptions, target: Double
  ) throws(SeriesFailure) -> Self {
    func task(_ name: String, _ engine: FitEngine) throws(SeriesFailure) -> Task {
      try fit(
        name, series,
        FitOptions(estimate: [.ka, .beta, .r], engine: engine, interval: interval))
    }
    return Self(
      try task(name, .lanes), unit: "fits", reference: try task(name + "_gsl", .gsl),
      target: .ratio(target))
  }

  /// The solver on the model: a warm-started minimisation as along profiles and for bootstrap
  /// replicates, with final digits and covariance, in reused memory.
  ///
  /// - Parameter series: ``BenchmarkSeries``.
  /// - Throws: `SeriesFailure` if a series cannot be fitted.
  package static func fitKernel(of series: [Series]) throws(SeriesFailure) -> Self {
    var objectives: [CurveObjective] = []
    for measured in series {
      let problem = try FitProblem(measured, options: fitOptions(starts: 1))
      objectives.append(FitSolver(problem, LeastSquaresEngine(.gsl)).preliminaryObjective)
    }
    let kernels = objectives
    let engine = LeastSquaresEngine(.gsl)
    // The coordinates of k_a 6 /h and beta 0.15 g/kg/h.
    let start = [Double.log(6), .log(0.15)]
    return Self(
      Task(name: "fit_kernel", count: series.count) {
        kernels.reduce(0) { sum, objective in
          guard var minimum = try? engine.minimum(of: objective, from: start, startKind: .warm)
          else {
            return .nan
          }
          minimum = (try? engine.finish(minimum, of: objective)) ?? minimum
          return sum + (minimum.coordinates.last ?? .nan)
        }
      }, unit: "fits")
  }

  private static func fit(
    _ name: String, _ series: [Series], _ options: FitOptions
  ) throws(SeriesFailure) -> Task {
    let fitter = try SeriesFitter(options: options)
    return Task(name: name, count: series.count) {
      series.reduce(0) { sum, series in
        sum + ((try? fitter.fit(series))?.values[known: .beta] ?? .nan)
      }
    }
  }

  /// Options of fits of k_a and beta without censoring.
  private static func fitOptions(starts: Int, interval: IntervalOptions.Kind? = nil) -> FitOptions {
    FitOptions(
      fixed: [.r: BenchmarkSeries.r.value], selection: ReadingSelection(censoring: .none),
      starts: StartDesign(count: starts), interval: interval.map { IntervalOptions(kind: $0) })
  }
}
