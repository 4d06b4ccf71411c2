import Foundation

/// A finding in a study's files that its owner should know.
public struct Diagnostic: Codable, Hashable, Sendable {
  /// The severity.
  public enum Severity: String, CaseIterable, Codable, Hashable, Sendable {
    /// The data cannot be used as they are.
    case error
    /// The data can be used, but look wrong.
    case warning
  }

  /// The stable code.
  public var code: DiagnosticCode
  /// The place in the files.
  public var location: SourceLocation
  /// The finding.
  public var message: String
  /// The remedy.
  public var remedy: String
  /// The statements about a column that settle it, in the form of `--map`: any one of these.
  public var statements: [String]

  /// Errors have codes that begin with `E_`, warnings with `W_`.
  public var severity: Severity { code.severity }

  /// Describes a finding.
  public init(
    _ code: DiagnosticCode, at location: SourceLocation, message: String, remedy: String,
    statements: [String] = []
  ) {
    self.code = code
    self.location = location
    self.message = message
    self.remedy = remedy
    self.statements = statements
  }

  /// Describes a finding about a file, or a place in it.
  package init(
    _ code: DiagnosticCode, in file: String, at place: Place? = nil, message: String,
    remedy: String, statements: [String] = []
  ) {
    self.init(
      code, at: SourceLocation(file: file, line: place?.line, column: place?.column),
      message: message, remedy: remedy, statements: statements)
  }

  /// Reads what was written before there were statements, too.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    code = try values.decode(DiagnosticCode.self, forKey: .code)
    location = try values.decode(SourceLocation.self, forKey: .location)
    message = try values.decode(String.self, forKey: .message)
    remedy = try values.decode(String.self, forKey: .remedy)
    statements = try values.decodeIfPresent([String].self, forKey: .statements) ?? []
  }
}

extension [Diagnostic] {
  /// The findings for people, in order: of those that are found again and again the first, with their number.
  package var collapsed: [Diagnostic] {
    var all = CollapsedFindings()
    for finding in self { all.add(finding) }
    return all.shown
  }
}

/// Findings for people that come one after the other: of those of one kind, few or the first with their number are kept.
package struct CollapsedFindings: Sendable {
  /// The largest number of findings of one kind that are shown one by one.
  private static let few = 3

  private var kinds: [[String]: (count: Int, first: [(place: Int, finding: Diagnostic)])] = [:]
  private var count = 0

  package init() {}

  package mutating func add(_ finding: Diagnostic) {
    var kind = kinds[finding.kind] ?? (0, [])
    kind.count += 1
    if kind.first.count < Self.few { kind.first.append((count, finding)) }
    kinds[finding.kind] = kind
    count += 1
  }

  package var isEmpty: Bool { count == 0 }

  /// Whether there are findings that are not shown.
  package var areShortened: Bool { kinds.values.contains { $0.count > Self.few } }

  /// The findings in the order in which they came.
  package var shown: [Diagnostic] {
    kinds.values.flatMap { kind in
      guard kind.count > Self.few, var first = kind.first.first else { return kind.first }
      first.finding.message = "\(kind.count) like this; the first: \(first.finding.message)"
      return [first]
    }
    .sorted { $0.place < $1.place }.map(\.finding)
  }
}

extension Diagnostic {
  /// The parts that findings of one kind have in common: code, file, remedy, and the column with what is wrong in it.
  package var kind: [String] { [code.rawValue, location.file, remedy] + column }

  /// A code stands for several things, so a message says more: of `lod is "-1", which is negative` the column and the
  /// complaint, of `the value of reading 3 is -1` what has the value. Numbers differ from finding to finding.
  private var column: [String] {
    if let start = message.range(of: " is \""),
      let end = message.range(of: "\"", options: .backwards)
    {
      return [
        String(message[..<start.lowerBound]), message[end.upperBound...].filter { !$0.isNumber },
      ]
    }
    guard let end = message.range(of: " is "), !message[..<end.lowerBound].contains("\"") else {
      return []
    }
    return [message[..<end.lowerBound].filter { !$0.isNumber }]
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

extension SourceLocation {
  package init(file: String, place: Place) {
    self.init(file: file, line: place.line, column: place.column)
  }
}

/// The error that a study cannot be read at all.
///
/// Trouble with one subject's data does not end here: it is kept with the subject's series, so that
/// the others can be evaluated.
public struct StudyError: Error, Hashable, Sendable {
  /// The kind of error.
  public enum Kind: Hashable, Sendable {
    /// The study or a file it needs is not there or cannot be opened.
    case noInput
    /// The files are there, but what they hold cannot be read as a study.
    case badData
    /// A file was written to while it was read, so that what was read may be half of one version and
    /// half of another.
    case changed
  }

  /// The kind of error.
  public var kind: Kind
  /// All findings, at least one error among them.
  public var diagnostics: [Diagnostic]
  /// The headers of the tables, for a dialogue about their columns.
  public var headers: [String] = []

  /// Describes why a study could not be read.
  public init(kind: Kind, diagnostics: [Diagnostic], headers: [String] = []) {
    self.kind = kind
    self.diagnostics = diagnostics
    self.headers = headers
  }

  /// Describes an error with one finding about a file.
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
