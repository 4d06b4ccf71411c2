public import Foundation
public import StudyData

/// The vital signs in a study folder, for the database of a study day; they are not used in fits.
@_spi(StudyDay) public struct VitalFile: Hashable, Sendable {
  /// The name of the file.
  public static let name = "vitals.csv"

  /// The valid rows.
  public var entries: [VitalEntry]
  /// The findings about all rows.
  public var diagnostics: [Diagnostic]

  /// Reads `vitals.csv` in a study folder; <doc:StudyFormat> describes it.
  ///
  /// - Returns: The vital signs; nil if the path is not a folder or has no such file.
  /// - Throws: ``StudyError`` if the file cannot be read at all.
  public static func read(inFolder folder: String) throws(StudyError) -> VitalFile? {
    let path = folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
    guard StudyInput.isFolder(folder), let file = try InputFile(opening: path) else { return nil }
    return try read(file)
  }

  static func read(_ file: InputFile) throws(StudyError) -> VitalFile {
    let table = CSVTable(file)
    let columns = table.readHeader().flatMap(VitalColumns.init)
    var entries: [VitalEntry] = []
    var findings: [Diagnostic] = []
    if let columns {
      table.next()
      while table.hasRow {
        if let entry = columns.entry(table.row) { entries.append(entry) }
        table.row.flush(into: &findings)
        table.next()
      }
    }
    try file.requireUnchanged()
    try [table.row.log].endIfBroken(with: findings)
    return VitalFile(entries: entries, diagnostics: findings + table.row.log.closedFindings)
  }

  /// Returns the text of `vitals.csv` for vital signs.
  public static func text(of entries: [VitalEntry]) -> String {
    let hasUUIDs = entries.contains { $0.uuid != nil }
    var text = CSVText(
      header: ["subject", "kind", "start", "end", "value", "unit", "source"]
        + (hasUUIDs ? [UUIDColumn.name] : []))
    for entry in entries {
      text.appendRow(
        [
          entry.subject, entry.kind, entry.start, entry.end ?? "", entry.value.description,
          entry.unit ?? "", entry.source ?? "",
        ] + (hasUUIDs ? [entry.uuid?.text ?? ""] : []))
    }
    return text.string
  }
}

/// A vital sign in a row of `vitals.csv`.
@_spi(StudyDay) public struct VitalEntry: Hashable, Sendable {
  /// The subject.
  public var subject: String
  /// The measured quantity, such as `HeartRate`.
  public var kind: String
  /// The start: a day such as `2024-05-01`, or a moment with its offset from UTC, such as
  /// `2024-05-01 20:15:00 +0200`.
  public var start: String
  /// The end in the same form; nil if it had no duration.
  public var end: String?
  /// The number, in `unit`.
  public var value: Double
  /// The unit; nil for the default of the kind.
  public var unit: String?
  /// The source of the measurement.
  public var source: String?
  /// The UUID, if given.
  public var uuid: UUID?
  /// The place in the file.
  public var location: SourceLocation

  /// Describes a vital sign.
  public init(
    subject: String, kind: String, start: String, end: String? = nil, value: Double,
    unit: String? = nil, source: String? = nil, uuid: UUID? = nil,
    location: SourceLocation = SourceLocation(file: VitalFile.name)
  ) {
    self.subject = subject
    self.kind = kind
    self.start = start
    self.end = end
    self.value = value
    self.unit = unit
    self.source = source
    self.uuid = uuid
    self.location = location
  }
}

private struct VitalColumns {
  private static let names: Set = [
    "subject", "kind", "start", "end", "value", "unit", "source", UUIDColumn.name,
  ]

  private let subject: Column
  private let kind: Column
  private let start: Column
  private let value: Column
  private let end: Column?
  private let unit: Column?
  private let source: Column?
  private let uuid: UUIDColumn?

  init?(header: Header) {
    let required = ["subject", "kind", "start", "value"].map(header.required)
    header.reportIgnored(besides: Self.names)
    guard let subject = required[0], let kind = required[1], let start = required[2],
      let value = required[3]
    else { return nil }
    self.subject = subject
    self.kind = kind
    self.start = start
    self.value = value
    end = header.column("end")
    unit = header.column("unit")
    source = header.column("source")
    uuid = UUIDColumn(header: header, UUIDRegister())
  }

  /// Reads a row; nil, reported, if it is incomplete.
  func entry(_ row: CSVRow) -> VitalEntry? {
    let uuid = uuid?.uuid(in: row)
    let number = row.number(in: value)
    guard let subject = row.filled(subject) else {
      row.report(
        .subject, at: row.place(of: subject.index), "the row names no subject",
        remedy: "name one, or remove the row")
      return nil
    }
    guard let kind = row.filled(kind), let start = row.filled(start), number != .missing else {
      row.report(
        .vitalIncomplete, at: row.place(of: 0), "the row lacks its kind, its start or its value",
        remedy: "fill them in, or remove the row")
      return nil
    }
    return number.value.map { value in
      VitalEntry(
        subject: subject, kind: kind, start: start, end: row.filled(end),
        value: value, unit: row.filled(unit), source: row.filled(source), uuid: uuid,
        location: SourceLocation(file: row.log.file, line: row.firstLine))
    }
  }
}
