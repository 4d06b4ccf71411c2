public import AlcoholKinetics
public import StudyData

/// A simulated subject whose true parameters are known.
public struct SimulatedPerson: Hashable, Sendable {
  /// What is known of the subject, the drinks and the readings.
  public let series: Series
  /// The truth behind the readings.
  public let parameters: ModelParameters
}
