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
