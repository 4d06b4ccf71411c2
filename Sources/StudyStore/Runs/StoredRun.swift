public import AlcoholKinetics
public import StudyData

/// What a command computed from a study, and how.
public struct StoredRun: Codable, Hashable, Sendable {
  /// An option and its value, defaults included.
  public struct Option: Codable, Hashable, Sendable {
    public var name: String
    /// Its value, as JSON.
    public var json: String

    public init(name: String, json: String) {
      self.name = name
      self.json = json
    }
  }

  public var command: String
  public var version: String
  public var options: [Option]
  public var inputs: [InputDigest]
  public var factors: ConversionFactors
  /// What came out, a row per series and method.
  public var results: [StoredResult]

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
  public var occasion: String?
  public var method: String?
  /// How far it can be used: `ok`, or why not.
  public var status: String
  public var reason: String?
  public var fits: [StoredFit]
  public var metrics: [StoredMetric]

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
  public var parameter: String
  /// The unit of all that follows.
  public var unit: String
  /// Its value; nil if it hit its search limit.
  public var value: Double?
  public var standardError: Double?
  public var low: Double?
  public var high: Double?
  /// Whether the readings determine it; nil if this was not examined.
  public var isIdentifiable: Bool?
  /// Whether it was estimated, and not held.
  public var isEstimated: Bool

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
  public var value: Double

  public init(name: String, value: Double) {
    self.name = name
    self.value = value
  }
}

/// A run in a list of them.
public struct RunSummary: Codable, Hashable, Sendable {
  public var id: Int64
  /// When it was stored, in UTC, as `2024-05-01 18:00:00`.
  public var madeUTC: String
  public var command: String
  public var version: String
  /// The study it was made of, as the command named it.
  public var study: String?
  public var results: Int
  /// How many of them have a status other than `ok`.
  public var withoutResult: Int
}
