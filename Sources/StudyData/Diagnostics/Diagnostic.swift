/// Something found in a study's files that its owner should know.
public struct Diagnostic: Codable, Hashable, Sendable {
  /// How bad it is.
  public enum Severity: String, CaseIterable, Codable, Hashable, Sendable {
    /// The data cannot be used as they are.
    case error
    /// The data can be used, but look wrong.
    case warning
  }

  /// The stable code.
  public var code: DiagnosticCode
  /// Where it was found.
  public var location: SourceLocation
  /// What was found.
  public var message: String
  /// What to do about it.
  public var remedy: String

  /// Errors have codes that begin with `E_`, warnings with `W_`.
  public var severity: Severity { code.severity }

  /// Describes a finding.
  public init(
    _ code: DiagnosticCode, at location: SourceLocation, message: String, remedy: String
  ) {
    self.code = code
    self.location = location
    self.message = message
    self.remedy = remedy
  }
}

extension Diagnostic: CustomStringConvertible {
  /// One line: place, severity, code, what was found and what to do.
  public var description: String {
    "\(location): \(severity.rawValue) \(code.rawValue): \(message); \(remedy)"
  }
}

/// A place in a study's files.
public struct SourceLocation: Codable, Hashable, Sendable {
  /// The file, as the path the study was opened with leads to it.
  public var file: String
  /// Line number, from 1; nil where the whole file is meant.
  public var line: Int?
  /// Position of the field's first character in the line, from 1; nil where the whole line is
  /// meant.
  public var column: Int?

  /// Names a place.
  public init(file: String, line: Int? = nil, column: Int? = nil) {
    self.file = file
    self.line = line
    self.column = column
  }
}

extension SourceLocation: CustomStringConvertible {
  /// The place as compilers and editors write it, `file:line:column`.
  public var description: String {
    guard let line else { return file }
    guard let column else { return "\(file):\(line)" }
    return "\(file):\(line):\(column)"
  }
}
