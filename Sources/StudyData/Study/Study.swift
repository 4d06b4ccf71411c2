public import AlcoholKinetics

/// A study: people, what they drank and what was measured.
public struct Study: Hashable, Sendable {
  /// The folder's name.
  public var name: String
  /// Title from the data package, if it has one.
  public var title: String?
  /// The instrument from the data package, if it names one.
  public var instrument: Instrument?
  /// Every subject's series, in the order of `subjects.csv` and, within a subject, of occasions as
  /// they first appear in `drinks.csv`; subjects that only the other files know come last.
  public var series: [Series]
  /// Findings that belong to no single series; never an error.
  public var diagnostics: [Diagnostic]
  /// The files it was read from.
  public var inputs: [InputDigest]

  /// Creates a study, with each series in order of time.
  public init(
    name: String,
    title: String? = nil,
    instrument: Instrument? = nil,
    series: [Series],
    diagnostics: [Diagnostic] = [],
    inputs: [InputDigest] = []
  ) {
    self.name = name
    self.title = title
    self.instrument = instrument
    self.series = series.map(\.inOrderOfTime)
    self.diagnostics = diagnostics
    self.inputs = inputs
  }

  /// All findings, each once: the study's own, then those of each series in order.
  ///
  /// A finding about a subject is in every series of the subject.
  public var allDiagnostics: [Diagnostic] { (diagnostics + series.flatMap(\.diagnostics)).uniqued }
}

/// The properties of the instrument, as the study states them.
public struct Instrument: Hashable, Sendable {
  /// Make and model.
  public var name: String?
  /// Smallest step of the display, in the unit of the readings.
  public var resolution: Double?
  /// Declared relative accuracy as a fraction, for example 0.1 for 10 %.
  public var relativeAccuracy: Double?
  /// Limit of detection, in the unit of the readings.
  public var limitOfDetection: Double?
  /// The time after a drink during which mouth alcohol makes readings unusable.
  public var mouthAlcoholWindow: Hours?

  /// Describes an instrument.
  public init(
    name: String? = nil,
    resolution: Double? = nil,
    relativeAccuracy: Double? = nil,
    limitOfDetection: Double? = nil,
    mouthAlcoholWindow: Hours? = nil
  ) {
    self.name = name
    self.resolution = resolution
    self.relativeAccuracy = relativeAccuracy
    self.limitOfDetection = limitOfDetection
    self.mouthAlcoholWindow = mouthAlcoholWindow
  }
}

/// A file that was read, and its SHA-256, so that a result can be traced to its data.
public struct InputDigest: Codable, Hashable, Sendable {
  /// The file.
  public var file: String
  /// SHA-256 of its bytes, 64 lower-case hexadecimal digits.
  public var sha256: String

  /// Names a file and its digest.
  public init(file: String, sha256: String) {
    self.file = file
    self.sha256 = sha256
  }
}
