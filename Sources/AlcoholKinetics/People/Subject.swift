/// A person of a study, with the body measures that are known.
///
/// Everything but the name may be missing; what a computation needs, it asks for.
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
  /// The name of the covariate that says what the subject had eaten.
  package static let foodName = "food"

  /// What the subject had eaten when drinking began, if the study says so: the covariate `food`, which every form
  /// of a study keeps with the others.
  public var food: FoodState? {
    get { covariates[Self.foodName].flatMap(FoodState.init(rawValue:)) }
    set { covariates[Self.foodName] = newValue?.rawValue }
  }
}

/// What was in the stomach when drinking began.
public enum FoodState: String, CaseIterable, Codable, Hashable, Sendable {
  /// Nothing for hours.
  case fasted
  /// A meal.
  case fed

  /// The words, for messages.
  package static let inWords = allCases.map(\.rawValue).joined(separator: " or ")

  /// What a word for it most likely means; nil if it may mean anything.
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
