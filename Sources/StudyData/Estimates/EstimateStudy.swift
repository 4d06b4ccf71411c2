/// A study that published estimates for each subject instead of series of readings.
public struct EstimateStudy: Hashable, Sendable {
  /// The folder's name.
  public var name: String
  /// Title from the data package, if it has one.
  public var title: String?
  /// The subjects in the order of `estimates.csv`.
  public var subjects: [SubjectEstimate]
  /// Findings that belong to no single subject; never an error.
  public var diagnostics: [Diagnostic]
  /// The files it was read from.
  public var inputs: [InputDigest]

  /// Puts a study together.
  public init(
    name: String,
    title: String? = nil,
    subjects: [SubjectEstimate],
    diagnostics: [Diagnostic] = [],
    inputs: [InputDigest] = []
  ) {
    self.name = name
    self.title = title
    self.subjects = subjects
    self.diagnostics = diagnostics
    self.inputs = inputs
  }

  /// All findings: the study's own, then those of each subject in order.
  public var allDiagnostics: [Diagnostic] {
    diagnostics + subjects.flatMap(\.diagnostics)
  }
}
