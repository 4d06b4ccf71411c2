/// How large the works of a benchmark are.
public struct BenchmarkSize: Hashable, Sendable {
  /// Days of the one long curve.
  public var days: Int
  /// Subjects of the cohort that stays in the processor's cache.
  public var smallCohort: Int
  /// Subjects of the cohort that does not.
  public var largeCohort: Int
  /// Series to fit.
  public var fits: Int
  /// Readings of a study to read.
  public var readings: Int

  /// Sizes that take no time.
  public static let quick = BenchmarkSize(
    days: 1, smallCohort: 2, largeCohort: 4, fits: 2, readings: 50)

  /// Chooses sizes; the default is what is promised for.
  public init(
    days: Int = 7, smallCohort: Int = 20, largeCohort: Int = 1000, fits: Int = 200,
    readings: Int = 1_000_000
  ) {
    self.days = days
    self.smallCohort = smallCohort
    self.largeCohort = largeCohort
    self.fits = fits
    self.readings = readings
  }
}
