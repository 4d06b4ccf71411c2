import AlcoholKinetics
public import Estimation

/// A task whose speed is measured, with its reference and target.
///
/// To add one, add a file to `Works` and a line to ``BenchmarkWork/all(_:)``.
public struct BenchmarkWork {
  /// A repeatable task.
  public struct Task {
    /// Its name, lower case with underscores.
    public let name: String
    /// The number of units that one run processes.
    public let count: Int
    /// Runs the task once. The result depends on all that was computed, so that the compiler cannot
    /// remove any of it.
    public let run: () -> Double
  }

  /// The measured task.
  public let task: Task
  /// The unit counted, in the plural.
  public let unit: String
  /// The reference task, measured in the same run; nil if there is only an absolute speed.
  public let reference: Task?
  /// The target; nil without one.
  public let target: BenchmarkTarget?

  init(_ task: Task, unit: String, reference: Task? = nil, target: BenchmarkTarget? = nil) {
    self.task = task
    self.unit = unit
    self.reference = reference
    self.target = target
  }
}

/// The target speed of a task.
public enum BenchmarkTarget: Codable, Hashable, Sendable {
  /// The speed relative to the reference, measured in the same run.
  case ratio(Double)
  /// Units per second on one core.
  case rate(Double)
}

extension BenchmarkWork {
  /// All benchmarks.
  ///
  /// - Throws: `SeriesFailure` if there is not enough memory for a size.
  public static func all(_ size: BenchmarkSize = .usual) throws(SeriesFailure) -> [Self] {
    try curves(size) + fits(of: BenchmarkSeries.madeUp(size.fits))
      + reading(readings: size.readings)
  }

  /// The benchmarks of the curve engine.
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
      throw .problem(error)
    }
  }
}

/// The sizes of the tasks of a benchmark.
public struct BenchmarkSize: Hashable, Sendable {
  /// Days of the one long curve.
  public var days = 7
  /// Subjects of the cohort that stays in the processor's cache.
  public var smallCohort = 20
  /// Subjects of the cohort that does not.
  public var largeCohort = 1000
  /// Series to fit.
  public var fits = 200
  /// Readings of a study to read.
  public var readings = 1_000_000

  /// The sizes that targets refer to.
  public static let usual = BenchmarkSize()
  /// Tiny sizes, to check that tasks run.
  public static let quick = BenchmarkSize(
    days: 1, smallCohort: 2, largeCohort: 4, fits: 2, readings: 50)
}
