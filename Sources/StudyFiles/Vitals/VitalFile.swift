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
    guard StudyFolder.isFolder(folder), let file = try InputFile(opening: path) else { return nil }
    return try read(file)
  }

  static func read(_ file: InputFile) throws(StudyError) -> VitalFile {
    var log = FindingLog(file: file.path)
    var draft = StudyDraft()
    let rows = VitalRows.read(file, into: &draft, log: &log)
    let findings = rows?.findings ?? []
    try file.requireUnchanged()
    try [log].endIfBroken(with: findings)
    return VitalFile(
      entries: rows?.entries ?? [], diagnostics: findings + log.closedFindings)
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

final class VitalRows: SingleRows {
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

  private(set) var entries: [VitalEntry] = []
  private(set) var findings: [Diagnostic] = []

  init?(header: Header, log: inout FindingLog) {
    let required = ["subject", "kind", "start", "value"].map { header.required($0, log: &log) }
    header.reportIgnored(besides: Self.names, log: &log)
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
    uuid = UUIDColumn(header: header)
  }

  func read(_ row: CSVRow, into draft: inout StudyDraft, log: inout FindingLog) {
    let uuid = uuid?.uuid(in: row, &draft.uuids, log: &log)
    let number = row.number(in: value, log: &log)
    let texts = [subject, kind, start].map(row.filled)
    if texts[0] == nil {
      log.note(
        .subject, at: row.place(of: subject.index), "the row names no subject",
        remedy: "name one, or remove the row")
    } else if texts.contains(nil) || number == .missing {
      log.note(
        .vitalIncomplete, at: row.place(of: 0), "the row lacks its kind, its start or its value",
        remedy: "fill them in, or remove the row")
    } else if let value = number.value, let subject = texts[0], let kind = texts[1],
      let start = texts[2]
    {
      entries.append(
        VitalEntry(
          subject: subject, kind: kind, start: start, end: row.filled(end), value: value,
          unit: row.filled(unit), source: row.filled(source), uuid: uuid,
          location: SourceLocation(file: log.file, line: row.firstLine)))
    }
    log.settleRow(into: &findings)
  }
}
