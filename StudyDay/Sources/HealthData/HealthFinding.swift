@_spi(StudyDay) import StudyData

/// Something found in an export of Apple Health that its owner should know.
public struct HealthFinding: Error, Hashable, Sendable {
  /// The stable codes; they are never renamed or reused.
  public enum Code: String, CaseIterable, Hashable, Sendable {
    /// The file cannot be opened.
    case unreadable = "E_HEALTH_UNREADABLE"
    /// The file is an archive, with the export in it.
    case archive = "E_HEALTH_ARCHIVE"
    /// The file is not XML, or ends too early.
    case notXML = "E_HEALTH_XML"
    /// The text is not in the encoding that the file states.
    case encoding = "E_HEALTH_ENCODING"
    /// An element or a comment is longer than any of an export, or there is a processing instruction.
    case markup = "E_HEALTH_MARKUP"
    /// The file is XML, but no export of Apple Health.
    case root = "E_HEALTH_ROOT"
    /// A record has no value, unit, start or end, or one that cannot be understood.
    case record = "E_HEALTH_RECORD"
    /// A record's unit is not one of its type.
    case unit = "E_HEALTH_UNIT"
    /// A value is outside its plausible range; see the table `vital_kinds`.
    case range = "E_VITAL_RANGE"
  }

  public var code: Code
  public var file: String
  /// Line number, from 1; nil where the whole file is meant.
  public var line: Int?
  /// Position of a character in the line, from 1; nil where the whole line is meant.
  public var column: Int?
  public var message: String

  public init(
    code: Code, file: String, line: Int? = nil, column: Int? = nil, message: String
  ) {
    self.code = code
    self.file = file
    self.line = line
    self.column = column
    self.message = message
  }

  /// Whether the import goes on without the record.
  public var isAboutRecord: Bool {
    switch code {
    case .unreadable, .archive, .notXML, .encoding, .markup, .root: false
    case .record, .unit, .range: true
    }
  }

  public var remedy: String {
    switch code {
    case .unreadable: "check the path"
    case .archive:
      "unpack it, or pipe it in: unzip -p export.zip '*/export.xml' | promille serve import-health - ..."
    case .notXML: "export the data again; nothing was imported"
    case .encoding: "export the data again, as UTF-8; nothing was imported"
    case .markup: "check the file at this place; nothing was imported"
    case .root: "name the export.xml of Apple Health; nothing was imported"
    case .record, .range: "correct the record in Health and export again; it was left out"
    case .unit: "use a unit that the documentation lists; the record was left out"
    }
  }
}

extension HealthFinding: CustomStringConvertible {
  /// One line: place, severity, code, finding and remedy.
  public var description: String {
    let location = SourceLocation(file: file, line: line, column: column)
    return "\(location): error \(code.rawValue): \(message); \(remedy)"
  }
}
