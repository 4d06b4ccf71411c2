/// Collects what is found wrong with one file, so that all of it can be shown at once.
///
/// Findings about the file itself stay in the log; those about a subject or a series go to the list
/// kept there. So that a million bad rows do not become a million messages, only so many per file
/// are kept, and their number counts the others; but wherever an error belongs, one is kept.
package struct FindingLog {
  static let limit = 100

  package let file: String
  package private(set) var findings: [Diagnostic] = []
  /// The number of errors that concern the file itself, listed or not.
  private(set) var errorCount = 0
  private var listed = 0
  private var withheld = 0

  package init(file: String) { self.file = file }

  package var hasErrors: Bool { errorCount > 0 }

  /// The findings about the file itself, with a last one that counts those left out.
  package var closedFindings: [Diagnostic] { withheld == 0 ? findings : findings + [overflow] }

  /// A finding in this file; without a place it concerns the whole of it.
  package func finding(
    _ code: DiagnosticCode, at place: Place?, _ message: String, remedy: String,
    statements: [String] = []
  ) -> Diagnostic {
    Diagnostic(code, in: file, at: place, message: message, remedy: remedy, statements: statements)
  }

  package mutating func add(
    _ code: DiagnosticCode, at place: Place?, _ message: String, remedy: String,
    statements: [String] = []
  ) {
    add(finding(code, at: place, message, remedy: remedy, statements: statements))
  }

  package mutating func add(_ finding: Diagnostic) {
    if finding.severity == .error { errorCount += 1 }
    if admits(finding, beside: findings) { findings.append(finding) }
  }

  package mutating func add(_ finding: Diagnostic, to list: inout [Diagnostic]) {
    if admits(finding, beside: list) { list.append(finding) }
  }

  private mutating func admits(_ finding: Diagnostic, beside list: [Diagnostic]) -> Bool {
    let isFirstError = finding.severity == .error && !list.hasError
    guard listed < Self.limit || isFirstError else {
      withheld += 1
      return false
    }
    listed += 1
    return true
  }

  private var overflow: Diagnostic {
    finding(
      .moreFindings, at: nil, "\(withheld) more findings in this file are not listed",
      remedy: "correct the findings listed and read the study again")
  }
}

extension [Diagnostic] {
  package mutating func add(
    _ code: DiagnosticCode, in file: String, at place: Place? = nil, message: String,
    remedy: String, statements: [String] = []
  ) {
    append(
      Diagnostic(
        code, in: file, at: place, message: message, remedy: remedy, statements: statements))
  }

  package mutating func add(
    _ code: DiagnosticCode, at location: SourceLocation, message: String, remedy: String,
    statements: [String] = []
  ) {
    append(Diagnostic(code, at: location, message: message, remedy: remedy, statements: statements))
  }

  package var hasError: Bool { contains { $0.severity == .error } }
}

extension [FindingLog] {
  /// Throws all findings if a file of the study cannot be used.
  package func endIfBroken(with rowFindings: [Diagnostic]) throws(StudyError) {
    guard contains(where: \.hasErrors) else { return }
    throw StudyError(kind: .badData, diagnostics: flatMap(\.closedFindings) + rowFindings)
  }
}
