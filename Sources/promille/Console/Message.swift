import Reporting
import StudyData
import StudyStore

/// A message on standard error: a line for people, and its parts for programs.
struct Message {
  enum Severity: String { case error, warning, remark }

  var severity = Severity.remark
  var code: String?
  /// The file that it is about; nil for the command itself.
  var place: SourceLocation?
  let text: String
  var remedy: String?

  /// Something worth knowing that needs no code.
  init(_ text: String) { self.text = text }

  /// Takes apart what failures say in one sentence: what was found; what to do.
  init(_ severity: Severity, _ code: String, _ sentence: String, at place: SourceLocation? = nil) {
    let parts = sentence.split(separator: "; ", maxSplits: 1).map(String.init)
    (self.severity, self.code, self.place) = (severity, code, place)
    (text, remedy) = (parts.first ?? "", parts.count > 1 ? parts[1] : nil)
  }

  init(_ finding: Diagnostic) {
    severity = finding.severity == .error ? .error : .warning
    (code, place) = (finding.code.rawValue, finding.location)
    (text, remedy) = (finding.message, finding.remedy)
  }

  init(_ error: StoreError) {
    (severity, code) = (.error, error.code.rawValue)
    place = SourceLocation(file: error.path.isEmpty ? "\"\"" : error.path)
    (text, remedy) = (error.message, error.remedy)
  }

  /// The line. What would break it, be obeyed by a terminal or turn the line round is shown as an escape.
  func line(in terminal: TerminalStyle) -> String {
    let place = place.map(\.description) ?? "promille"
    let end = text + (remedy.map { "; \($0)" } ?? "")
    guard let code else { return "\(place): \(end)".printable }
    let mark = terminal.painted(
      "\(severity.rawValue) \(code)", severity == .error ? .red : .yellow)
    return "\(place): ".printable + mark + ": \(end)".printable
  }

  var json: JSONValue {
    [
      "severity": .string(severity.rawValue), "code": JSONValue(code),
      "file": JSONValue(place?.file), "line": place?.line.map(JSONValue.integer) ?? .null,
      "column": place?.column.map(JSONValue.integer) ?? .null, "message": .string(text),
      "remedy": JSONValue(remedy),
    ]
  }
}
