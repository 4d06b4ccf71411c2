public import AlcoholKinetics

/// What one subject drank and what was measured, on one occasion.
public struct Series: Hashable, Sendable {
  /// Who.
  public var subject: Subject
  /// Which occasion, where the study has several for a subject.
  public var occasion: String?
  /// The drinks in order of time.
  public var drinks: [Drink]
  /// The readings in order of time.
  public var readings: [Reading]
  /// The UUIDs of drinks and readings, where the study gives any.
  public var uuids: GivenUUIDs
  /// What was found wrong with this series' data.
  public var diagnostics: [Diagnostic]

  /// Puts a series together.
  public init(
    subject: Subject,
    occasion: String? = nil,
    drinks: [Drink],
    readings: [Reading],
    uuids: GivenUUIDs = GivenUUIDs(),
    diagnostics: [Diagnostic] = []
  ) {
    self.subject = subject
    self.occasion = occasion
    self.drinks = drinks
    self.readings = readings
    self.uuids = uuids
    self.diagnostics = diagnostics
  }

  /// The first error among the diagnostics; a series that has one cannot be evaluated.
  public var firstError: Diagnostic? {
    diagnostics.first { $0.severity == .error }
  }
}
