package import AlcoholKinetics

/// A study that published estimates for each subject instead of series of readings.
package struct EstimateStudy: Hashable, Sendable {
  /// The folder's name.
  package var name: String
  /// Title from the data package, if it has one.
  package var title: String?
  /// The subjects in the order of `estimates.csv`.
  package var subjects: [SubjectEstimate]
  /// Findings that belong to no single subject; never an error.
  package var diagnostics: [Diagnostic]
  /// The files it was read from.
  package var inputs: [InputDigest]

  /// Creates a study.
  package init(
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
  package var allDiagnostics: [Diagnostic] { diagnostics + subjects.flatMap(\.diagnostics) }
}

/// A subject's published elimination line, or r itself, in place of readings.
///
/// Everything but the name may be missing; a computation that needs a missing value reports an
/// error.
package struct SubjectEstimate: Hashable, Sendable {
  /// The subject; columns that nothing else reads are among the covariates.
  package var subject: Subject
  /// All ethanol drunk.
  package var ethanol: Grams?
  /// C0: the line of elimination in blood, extended back to the start of drinking.
  package var c0: GramsPerKilogram?
  /// The observed r, where the study states it instead of C0.
  package var givenR: RFactor?
  /// The elimination rate in blood.
  package var beta60: GramsPerKilogramHour?
  /// C0 of the breath, in mg of ethanol per L.
  package var c0BreathMgPerL: Double?
  /// The findings about the subject's row.
  package var diagnostics: [Diagnostic]

  /// Describes a subject.
  package init(
    subject: Subject,
    ethanol: Grams? = nil,
    c0: GramsPerKilogram? = nil,
    givenR: RFactor? = nil,
    beta60: GramsPerKilogramHour? = nil,
    c0BreathMgPerL: Double? = nil,
    diagnostics: [Diagnostic] = []
  ) {
    self.subject = subject
    self.ethanol = ethanol
    self.c0 = c0
    self.givenR = givenR
    self.beta60 = beta60
    self.c0BreathMgPerL = c0BreathMgPerL
    self.diagnostics = diagnostics
  }

  /// The observed r: the one that is given, or ethanol / (C0 x weight); nil if neither is known.
  ///
  /// Source: E. M. P. Widmark, *Die theoretischen Grundlagen und die praktische Verwendbarkeit der
  /// gerichtlich-medizinischen Alkoholbestimmung*, 1932.
  package var observedR: RFactor? {
    if let givenR { return givenR }
    guard let ethanol, let c0, let weight = subject.weight else { return nil }
    return RFactor(ethanol.value / (c0.value * weight.value))
  }

  /// The first error among the diagnostics; a subject who has one cannot be evaluated.
  package var firstError: Diagnostic? {
    diagnostics.first { $0.severity == .error }
  }
}
