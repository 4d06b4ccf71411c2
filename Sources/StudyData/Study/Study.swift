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

  /// Puts a study together.
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
    self.series = series
    self.diagnostics = diagnostics
    self.inputs = inputs
  }

  /// All findings, each once: the study's own, then those of each series in order.
  ///
  /// A finding about a subject is in every series of the subject.
  public var allDiagnostics: [Diagnostic] {
    var seen: Set<Diagnostic> = []
    return (diagnostics + series.flatMap(\.diagnostics)).filter { seen.insert($0).inserted }
  }
}

/// What the study says about the instrument that took the readings.
public struct Instrument: Hashable, Sendable {
  /// Make and model.
  public var name: String?
  /// Smallest step of the display, in the unit of the readings.
  public var resolution: Double?
  /// Declared relative accuracy as a fraction, for example 0.1 for 10 %.
  public var relativeAccuracy: Double?
  /// Limit of detection, in the unit of the readings.
  public var limitOfDetection: Double?
  /// How long after a drink mouth alcohol spoils a reading.
  public var mouthAlcoholWindow: Hours?

  /// Describes an instrument by what is known of it.
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

/// Why a study could not be read at all.
///
/// Trouble with one subject's data does not end here: it is kept with the subject's series, so that
/// the others can be evaluated.
public struct StudyError: Error, Hashable, Sendable {
  /// What kind of trouble it is.
  public enum Kind: Hashable, Sendable {
    /// The study or a file it needs is not there or cannot be opened.
    case noInput
    /// The files are there, but what they hold cannot be read as a study.
    case badData
    /// A file was written to while it was read, so that what was read may be half of one version and
    /// half of another.
    case changed
  }

  /// What kind of trouble it is.
  public var kind: Kind
  /// Everything that was found, at least one error among it.
  public var diagnostics: [Diagnostic]
  /// The headers of the tables, where it has to be asked what their columns are.
  public var headers: [String] = []

  /// Describes why a study could not be read.
  public init(kind: Kind, diagnostics: [Diagnostic], headers: [String] = []) {
    self.kind = kind
    self.diagnostics = diagnostics
    self.headers = headers
  }

  /// The same for one reason, which concerns a file.
  package init(
    _ kind: Kind, _ code: DiagnosticCode, in file: String, at place: Place? = nil, message: String,
    remedy: String
  ) {
    let location = SourceLocation(file: file, line: place?.line, column: place?.column)
    self.init(
      kind: kind, diagnostics: [Diagnostic(code, at: location, message: message, remedy: remedy)])
  }
}
