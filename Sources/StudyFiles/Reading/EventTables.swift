package import AlcoholKinetics
import Foundation
import StudyData

/// A study that is a single table of events: a file, or standard input.
package struct EventFile: StudySource {
  let file: InputFile
  /// The unit of `DV`, unless the table says otherwise.
  let unit: ConcentrationUnit
  /// Where times of day stood that were made hours, and what was found in them.
  package var clocks: (source: InputFile, found: SheetFindings)?

  package init(file: InputFile, unit: ConcentrationUnit) {
    self.file = file
    self.unit = unit
  }

  /// The file's name; that of standard input is `<stdin>`.
  var name: String { URL(fileURLWithPath: file.path).lastPathComponent }
  var path: String { file.path }
  var descriptor: InputFile? { nil }
  var tables: any StudyTables { EventTables(self) }
  var isRereadable: Bool { file.isRereadable }
  var inputs: [InputDigest] { [(clocks?.source ?? file).digest].compactMap(\.self) }

  func takeDigests() { file.takeDigest() }
  func requireUnchanged() throws(StudyError) { try file.requireUnchanged() }
}

final class EventTables: StudyTables {
  private static let stretch = 4096

  let layout: StudyLayout
  let wantsReadings = true

  private var events: Table<EventRows>
  private let ofClocks: SheetFindings?
  /// The subjects that have been read one at a time.
  private var seen = SeenNames()
  private var hasSubject = false

  init(_ study: EventFile) {
    layout = .events(
      in: study.file.path, mayBeginAgain: study.file.columns.ignoresColumns)
    ofClocks = study.clocks?.found
    events = Table(study.file, log: FindingLog(file: study.file.path)) {
      EventRows(header: $0, unit: study.unit, log: &$1)
    }
    for finding in ofClocks?.all ?? [] { events.log.add(finding) }
  }

  var logs: [FindingLog] { [events.log] }

  var isBroken: Bool { events.log.hasErrors }

  func note(_ subject: SubjectDraft) {
    guard let ofClocks, ofClocks.areAbout(subject) else { return }
    // Why a row has no time is among them.
    for index in subject.series.indices {
      subject.series[index].findings.removeAll { $0.code == .time }
    }
    ofClocks.add(to: subject, keep)
  }

  func keep(_ finding: Diagnostic, in list: inout [Diagnostic]) {
    events.log.add(finding, to: &list)
  }

  func readRows(into draft: inout StudyDraft) -> Bool {
    guard events.hasRow else { return false }
    events.readRows(upTo: Self.stretch, into: &draft)
    hasSubject = hasSubject || !draft.subjects.isEmpty
    return true
  }

  func readSubject(into draft: inout StudyDraft) -> SubjectStep {
    guard let subject = events.readSubject(into: &draft) else { return .end }
    hasSubject = true
    _ = seen.insert(subject.id)
    // Whoever comes again may stand between rows of this subject, too.
    guard let (name, place) = events.nextSubject, seen.contains(name) else { return .subject }
    return .disorder(
      events.log.finding(
        .subjectApart, at: place,
        "other subjects' rows stand between those of subject \(name.quoted)",
        remedy: "sort the rows by ID"))
  }

  func end() {
    if events.rows != nil { events.log.requireSubject(hasSubject) }
    if let finding = events.rows?.comments.finding(in: events.log) { events.log.add(finding) }
    guard events.rows?.hasReadings == false, !events.log.hasErrors else { return }
    events.log.add(
      .noReadings, at: nil, "the study has no readings",
      remedy: "add rows with DV if something was measured")
  }
}
