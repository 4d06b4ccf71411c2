import AlcoholKinetics
package import Estimation
import RealModule
package import StudyData

extension BenchmarkWork {
  /// Fits of k_a and beta: by the solver alone, and with all that a fit tells, from one start, from as
  /// many as usual, and with profiles; and fits of k_a, beta and r as they are made by default, and with a
  /// bootstrap, beside GSL alone.
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

  /// Whole fits of k_a, beta and r by lanes beside those by GSL alone.
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

  /// The engine on the model: a descent as a fit makes them along profiles and for replicates, from one
  /// start, with last digits and covariance, in memory that is used again.
  ///
  /// - Parameter series: ``BenchmarkSeries``.
  /// - Throws: `SeriesFailure` if a series cannot be fitted.
  package static func fitKernel(of series: [Series]) throws(SeriesFailure) -> Self {
    var objectives: [CurveObjective] = []
    for one in series {
      let problem = try FitProblem(one, options: fitOptions(starts: 1))
      objectives.append(FitSolver(problem, LeastSquaresEngine(.gsl)).preliminaryObjective)
    }
    let (kernels, engine) = (objectives, LeastSquaresEngine(.gsl))
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

  /// k_a and beta estimated from readings that are all taken at face value.
  private static func fitOptions(starts: Int, interval: IntervalOptions.Kind? = nil) -> FitOptions {
    FitOptions(
      fixed: [.r: BenchmarkSeries.r.value], selection: ReadingSelection(censoring: .none),
      starts: StartDesign(count: starts), interval: interval.map { IntervalOptions(kind: $0) })
  }
}
