public import AlcoholKinetics

/// All methods at once, ranked by their mean absolute error within each subject.
public struct MethodRanking: Sendable {
  /// What is judged.
  public let quantity: ComparedQuantity
  /// The sex of the subjects, or nil for all of them.
  public let sex: Sex?
  /// The methods, in the order of the test's mean ranks.
  public let methods: [String]
  /// Friedman's test over the subjects that have errors by all methods.
  public let test: FriedmanTest

  /// Nil where there is no test: fewer than 2 subjects with errors by all methods, or fewer than 3
  /// methods.
  init?(_ all: MethodErrors) {
    let methods = all.methods.filter { !all.bySubject($0).isEmpty }
    guard let test = FriedmanTest(blocks: all.meanAbsoluteErrors(methods)) else { return nil }
    quantity = all.quantity
    sex = all.sex
    self.methods = methods
    self.test = test
  }
}
