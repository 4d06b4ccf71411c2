public import AlcoholKinetics

/// How one method does in one quantity over all subjects, or those of one sex.
public struct MethodSummary: Sendable {
  /// The method.
  public let rFactor: String
  /// What is judged.
  public let quantity: ComparedQuantity
  /// The sex of the subjects, or nil for all of them.
  public let sex: Sex?
  /// How many subjects have errors.
  public let subjects: Int
  /// All errors together, in the unit of the quantity.
  public let errors: ErrorSummary
  /// Where 95 % of the errors of new subjects are expected, several errors of one subject not taken
  /// for independent; nil for fewer than 2 subjects.
  public let limitsOfAgreement: Interval?
  /// Bootstrap interval of the bias; nil for fewer than 2 subjects.
  public let biasInterval: Interval?
  /// Bootstrap interval of the mean absolute error.
  public let maeInterval: Interval?
  /// Bootstrap interval of the root mean squared error.
  public let rmseInterval: Interval?

  init?(_ method: String, _ all: MethodErrors, _ bootstrap: Bootstrap) {
    let bySubject = all.bySubject(method)
    guard let errors = ErrorSummary(errors: bySubject.flatMap(\.self)) else { return nil }
    let totals = bySubject.map(ErrorTotals.init(of:))
    let intervals = bootstrap.intervals(count: totals.count, width: 3) { drawn in
      let total = drawn.reduce(into: ErrorTotals()) { $0 += totals[$1] }
      return [total.bias, total.mae, total.rmse]
    }
    rFactor = method
    quantity = all.quantity
    sex = all.sex
    subjects = bySubject.count
    self.errors = errors
    limitsOfAgreement = RepeatedAgreement(bySubject: bySubject)?.limits
    biasInterval = intervals[0]
    maeInterval = intervals[1]
    rmseInterval = intervals[2]
  }
}
