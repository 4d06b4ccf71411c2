/// The vital signs in a study folder, which belong into a database: nothing is fitted to them.
public struct VitalFile: Hashable, Sendable {
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
