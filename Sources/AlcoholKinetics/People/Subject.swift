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

/// Biological sex, as the r-factor formulas use it.
public enum Sex: String, CaseIterable, Codable, Hashable, Sendable {
  case male
  case female
}
