public import AlcoholKinetics
public import StudyData

/// What a result was made from and how, so that it can be made again.
public struct Provenance: Sendable {
  /// The version of Promille.
  public var version: String
  /// The command that was run.
  public var command: String
  /// Its options, defaults included, in the order they are documented.
  public var options: [(name: String, value: JSONValue)]
  /// The files that were read.
  public var inputs: [InputDigest]
  /// How concentrations were converted.
  public var factors: ConversionFactors

  /// Describes how a result was made.
  public init(
    version: String,
    command: String,
    options: [(name: String, value: JSONValue)],
    inputs: [InputDigest],
    factors: ConversionFactors
  ) {
    self.version = version
    self.command = command
    self.options = options
    self.inputs = inputs
    self.factors = factors
  }

  var json: JSONValue {
    .object([
      ("tool", .string("promille")),
      ("version", .string(version)),
      ("command", .string(command)),
      ("options", .object(options.map { ($0.name, $0.value) })),
      (
        "inputs",
        .array(
          inputs.map { .object([("file", .string($0.file)), ("sha256", .string($0.sha256))]) })
      ),
      (
        "conversion_factors",
        .object([
          ("blood_density_kg_per_l", .number(factors.bloodDensityKgPerL)),
          ("blood_breath_ratio", .number(factors.bloodBreathRatio)),
          ("serum_blood_ratio", .number(factors.serumBloodRatio)),
        ])
      ),
    ])
  }
}
