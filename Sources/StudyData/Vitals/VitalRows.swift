/// The rows of `vitals.csv`.
struct VitalRows: HeadedRows {
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

  /// What has been read.
  private(set) var entries: [VitalEntry] = []
  /// What was found wrong with rows.
  private(set) var findings: [Diagnostic] = []

  init?(header: Header, log: inout FindingLog) {
    let required = ["subject", "kind", "start", "value"].map { header.required($0, log: &log) }
    header.reportIgnored(besides: Self.names, log: &log)
    guard let subject = required[0], let kind = required[1], let start = required[2],
      let value = required[3]
    else { return nil }
    (self.subject, self.kind, self.start, self.value) = (subject, kind, start, value)
    end = header.column("end")
    unit = header.column("unit")
    source = header.column("source")
    uuid = UUIDColumn(header: header)
  }

  mutating func read(_ row: CSVRow, into draft: inout StudyDraft, log: inout FindingLog) {
    let uuid = uuid?.uuid(in: row, &draft.uuids, log: &log)
    let number = row.number(in: value, log: &log)
    let texts = [subject, kind, start].map { text(in: $0, of: row) }
    if texts[0] == nil {
      log.note(
        .subjectMissing, at: row.place(of: subject.index), "the row names no subject",
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
          subject: subject, kind: kind, start: start, end: text(in: end, of: row), value: value,
          unit: text(in: unit, of: row), source: text(in: source, of: row), uuid: uuid,
          location: SourceLocation(file: log.file, line: row.firstLine)))
    }
    log.settleRow(into: &findings)
  }

  private func text(in column: Column?, of row: CSVRow) -> String? {
    guard let column, !row.isMissing(column.index) else { return nil }
    return row.text(of: column.index)
  }
}
