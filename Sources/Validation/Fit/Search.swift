import GSL

/// The search for the minimum of one series from several starts.
struct Search {
  /// The best point found, with its covariance.
  let minimum: LeastSquaresFit
  /// What became of each start, in order.
  let outcomes: [StartOutcome]
  /// Which start led to the minimum.
  let best: Int

  /// Tries all starts and keeps the one with the smallest sum of squares.
  ///
  /// - Throws: ``SeriesFailure/notConverged(_:)`` if the model could be evaluated at no start,
  ///   ``SeriesFailure/solver(_:)`` if the solver could not be run.
  init(
    _ problem: LeastSquaresProblem,
    from starts: [[Double]],
    using solver: LeastSquaresSolver
  ) throws(SeriesFailure) {
    let fits = try Self.solve(problem, from: starts, using: solver)
    let usable = fits.indices.filter { fits[$0].rss.isFinite }
    guard let best = usable.min(by: { fits[$0].rss < fits[$1].rss }) else {
      throw .notConverged(fits.first?.exit ?? .evaluationFailed)
    }
    self.best = best
    minimum = try Self.completed(fits[best], of: problem, using: solver)
    outcomes = fits.map { fit in
      StartOutcome(rss: fit.rss, iterations: fit.iterations, exit: fit.exit)
    }
  }

  private static func solve(
    _ problem: LeastSquaresProblem, from starts: [[Double]], using solver: LeastSquaresSolver
  ) throws(SeriesFailure) -> [LeastSquaresFit] {
    var fits: [LeastSquaresFit] = []
    do throws(GSLError) {
      for start in starts {
        fits.append(try solver.solve(problem, from: start, covariance: false))
      }
    } catch {
      throw .solver(error)
    }
    return fits
  }

  /// The covariance is needed at the minimum alone.
  private static func completed(
    _ fit: LeastSquaresFit, of problem: LeastSquaresProblem, using solver: LeastSquaresSolver
  ) throws(SeriesFailure) -> LeastSquaresFit {
    var fit = fit
    do throws(GSLError) {
      try solver.addCovariance(to: &fit, of: problem)
    } catch {
      throw .solver(error)
    }
    return fit
  }
}
