public import AlcoholKinetics

/// What an export of Apple Health does not say.
public struct HealthOptions: Hashable, Sendable {
  /// Whose export it is.
  public var subject: String
  /// Ethanol in one of Apple's alcoholic beverages. Apple counts standard drinks; 14 g is that of
  /// the United States (NIAAA), 10 g that of much of Europe and Australia.
  public var ethanolPerBeverage: Grams

  /// Names the subject.
  public init(subject: String, ethanolPerBeverage: Grams = 14) {
    self.subject = subject
    self.ethanolPerBeverage = ethanolPerBeverage
  }
}
