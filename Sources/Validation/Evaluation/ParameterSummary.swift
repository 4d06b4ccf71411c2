import AlcoholKinetics
import StudyData

/// One estimated parameter over the subjects of a study.
///
/// Only estimates that say something enter: those of fits that ended in a minimum, that do not stand
/// at a bound, and that the readings determine. An estimate of which this was not examined (no
/// intervals, or Wald's) counts as determined. A subject counts once, by the mean of its occasions,
/// so that the standard deviation is that between people.
public struct ParameterSummary: Hashable, Sendable {
  /// Which parameter.
  public let parameter: FitParameter
  /// The subjects' values in the parameter's unit, in the study's order; nil if there are none.
  public let values: Sample?
  /// How many series these come from.
  public let series: Int
  /// How many series have an estimate that their readings do not determine, or that is at a bound.
  public let undetermined: Int
  /// How many series have no fit, or one that did not end in a minimum.
  public let failed: Int

  /// Sums up every parameter that some fit of a study estimated, in their order.
  public static func summaries(of fits: [StudyFit]) -> [ParameterSummary] {
    let estimated = fits.reduce(into: Set<FitParameter>()) { parameters, fit in
      if let fit = try? fit.result.get() { parameters.formUnion(fit.estimates.keys) }
    }
    return estimated.sorted().map { ParameterSummary($0, of: fits) }
  }

  private init(_ parameter: FitParameter, of fits: [StudyFit]) {
    var subjects: [String] = []
    var bySubject: [String: [Double]] = [:]
    var (undetermined, failed) = (0, 0)
    for fit in fits {
      guard let value = try? fit.result.get(), value.isConverged,
        let estimate = value.estimates[parameter]
      else {
        failed += 1
        continue
      }
      guard estimate.isIdentifiable != false, !estimate.isAtBound else {
        undetermined += 1
        continue
      }
      let subject = fit.series.subject.id
      if bySubject[subject] == nil { subjects.append(subject) }
      bySubject[subject, default: []].append(estimate.value)
    }
    self.parameter = parameter
    self.undetermined = undetermined
    self.failed = failed
    series = bySubject.values.reduce(0) { $0 + $1.count }
    values = Sample(subjects.compactMap { bySubject[$0].flatMap(Sample.init)?.mean })
  }

  /// The standard deviation in percent of the mean; nil for fewer than 2 subjects, or a mean of 0.
  public var coefficientOfVariation: Double? {
    guard let values, let deviation = values.standardDeviation, values.mean != 0 else { return nil }
    return 100 * deviation / values.mean
  }
}
