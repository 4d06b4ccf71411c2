import AlcoholKinetics
import StudyData

/// The tables of a study folder, read in step: a subject, then the subject's drinks and readings.
final class FolderTables: StudyTables {
  private static let stretch = 4096

  let layout: StudyLayout
  let wantsReadings: Bool

  private var subjects: Table<SubjectRows>
  private var drinks: Table<DrinkRows>
  private var readings: Table<ReadingRows>
  private let hasReadings: Bool
  /// What was found in the sheet that they were made of; nil if they are files.
  private let ofSheet: SheetFindings?

  /// The subjects that have been read, and those among them whose turn has not come.
  private var seen = SeenNames()
  private var ahead: ArraySlice<SubjectDraft> = []
  /// The names that the tables have next and that are known to be among those ahead.
  private var awaited = (drinks: "", readings: "")
  private var repeated: (name: String, place: Place)?
  private var hasSubject = false

  init(_ folder: StudyFolder) {
    layout = folder.layout
    subjects = Table(folder.files[.subjects], log: FindingLog(file: layout.subjects))
    drinks = Table(folder.files[.drinks], log: FindingLog(file: layout.drinks)) {
      DrinkRows(header: $0, catalogue: folder.catalogue, log: &$1)
    }
    readings = Table(folder.files[.readings], log: FindingLog(file: layout.readings)) {
      ReadingRows(header: $0, log: &$1)
    }
    hasReadings = folder.files[.readings] != nil
    ofSheet = folder.sheet?.found
    for finding in ofSheet?.all ?? [] { subjects.log.add(finding) }
    // Of a study without any, it is said once.
    wantsReadings = readings.hasRow
    checkOccasions()
  }

  var logs: [FindingLog] { [subjects.log, drinks.log, readings.log] }

  var isBroken: Bool {
    subjects.log.hasErrors || drinks.log.hasErrors || readings.log.hasErrors
  }

  func note(_ subject: SubjectDraft) { ofSheet?.add(to: subject, keep) }

  func keep(_ finding: Diagnostic, in list: inout [Diagnostic]) {
    switch finding.location.file {
    case layout.readings: readings.log.add(finding, to: &list)
    case layout.drinks: drinks.log.add(finding, to: &list)
    default: subjects.log.add(finding, to: &list)
    }
  }

  // MARK: All rows

  func readRows(into draft: inout StudyDraft) -> Bool {
    // All of the subjects, so that one who is there twice is found.
    if subjects.hasRow {
      subjects.readRows(into: &draft)
      hasSubject = hasSubject || !draft.subjects.isEmpty
    } else if drinks.hasRow {
      drinks.readRows(upTo: Self.stretch, into: &draft)
    } else if readings.hasRow {
      readings.readRows(upTo: Self.stretch, into: &draft)
    } else {
      return false
    }
    return true
  }

  func end() {
    if subjects.rows != nil { subjects.log.requireSubject(hasSubject) }
    let isSilent = readings.rows == nil ? !hasReadings : !wantsReadings
    guard isSilent, !readings.log.hasErrors, !(ofSheet?.hasErrors ?? false) else { return }
    readings.log.add(
      .noReadings, at: nil, "the study has no readings",
      remedy: ofSheet != nil
        ? "add a column of readings if something was measured"
        : "add readings.csv if something was measured")
  }

  /// Occasions told apart in only one of the tables would match nothing in the other.
  private func checkOccasions() {
    guard let inDrinks = drinks.rows?.finder.hasOccasions,
      let inReadings = readings.rows?.finder.hasOccasions,
      inDrinks != inReadings
    else { return }
    let other = inDrinks ? StudyFile.drinks : .readings
    let add = { (log: inout FindingLog) in
      log.add(
        .columnMissing, at: nil,
        "the table has no column occasion, but \(other.rawValue) has one",
        remedy: "give both tables the column, or neither")
    }
    if inDrinks { add(&readings.log) } else { add(&drinks.log) }
  }

  // MARK: A subject at a time

  func readSubject(into draft: inout StudyDraft) -> SubjectStep {
    if ahead.isEmpty { _ = readAhead() }
    if let subject = ahead.popFirst() {
      hasSubject = true
      let key = SubjectKey(subject.subject.id)
      draft.add(subject)
      drinks.readRows(of: key, into: &draft)
      readings.readRows(of: key, into: &draft)
    }
    // The next subject in the tables must come later in subjects.csv.
    if let (name, place) = drinks.nextSubject, name != awaited.drinks {
      guard isAhead(name) else { return .disorder(disorder(drinks.log, name, place)) }
      awaited.drinks = name
    }
    if let (name, place) = readings.nextSubject, name != awaited.readings {
      guard isAhead(name) else { return .disorder(disorder(readings.log, name, place)) }
      awaited.readings = name
    }
    if let repeated { return .disorder(disorder(subjects.log, repeated.name, repeated.place)) }
    return draft.subjects.isEmpty ? .end : .subject
  }

  private func isAhead(_ name: String) -> Bool {
    if ahead.isEmpty { _ = readAhead() }
    if ahead.contains(where: { $0.subject.id == name }) { return true }
    guard !seen.contains(name) else { return false }
    while readAhead() {
      if ahead.last?.subject.id == name { return true }
    }
    return false
  }

  private func readAhead() -> Bool {
    guard repeated == nil, let subject = subjects.readSubject() else { return false }
    guard seen.insert(subject.subject.id) else {
      repeated = (subject.subject.id, subject.place ?? .start)
      return false
    }
    ahead.append(subject)
    return true
  }

  private func disorder(_ log: FindingLog, _ name: String, _ place: Place) -> Diagnostic {
    log.finding(
      .subjectApart, at: place,
      "the row of subject \(name.quoted) is not where subjects.csv has the subject",
      remedy: "sort the rows of every table by subject, in the order of subjects.csv")
  }
}

extension StudyFolder {
  fileprivate var layout: StudyLayout {
    let make = isOfFiles ? StudyLayout.folder : StudyLayout.sheet
    return make(path(of: .subjects), path(of: .drinks), path(of: .readings))
  }
}
