public import AlcoholKinetics
public import Foundation
public import StudyData
import StudyFiles

/// The origin of a result: program, options, inputs and conversions, so that it can be reproduced.
public struct Provenance: Codable, Sendable {
  public var version: String
  public var command: String
  /// The options of the command, defaults included, in the order of the help.
  public var options: [Option]
  public var inputs: [InputDigest]
  /// The factors by which concentrations were converted.
  public var factors: ConversionFactors
  /// The date, command line and hardware of the run. Only pages show it: other formats of equal
  /// results stay equal byte by byte.
  public var run: Run?

  // Without `run`.
  private enum CodingKeys: CodingKey { case version, command, options, inputs, factors }

  /// An option with its value; a list of them keeps their order.
  public struct Option: Codable, Sendable {
    public let name: String
    public let value: JSONValue
  }

  /// A run of the command.
  public struct Run: Sendable {
    /// The date and the time of day, in UTC.
    public let date: String
    /// The command as it can be typed again.
    public let commandLine: String
    /// The number of points that fits evaluate at once; results do not depend on it.
    public let lanesAtOnce = Lanes.countAtOnce

    /// Describes a run.
    ///
    /// - `arguments`: The name of the program and what was given to it.
    public init(at date: Date, _ arguments: [String]) {
      self.date =
        date.formatted(.iso8601.year().month().day().dateSeparator(.dash)) + " "
        + date.formatted(.iso8601.time(includingFractionalSeconds: false)).prefix(5) + " UTC"
      commandLine = arguments.map(\.quotedForShell).joined(separator: " ")
    }
  }

  public init(
    version: String,
    command: String,
    options: [(name: String, value: JSONValue)],
    inputs: [InputDigest],
    factors: ConversionFactors
  ) {
    self.version = version
    self.command = command
    self.options = options.map { Option(name: $0.name, value: $0.value) }
    self.inputs = inputs
    self.factors = factors
  }

  var json: JSONValue {
    [
      "tool": "promille", "version": .string(version), "command": .string(command),
      "options": .object(options.map { ($0.name, $0.value) }),
      "inputs": .array(
        inputs.map { ["file": .string($0.file), "sha256": .string($0.sha256)] }),
      "conversion_factors": [
        "blood_density_kg_per_l": .number(factors.bloodDensityKgPerL),
        "blood_breath_ratio": .number(factors.bloodBreathRatio),
        "serum_blood_ratio": .number(factors.serumBloodRatio),
      ],
    ]
  }
}

extension Provenance {
  /// The SHA-256 digest of everything that decides a result: of what JSON has as `provenance`, on one line.
  var digest: String { Array(json.line.utf8).withUnsafeBytes(SHA256.hexDigest) }
}
