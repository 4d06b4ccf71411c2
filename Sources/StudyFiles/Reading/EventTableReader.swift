import AlcoholKinetics
import StudyData

/// Reads a table of events in NONMEM's form: drinks and readings in one, in order of time.
final class EventTableReader: SeriesReader {
  private let table: CSVTable
  private let columns: EventColumns?
  private let events: SeriesTable?
  /// The subjects that have been read one at a time.
  private var seen = SeenNames()

  init(_ input: StudyInput) throws(StudyError) {
    let file = input.files[.events]
    table = CSVTable(file, called: input.path)
    let header = table.readHeader()
    columns = header.flatMap { EventColumns(header: $0, unit: input.dvUnit) }
    table.comments = columns?.comments
    events = header.flatMap { [table, columns] in SeriesTable(events: table, $0, columns) }
    try super.init(
      input, tables: [table], warnsAboutMissingReadings: true,
      layout: .events(in: input.path, mayBeginAgain: file?.columns.ignoresColumns ?? false))
  }

  override func add(_ sheetFindings: SheetFindings, to subject: SubjectDraft) {
    guard sheetFindings.areAbout(subject) else { return }
    // The sheet's findings explain why a row has no time, better than those of the converted table.
    for index in subject.series.indices {
      subject.series[index].findings.removeAll { $0.code == .time }
    }
    super.add(sheetFindings, to: subject)
  }

  override func readRows() -> Bool {
    defer { hasSubject = hasSubject || !draft.subjects.isEmpty }
    return events?.readBatch(into: &draft) ?? false
  }

  override func readSubject() -> SubjectStep {
    guard let events, let subject = events.readNextSubject(into: &draft) else { return .end }
    hasSubject = true
    _ = seen.insert(subject.id)
    // A subject that occurs again may also interrupt the rows of the current one.
    guard let (name, place) = events.nextSubject, seen.contains(name) else { return .subject }
    return .disorder(
      table.row.log.finding(
        .subjectApart, at: place,
        "other subjects' rows stand between those of subject \(name.quoted)",
        remedy: "sort the rows by ID"))
  }

  override func end() {
    guard let columns else { return }
    table.row.log.requireSubject(hasSubject)
    columns.comments.report(to: &table.row.log)
    guard !columns.hasReadings, !table.row.log.hasErrors else { return }
    table.row.log.add(
      .noReadings, at: nil, "the study has no readings",
      remedy: "add rows with DV if something was measured")
  }
}
