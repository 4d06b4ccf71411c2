public import AlcoholKinetics
public import Estimation

/// How far one method's r is from the observed r over the subjects of a study.
///
/// Methods may exist for different subjects (Ulrich's for men only): compare their summaries by sex,
/// or where the counts are the same.
public struct RComparisonSummary: Hashable, Sendable {
  /// Name of the r-factor method.
  public let rFactor: String
  /// The sex of the subjects; nil for all of them.
  public let sex: Sex?
  /// The errors of r, estimated minus observed, in kg/kg; nil if there are none.
  public let errors: ErrorSummary?
  /// Interval of the mean error over subjects, in kg/kg; nil for fewer than 2 subjects.
  public let bias: Interval?
  /// Interval of the root mean squared error, in kg/kg.
  public let rmse: Interval?
  /// Interval of the mean absolute error, in kg/kg.
  public let mae: Interval?

  /// Summarises each method over all subjects and, if asked to, over those of each sex.
  ///
  /// Methods stay in the order of the comparisons. A sex that the study has is there for every
  /// method, also where the method has no formula for it.
  ///
  /// - Parameters:
  ///   - comparisons: One per subject and method.
  ///   - bySex: Whether to summarise over men and women apart as well.
  ///   - bootstrap: How to draw subjects for the intervals; methods that exist for the same subjects
  ///     see the same draws.
  public static func summaries(
    of comparisons: [RComparison], bySex: Bool = false, bootstrap: Bootstrap
  ) -> [RComparisonSummary] {
    let known = Set(comparisons.compactMap(\.subject.sex))
    let groups: [Sex?] = [nil] + (bySex ? Sex.allCases.filter(known.contains) : [])
    let drafts = methods(of: comparisons).flatMap { method in
      let ofMethod = comparisons.filter { $0.rFactor == method }
      return groups.map { sex in
        let group = ofMethod.filter { sex == nil || $0.subject.sex == sex }
        return (method: method, sex: sex, errors: group.compactMap(\.error?.value))
      }
    }
    let intervals = bootstrap.intervals(
      of: drafts.map { draft in
        ErrorTotals.statistics(of: draft.errors.map { ErrorTotals(of: [$0]) })
      })
    return zip(drafts, intervals).map {
      RComparisonSummary($0.method, $0.sex, errors: $0.errors, $1)
    }
  }

  private static func methods(of comparisons: [RComparison]) -> [String] {
    var seen: Set<String> = []
    return comparisons.map(\.rFactor).filter { seen.insert($0).inserted }
  }

  private init(_ rFactor: String, _ sex: Sex?, errors: [Double], _ intervals: [Interval?]) {
    self.rFactor = rFactor
    self.sex = sex
    self.errors = ErrorSummary(errors: errors)
    bias = intervals[0]
    rmse = intervals[2]?.notBelowZero
    mae = intervals[1]?.notBelowZero
  }
}
