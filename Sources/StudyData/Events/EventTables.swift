/// The single table of a study of events.
struct EventTables: StudyTables {
  let layout: StudyLayout
  private(set) var isInOrder = true
  let wantsReadings = true

  private var events: TableCursor<EventRows>
  /// The subjects that have been read one at a time.
  private var seen = SeenNames()
  /// Whether subjects are read one at a time, and whether there was any.
  private var (isWalked, hasSubject) = (false, false)

  /// Opens the table.
  init(_ study: EventFile) {
    layout = StudyLayout(of: study)
    events = TableCursor(study.file, log: FindingLog(file: study.file.path)) {
      EventRows(header: $0, unit: study.unit, log: &$1)
    }
  }

  var logs: [FindingLog] { [events.log] }

  mutating func readAll(into draft: inout StudyDraft) {
    events.readAll(into: &draft)
    if events.rows != nil { draft.requireSubject(log: &events.log) }
  }

  mutating func readSubject(into draft: inout StudyDraft) -> Bool {
    isWalked = true
    let errors = events.errorsBeforeGap
    guard let subject = events.readSubject(into: &draft) else { return false }
    hasSubject = true
    if events.log.errorCount > errors { addLostRow(to: &draft) }
    if !seen.insert(subject.id) {
      isInOrder = false
      addRowsApart(to: &draft)
    }
    return true
  }

  mutating func end() {
    if isWalked, !hasSubject, events.rows != nil { StudyDraft().requireSubject(log: &events.log) }
    if let finding = events.rows?.comments.finding(in: events.log) { events.log.add(finding) }
    guard events.rows?.hasReadings == false, !events.log.hasErrors else { return }
    events.log.add(
      events.log.finding(
        .noReadings, at: nil, "the study has no readings",
        remedy: "add rows with DV if something was measured"))
  }

  mutating func keep(_ finding: Diagnostic, in list: inout [Diagnostic]) {
    events.log.add(finding, to: &list)
  }

  // MARK: Of a file these end reading; of standard input some series have been given out before.

  private mutating func addLostRow(to draft: inout StudyDraft) {
    addError(
      .rowLost, "an unreadable row may belong to this subject",
      remedy: "correct the unreadable row", to: &draft)
  }

  private mutating func addRowsApart(to draft: inout StudyDraft) {
    addError(
      .subjectApart, "the rows of this subject are not together",
      remedy: "sort the rows by ID, or read them from a file", to: &draft)
  }

  private mutating func addError(
    _ code: DiagnosticCode, _ message: String, remedy: String, to draft: inout StudyDraft
  ) {
    for index in draft.subjects.indices {
      let place = draft.subjects[index].place
      let finding = events.log.finding(code, at: place, message, remedy: remedy)
      events.log.add(finding, to: &draft.subjects[index].findings)
    }
  }
}
