public import AlcoholKinetics
public import Estimation

/// How one method does in one quantity over all subjects, or those of one sex.
public struct MethodSummary: Codable, Hashable, Sendable {
  public let rFactor: String
  public let quantity: ComparedQuantity
  /// The sex of the subjects, or nil for all of them.
  public let sex: Sex?
  /// Whether it is ranked: on the series that every ranked method has.
  public let isRanked: Bool
  public let subjects: Int
  /// All errors together, in the unit of the quantity.
  public let errors: ErrorSummary
  /// Where 95 % of the errors of new subjects are expected, several errors of one subject not taken
  /// for independent; nil for fewer than 2 subjects.
  public let limitsOfAgreement: Interval?
  /// Interval of the bias over subjects; nil for fewer than 2.
  public let biasInterval: Interval?
  public let maeInterval: Interval?
  public let rmseInterval: Interval?

  /// How the intervals are made; nil where there are none.
  public var intervalKind: Bootstrap.Kind? {
    biasInterval.flatMap { _ in Bootstrap.kind(count: subjects) }
  }

  /// Sums up the errors of a method; nil if there are none.
  init?(_ method: String, _ all: MethodErrors, _ intervals: [Interval?]) {
    let bySubject = all.bySubject(method)
    guard let errors = ErrorSummary(errors: bySubject.flatMap(\.self)) else { return nil }
    rFactor = method
    quantity = all.quantity
    sex = all.sex
    isRanked = all.ranking.ranks(method)
    subjects = bySubject.count
    self.errors = errors
    limitsOfAgreement = RepeatedAgreement(bySubject: bySubject)?.limits
    biasInterval = intervals[0]
    maeInterval = intervals[1]?.notBelowZero
    rmseInterval = intervals[2]?.notBelowZero
  }
}

extension Interval {
  /// The interval of what cannot be below zero.
  var notBelowZero: Interval { Interval(low: max(0, low), high: high) }
}
