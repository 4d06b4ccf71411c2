public import AlcoholKinetics
public import Estimation

/// How one method does in one quantity over all subjects, or those of one sex.
public struct MethodSummary: Codable, Hashable, Sendable {
  public let rFactor: String
  public let quantity: ComparedQuantity
  /// The sex of the subjects, or nil for all of them.
  public let sex: Sex?
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

  init(_ draft: Draft, _ intervals: [Interval?]) {
    rFactor = draft.method
    quantity = draft.quantity
    sex = draft.sex
    subjects = draft.bySubject.count
    errors = draft.errors
    limitsOfAgreement = RepeatedAgreement(bySubject: draft.bySubject)?.limits
    biasInterval = intervals[0]
    maeInterval = intervals[1]?.notBelowZero
    rmseInterval = intervals[2]?.notBelowZero
  }

  /// A summary before its intervals are known.
  struct Draft {
    let method: String
    let quantity: ComparedQuantity
    let sex: Sex?
    let bySubject: [[Double]]
    let errors: ErrorSummary

    init?(_ method: String, _ all: MethodErrors) {
      bySubject = all.bySubject(method)
      guard let errors = ErrorSummary(errors: bySubject.flatMap(\.self)) else { return nil }
      self.method = method
      quantity = all.quantity
      sex = all.sex
      self.errors = errors
    }

    /// Bias, mean absolute error and root mean squared error.
    var asked: Bootstrap.OfSums { ErrorTotals.statistics(of: bySubject.map(ErrorTotals.init(of:))) }
  }
}

extension Interval {
  /// The interval of what cannot be below zero.
  var notBelowZero: Interval { Interval(low: max(0, low), high: high) }
}
