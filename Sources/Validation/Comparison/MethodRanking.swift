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
  /// How many subjects have errors by any method; more than those of the test if some method has
  /// none for somebody.
  public let subjectsWithErrors: Int
  /// Which of the methods have no formula for a sex, whose subjects are therefore not in the test.
  public let undefined: [String: Sex]

  /// All methods at once, and where some of them are not defined for everybody, those that are.
  static func rankings(of all: MethodErrors) -> [MethodRanking] {
    let methods = all.methods.filter { !all.bySubject($0).isEmpty }
    let forAll = all.methodsForAll
    return (methods == forAll ? [methods] : [methods, forAll])
      .compactMap { MethodRanking($0, all) }
  }

  /// Nil where there is no test: fewer than 2 subjects with errors by all methods, or fewer than 3
  /// methods.
  private init?(_ methods: [String], _ all: MethodErrors) {
    guard let test = FriedmanTest(blocks: all.meanAbsoluteErrors(methods)) else { return nil }
    quantity = all.quantity
    sex = all.sex
    self.methods = methods
    self.test = test
    subjectsWithErrors = all.subjectCount
    undefined = all.undefined.filter { methods.contains($0.key) }
  }
}
