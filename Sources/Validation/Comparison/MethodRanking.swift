public import AlcoholKinetics
import Estimation

/// All methods at once, ranked by their mean absolute error within each subject.
/// Errors of times to sobriety are those that are expected between their limits.
public struct MethodRanking: Codable, Hashable, Sendable {
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

  /// The ranked methods, and where others stand aside, all of them on the subjects that they have in common.
  static func rankings(of all: MethodErrors) -> [MethodRanking] {
    let methods = all.methodsWithErrors
    let ranked = methods.filter(all.ranking.ranks)
    return (methods == ranked ? [methods] : [ranked, methods])
      .compactMap { MethodRanking($0, all) }
  }

  /// Nil where there is no test: fewer than 2 subjects with errors by all methods, or fewer than 3
  /// methods.
  private init?(_ methods: [String], _ all: MethodErrors) {
    guard let test = FriedmanTest(blocks: all.blocks(methods))
    else { return nil }
    quantity = all.quantity
    sex = all.sex
    self.methods = methods
    self.test = test
    subjectsWithErrors = all.subjectCount
    undefined = all.undefined.filter { methods.contains($0.key) }
  }
}

/// What predictions are judged by.
public enum ComparedQuantity: String, CaseIterable, Codable, CodingKeyRepresentable, Hashable,
  Sendable
{
  /// The concentration at every reading, in g/kg.
  case concentration
  /// The height of the peak, in g/kg.
  case peak
  /// The time to sobriety, in min; of what is measured limits are known (``SobrietyError``).
  case sobriety
  /// The r factor itself, in kg/kg, against the observed one.
  case r

  /// What a predicted curve is judged by.
  public static let ofCurves: [ComparedQuantity] = [.concentration, .peak, .sobriety]

  public var unit: String {
    switch self {
    case .concentration, .peak: "g/kg"
    case .sobriety: "min"
    case .r: "kg/kg"
    }
  }

  /// The errors of a comparison, predicted minus measured; empty where there is nothing to compare, and
  /// for times to sobriety, whose errors are not known exactly.
  func errors(of comparison: Comparison) -> [Double] {
    switch self {
    case .concentration: comparison.agreement?.errors ?? []
    case .peak: (comparison.agreement?.peakError).map { [$0] } ?? []
    case .sobriety, .r: []
    }
  }
}
