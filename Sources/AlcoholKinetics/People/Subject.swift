/// A person of a study, with the body measures that are known.
///
/// All measures may be missing; computations throw if they need a missing one.
public struct Subject: Codable, Hashable, Sendable {
  /// The subject's name in the study.
  public var id: String
  /// Biological sex.
  public var sex: Sex?
  /// Age at the time of the study.
  public var age: Years?
  /// Body height.
  public var height: Metres?
  /// Body weight.
  public var weight: Kilograms?
  /// Further columns of the study, by column name, passed through unread.
  public var covariates: [String: String]

  /// Describes a subject by the measures that are known.
  public init(
    id: String,
    sex: Sex? = nil,
    age: Years? = nil,
    height: Metres? = nil,
    weight: Kilograms? = nil,
    covariates: [String: String] = [:]
  ) {
    self.id = id
    self.sex = sex
    self.age = age
    self.height = height
    self.weight = weight
    self.covariates = covariates
  }
}

extension Subject {
  /// Describes a subject by the measures that are known, each with its unit.
  public init(
    _ id: String, sex: Sex? = nil, age: Stated<YearUnit>? = nil, height: Stated<MetreUnit>? = nil,
    weight: Stated<KilogramUnit>? = nil
  ) {
    self.init(
      id: id, sex: sex, age: age?.quantity, height: height?.quantity, weight: weight?.quantity)
  }
}

extension Subject {
  /// The name of the covariate with the food state.
  package static let foodName = "food"

  /// The food state at the beginning of drinking, from the covariate `food`; nil if not stated.
  public var food: FoodState? {
    get { covariates[Self.foodName].flatMap(FoodState.init(rawValue:)) }
    set { covariates[Self.foodName] = newValue?.rawValue }
  }
}

/// The food state at the beginning of drinking.
public enum FoodState: String, CaseIterable, Codable, Hashable, Sendable {
  /// Nothing for hours.
  case fasted
  /// A meal.
  case fed

  /// The words, for messages.
  package static let inWords = allCases.map(\.rawValue).joined(separator: " or ")

  /// The most likely meaning of a word; nil if it is ambiguous.
  package init?(meantBy word: String) {
    switch word.lowercased() {
    case "fasting", "fast", "empty", "empty stomach", "before meal", "no", "none", "nothing":
      self = .fasted
    case "feed", "eaten", "full", "full stomach", "meal", "after meal", "postprandial", "yes":
      self = .fed
    case let word where word.hasPrefix("fas"): self = .fasted
    case let word where word.hasPrefix("fe"): self = .fed
    default: return nil
    }
  }
}

/// Biological sex, as the r-factor formulas use it.
public enum Sex: String, CaseIterable, Codable, Hashable, Sendable {
  case male
  case female
}
