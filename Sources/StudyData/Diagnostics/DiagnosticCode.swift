/// The stable codes of everything that can be found wrong with a study's files.
///
/// Codes are never renamed or reused: scripts rely on them.
public enum DiagnosticCode: String, CaseIterable, Hashable, Sendable {
  case doseMissing = "E_DOSE_MISSING"

  /// Codes that begin with `E_` are errors, all others warnings.
  public var severity: Diagnostic.Severity {
    rawValue.hasPrefix("E_") ? .error : .warning
  }
}
