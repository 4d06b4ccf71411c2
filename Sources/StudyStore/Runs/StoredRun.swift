public import AlcoholKinetics
public import StudyData

/// What a command computed from a study, and how.
public struct StoredRun: Hashable, Sendable {
  /// An option and its value, defaults included.
  public struct Option: Hashable, Sendable {
    /// Its name.
    public var name: String
    /// Its value, as JSON.
    public var json: String

    /// Names an option and its value.
    public init(name: String, json: String) {
      self.name = name
      self.json = json
    }
  }

  /// The command.
  public var command: String
  /// The version of Promille.
  public var version: String
  /// Its options, in order.
  public var options: [Option]
  /// The files that were read.
  public var inputs: [InputDigest]
  /// How concentrations were converted.
  public var factors: ConversionFactors
  /// What came out, a row per series and method.
  public var results: [StoredResult]

  /// Describes a run.
  public init(
    command: String,
    version: String,
    options: [Option],
    inputs: [InputDigest],
    factors: ConversionFactors,
    results: [StoredResult]
  ) {
    self.command = command
    self.version = version
    self.options = options
    self.inputs = inputs
    self.factors = factors
    self.results = results
  }
}
