import AlcoholKinetics
package import Estimation

/// A piece of work whose speed is measured, and what it is compared with.
///
/// A work is a file in `Works` and a line in ``BenchmarkWork/all(_:)``.
package struct BenchmarkWork {
  /// Something to do again and again.
  package struct Task {
    /// Its name, lower case with underscores.
    package let name: String
    /// How many units one run does.
    package let count: Int
    /// Does it once. What it returns depends on all that was computed, so that nothing of it can be
    /// left out.
    package let run: () -> Double
  }

  /// What is measured.
  package let task: Task
  /// What is counted, in the plural.
  package let unit: String
  /// What the speed is divided by, measured in the same run; nil if the speed speaks for itself.
  package let reference: Task?
  /// The ratio to be reached; nil without a bar.
  package let target: BenchmarkTarget?

  init(_ task: Task, unit: String, reference: Task? = nil, target: BenchmarkTarget? = nil) {
    self.task = task
    self.unit = unit
    self.reference = reference
    self.target = target
  }
}

/// What a work is to reach.
package enum BenchmarkTarget: Codable, Hashable, Sendable {
  /// So many times the speed of its reference, measured in the same run.
  case ratio(Double)
  /// So many of its unit a second on one core.
  case rate(Double)
}

extension BenchmarkWork {
  /// Every work there is; a new file in `Works` has its line here.
  ///
  /// - Throws: `SeriesFailure` if there is not enough memory for a size.
  package static func all(_ size: BenchmarkSize = .usual) throws(SeriesFailure) -> [Self] {
    try curves(size) + fits(of: BenchmarkSeries.madeUp(size.fits))
      + reading(readings: size.readings)
  }

  /// What the engine does.
  private static func curves(_ size: BenchmarkSize) throws(SeriesFailure) -> [Self] {
    do {
      return [try oneCurve(days: size.days, ka: 18), try oneCurve(days: size.days, ka: 1)]
        + (try manyCurves("many_curves_in_cache", subjects: size.smallCohort))
        + (try manyCurves("many_curves", subjects: size.largeCohort))
        + [
          try timeToThreshold(subjects: size.smallCohort),
          try timeToSobriety(subjects: size.smallCohort),
          try peak(subjects: size.smallCohort), try area(subjects: size.smallCohort),
        ]
    } catch {
      throw .kinetics(error)
    }
  }
}

/// How large the works of a benchmark are.
package struct BenchmarkSize: Hashable, Sendable {
  /// Days of the one long curve.
  package var days = 7
  /// Subjects of the cohort that stays in the processor's cache.
  package var smallCohort = 20
  /// Subjects of the cohort that does not.
  package var largeCohort = 1000
  /// Series to fit.
  package var fits = 200
  /// Readings of a study to read.
  package var readings = 1_000_000

  /// The sizes of the bars.
  package static let usual = BenchmarkSize()
  /// Sizes that take no time.
  package static let quick = BenchmarkSize(
    days: 1, smallCohort: 2, largeCohort: 4, fits: 2, readings: 50)
}
