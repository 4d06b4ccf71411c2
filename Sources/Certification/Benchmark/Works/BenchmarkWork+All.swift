import AlcoholKinetics
public import Estimation

extension BenchmarkWork {
  /// Every work there is; a new file in `Works` has its line here.
  ///
  /// - Throws: ``SeriesFailure`` if there is not enough memory for a size.
  public static func all(_ size: BenchmarkSize = BenchmarkSize()) throws(SeriesFailure) -> [Self] {
    try curves(size) + fits(of: BenchmarkSeries.madeUp(size.fits))
      + reading(readings: size.readings)
  }

  /// What the engine does.
  private static func curves(_ size: BenchmarkSize) throws(SeriesFailure) -> [Self] {
    do {
      var works: [Self] = []
      works.append(try oneCurve(days: size.days, ka: 18))
      works.append(try oneCurve(days: size.days, ka: 1))
      works += try manyCurves("many_curves_in_cache", subjects: size.smallCohort)
      works += try manyCurves("many_curves", subjects: size.largeCohort)
      works.append(try timeToThreshold(subjects: size.smallCohort))
      works.append(try timeToSobriety(subjects: size.smallCohort))
      works.append(try peak(subjects: size.smallCohort))
      works.append(try area(subjects: size.smallCohort))
      return works
    } catch {
      throw .kinetics(error)
    }
  }
}
