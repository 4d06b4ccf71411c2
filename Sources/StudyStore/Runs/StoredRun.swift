public import AlcoholKinetics
public import StudyData

/// What a command computed from a study, and how.
public struct StoredRun: Codable, Hashable, Sendable {
  /// An option and its value, defaults included.
  public struct Option: Codable, Hashable, Sendable {
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

/// A row of a run: what came out for a series, by a method if there are several.
public struct StoredResult: Codable, Hashable, Sendable {
  /// Who; empty for what is of all people together.
  public var subject: String
  /// On which occasion, where there are several.
  public var occasion: String?
  /// By which method, where there are several.
  public var method: String?
  /// How far it can be used: `ok`, or why not.
  public var status: String
  /// More about a failure.
  public var reason: String?
  /// The parameters of a fit.
  public var fits: [StoredFit]
  /// All other numbers.
  public var metrics: [StoredMetric]

  /// Describes a row.
  public init(
    subject: String,
    occasion: String? = nil,
    method: String? = nil,
    status: String,
    reason: String? = nil,
    fits: [StoredFit] = [],
    metrics: [StoredMetric] = []
  ) {
    self.subject = subject
    self.occasion = occasion
    self.method = method
    self.status = status
    self.reason = reason
    self.fits = fits
    self.metrics = metrics
  }
}

/// A parameter of a fit.
public struct StoredFit: Codable, Hashable, Sendable {
  /// Its name.
  public var parameter: String
  /// The unit of all that follows.
  public var unit: String
  /// Its value; nil if it hit its search limit.
  public var value: Double?
  /// The standard error, if there is one.
  public var standardError: Double?
  /// The lower end of the interval, if it is known.
  public var low: Double?
  /// The upper end of the interval, if it is known.
  public var high: Double?
  /// Whether the readings determine it; nil if this was not examined.
  public var isIdentifiable: Bool?
  /// Whether it was estimated, and not held.
  public var isEstimated: Bool

  /// Describes a parameter.
  public init(
    parameter: String,
    unit: String,
    value: Double?,
    standardError: Double? = nil,
    low: Double? = nil,
    high: Double? = nil,
    isIdentifiable: Bool? = nil,
    isEstimated: Bool = true
  ) {
    self.parameter = parameter
    self.unit = unit
    self.value = value
    self.standardError = standardError
    self.low = low
    self.high = high
    self.isIdentifiable = isIdentifiable
    self.isEstimated = isEstimated
  }
}

/// A number that came out of a run.
public struct StoredMetric: Codable, Hashable, Sendable {
  /// Its name, with the unit in it.
  public var name: String
  /// The number.
  public var value: Double

  /// Names a number.
  public init(name: String, value: Double) {
    self.name = name
    self.value = value
  }
}

/// A run in a list of them.
public struct RunSummary: Codable, Hashable, Sendable {
  /// The run's number.
  public var id: Int64
  /// When it was stored, in UTC, as `2024-05-01 18:00:00`.
  public var madeUTC: String
  /// The command.
  public var command: String
  /// The version of Promille.
  public var version: String
  /// The study it was made of, as the command named it.
  public var study: String?
  /// How many rows came out.
  public var results: Int
  /// How many of them have a status other than `ok`.
  public var withoutResult: Int
}
