public import Foundation
public import StudyData

/// The vital signs in a study folder, which belong into the database of a study day: nothing is fitted to them.
@_spi(StudyDay) public struct VitalFile: Hashable, Sendable {
  /// What the file is called.
  public static let name = "vitals.csv"

  /// The rows that can be read.
  public var entries: [VitalEntry]
  /// What was found wrong with the others.
  public var diagnostics: [Diagnostic]

  /// Reads `vitals.csv` in a study folder; <doc:StudyFormat> says what it may hold.
  ///
  /// - Returns: The vital signs; nil if the place is no folder or has no such file.
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
        table.row.settle(into: &findings)
        table.next()
      }
    }
    try file.requireUnchanged()
    try [table.row.log].endIfBroken(with: findings)
    return VitalFile(entries: entries, diagnostics: findings + table.row.log.closedFindings)
  }

  /// The text of `vitals.csv` for vital signs.
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

/// A vital sign as a row of `vitals.csv` has it.
@_spi(StudyDay) public struct VitalEntry: Hashable, Sendable {
  /// The subject.
  public var subject: String
  /// What was measured, as `HeartRate`.
  public var kind: String
  /// When it began: a day as `2024-05-01`, or a moment with its offset from UTC, as
  /// `2024-05-01 20:15:00 +0200`.
  public var start: String
  /// When it ended, in the same way; nil if it had no duration.
  public var end: String?
  /// The number, in `unit`.
  public var value: Double
  /// The unit; nil for the one that the kind is kept in.
  public var unit: String?
  /// What measured it.
  public var source: String?
  /// The UUID, where one is given.
  public var uuid: UUID?
  /// Where it was read.
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
      row.note(
        .subject, at: row.place(of: subject.index), "the row names no subject",
        remedy: "name one, or remove the row")
      return nil
    }
    guard let kind = row.filled(kind), let start = row.filled(start), number != .missing else {
      row.note(
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
