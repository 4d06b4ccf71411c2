public import AlcoholKinetics

/// How a simulated cohort is made up and measured.
public struct CohortDesign: Hashable, Sendable {
  /// How many subjects there are.
  public var subjects: Int
  /// Equal seeds give equal cohorts; a longer one begins with the same subjects.
  public var seed: UInt64
  /// How many readings everybody has.
  public var readings: Int
  /// Time between readings; the first comes so long after the first drink.
  public var every: Hours
  /// Standard deviation of a reading.
  public var noise: GramsPerKilogram
  /// Readings below it are shown as 0; nil for an instrument without a limit of detection.
  public var limitOfDetection: GramsPerKilogram?
  /// Standard deviation of log r about Watson's; 0 gives everybody Watson's r.
  public var spreadOfR: Double
  /// How ethanol is eliminated.
  public var model: EliminationModel

  /// Describes a cohort; everything but its size has a default.
  public init(
    subjects: Int, seed: UInt64 = 1, readings: Int = 25, every: Hours = Hours(minutes: 20),
    noise: GramsPerKilogram = 0.02, limitOfDetection: GramsPerKilogram? = nil,
    spreadOfR: Double = 0.05, model: EliminationModel = .widmark
  ) {
    self.subjects = subjects
    self.seed = seed
    self.readings = readings
    self.every = every
    self.noise = noise
    self.limitOfDetection = limitOfDetection
    self.spreadOfR = spreadOfR
    self.model = model
  }
}
