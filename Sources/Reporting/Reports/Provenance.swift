public import AlcoholKinetics
public import Foundation
public import StudyData
import Validation

/// What a result was made from and how, so that it can be made again.
public struct Provenance: Sendable {
  public var version: String
  public var command: String
  /// Its options, defaults included, in the order they are documented.
  public var options: [(name: String, value: JSONValue)]
  public var inputs: [InputDigest]
  /// How concentrations were converted.
  public var factors: ConversionFactors
  /// When and with which words it was run, which pages tell; equal results differ in it, so that no other
  /// format has it.
  public var run: Run?

  /// A run of the command.
  public struct Run: Sendable {
    /// The date and the time of day, in UTC.
    public let date: String
    /// The command as it can be typed again.
    public let commandLine: String

    /// Describes a run.
    ///
    /// - Parameters:
    ///   - date: When it was.
    ///   - arguments: The name of the program and what was given to it.
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

extension Provenance: Codable {
  private enum Key: CodingKey { case version, command, options, inputs, factors }

  /// An option by its name; a list of them keeps their order.
  private struct Option: Codable {
    let name: String
    let value: JSONValue
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    self.init(
      version: try container.decode(String.self, forKey: .version),
      command: try container.decode(String.self, forKey: .command),
      options: try container.decode([Option].self, forKey: .options).map { ($0.name, $0.value) },
      inputs: try container.decode([InputDigest].self, forKey: .inputs),
      factors: try container.decode(ConversionFactors.self, forKey: .factors))
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(version, forKey: .version)
    try container.encode(command, forKey: .command)
    try container.encode(options.map(Option.init), forKey: .options)
    try container.encode(inputs, forKey: .inputs)
    try container.encode(factors, forKey: .factors)
  }
}

extension Provenance {
  /// The SHA-256 digest of everything that decides a result: of what JSON has as `provenance`, on one line.
  var digest: String { Array(json.line.utf8).withUnsafeBytes(SHA256.hexDigest) }
}

extension String {
  /// The text as a word of a command, in quotes where a shell would take it for more; what cannot be seen as an
  /// escape that shells read.
  fileprivate var quotedForShell: String {
    let plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+.,:/@%"
    let isPlain = !isEmpty && unicodeScalars.allSatisfy { plain.unicodeScalars.contains($0) }
    if isPlain { return self }
    // By scalars: a quote with an accent is a quote.
    guard unicodeScalars.contains(where: { !$0.isShown }) else {
      return "'\(unicodeScalars.map { $0 == "'" ? "'\\''" : String($0) }.joined())'"
    }
    let escaped = unicodeScalars.map { scalar -> String in
      if scalar == "'" || scalar == "\\" { return "\\\(scalar)" }
      return scalar.isShown
        ? String(scalar) : String(scalar).utf8.map { String(format: "\\%03o", $0) }.joined()
    }
    return "$'\(escaped.joined())'"
  }
}

extension PredictionOptions {
  /// What predictions were made with, in lines for people: k_a and beta, or what stands for it, and B
  /// where some method's r depends on it.
  var sourceLines: [String] {
    [kineticsLine] + [spreadLine, Self.waterLine(of: methods)].compactMap(\.self)
  }

  /// Where k_a and beta came from.
  private var kineticsLine: String {
    switch parameters {
    case .given:
      let name = model == .widmark ? "" : "\(model.title). "
      return "\(name)Predicted with \(givenValues)."
    case .fitted:
      return
        "With \(model.kineticSymbols) fitted to the same readings for each r: the best agreement "
        + "possible, not a prediction."
    case .leftOut:
      return "Predicted with the median \(model.kineticSymbols) of all other subjects' fits, for "
        + "each r."
    }
  }

  /// The values of absorption and elimination in words, and what they are typical of if they were not given.
  ///
  /// Where what subjects had eaten decides and may differ between them, both are told.
  var givenValues: String {
    guard case .given(let given) = parameters else { return "" }
    if let typical { return givenValues(typical, given) }
    let kinds = FoodState.allCases.map { givenValues(TypicalKinetics(of: $0), given) }
    guard kinds.count(where: { $0 == kinds.first }) < kinds.count else { return kinds[0] }
    return kinds.joined(separator: "; ") + ", by what the study says of each subject"
  }

  private func givenValues(
    _ typical: TypicalKinetics, _ given: [FitParameter: Double]
  ) -> String {
    let (men, women) = (
      typical.values(of: model, for: .male, given: given),
      typical.values(of: model, for: .female, given: given)
    )
    let values = ([.ka, .lag] + model.defaultEstimate.subtracting([.ka]).sorted())
      .compactMap { (parameter: FitParameter) -> String? in
        guard let value = men[parameter], parameter != .lag || value > 0 else { return nil }
        let number = { (value: Double) in
          NumberStyle.exact((parameter.reportedValue(value) * 1e4).rounded() / 1e4)
        }
        let unit = parameter == .lag ? parameter.reportedUnit : parameter.unit
        let text = "\(parameter.symbol) \(number(value)) \(unit)"
        if parameter == .ka {
          return text + " (half-life \(NumberStyle.significant(2).format(60 * log(2) / value)) min)"
        }
        guard let other = women[parameter], other != value else { return text }
        return text + " (women \(number(other)))"
      }
    let list = values.inWords
    let isGiven = given[.ka] != nil && (model != .widmark || given[.beta] != nil)
    guard !isGiven else { return list + " for all subjects" }
    return list
      + (typical == .nacar2021
        ? ", the values of Nacar (2021)" : ", typical of \(typical.rawValue) people")
  }

  /// The source of intervals of predictions; nil where there are none.
  private var spreadLine: String? {
    if case .fitted = parameters { return nil }
    let symbols = spreadParameters(of: typical ?? .fasted).map(\.symbol)
    let between =
      symbols.isEmpty ? "" : "\(symbols.joined(separator: ", ")) between people, and of "
    return "90 % intervals: the spread of \(between)r about its method (CV 12 to 15 %)."
  }

  /// Which methods' r depends on the water content of blood, and on which basis it is; nil if none.
  static func waterLine(of methods: [any RFactorMethod]) -> String? {
    let ofWater = methods.compactMap { $0 as? any BodyWaterMethod }
    guard let content = ofWater.first?.bloodWater.content else { return nil }
    let names = ofWater.map(\.name).joined(separator: ", ")
    let basis =
      switch content {
      case BloodWater.perLitre.content: " (for g/L; use 0.80 for g/kg)"
      case BloodWater.perKilogram.content: " (for g/kg)"
      default: " (usual: 0.80 for g/kg, 0.844 for g/L)"
      }
    return "r of \(names): body water / (B x weight), B \(NumberStyle.exact(content))\(basis)."
  }
}
