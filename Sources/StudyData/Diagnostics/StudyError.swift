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
    self.init(
      kind: kind,
      diagnostics: [Diagnostic(code, in: file, at: place, message: message, remedy: remedy)])
  }

  /// The status of a program that ends with it, by the numbers of sysexits.h.
  @_spi(StudyDay) public var exitStatus: Int32 {
    switch kind {
    case .noInput: 66
    case .badData: 65
    case .changed: 74
    }
  }
}
