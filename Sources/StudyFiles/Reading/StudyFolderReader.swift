import AlcoholKinetics
import StudyData

/// Reads the three tables of a study in step: a subject, then the subject's drinks and readings.
final class StudyFolderReader: SeriesReader {
  private let subjects, drinks, readings: CSVTable
  private let subjectColumns: SubjectColumns?
  private let drinkRows, readingRows: SeriesTable?
  private let hasReadings: Bool
  private let isOfSheet: Bool

  /// The subjects that have been read, and those of them that are not returned yet.
  private var seen = SeenNames()
  private var ahead: ArraySlice<SubjectDraft> = []
  /// The next names in the tables, if they are known to be among the subjects ahead.
  private var awaitedDrinks = ""
  private var awaitedReadings = ""
  private var repeated: (name: String, place: Place)?

  private let subjectFile: InputFile?

  init(_ input: StudyInput) throws(StudyError) {
    subjectFile = input.files[.subjects]
    let layout = input.layout
    subjects = CSVTable(input.files[.subjects], called: layout.subjects)
    drinks = CSVTable(input.files[.drinks], called: layout.drinks)
    readings = CSVTable(input.files[.readings], called: layout.readings)
    subjectColumns = subjects.readHeader().flatMap { SubjectColumns(header: $0) }
    if subjectColumns != nil { subjects.next() }
    let uuids = UUIDRegister()
    drinkRows = SeriesTable(drinks: drinks, input.catalogue, uuids)
    readingRows = SeriesTable(readings: readings, uuids)
    hasReadings = input.files[.readings] != nil
    isOfSheet = input.sheet != nil
    if let inDrinks = drinkRows?.hasOccasions, let inReadings = readingRows?.hasOccasions,
      inDrinks != inReadings
    {
      // Occasions in only one of the tables would not match those in the other.
      let complete = inDrinks ? StudyFile.drinks : .readings
      (inDrinks ? readings : drinks).row.log.add(
        .columnMissing, at: nil,
        "the table has no column occasion, but \(complete.rawValue) has one",
        remedy: "give both tables the column, or neither")
    }
    // A study without any readings gets one finding, not one for each series.
    try super.init(
      input, tables: [subjects, drinks, readings], warnsAboutMissingReadings: readings.hasRow,
      layout: layout)
  }

  /// The rows below the header of the table of subjects.
  override var people: Int? {
    guard let subjectFile, subjectFile.isRereadable else { return nil }
    let table = CSVTable(subjectFile)
    var rows = 0
    while (try? table.nextRecord()) ?? false { rows += 1 }
    return rows > 1 ? rows - 1 : nil
  }

  // MARK: All rows

  override func readRows() -> Bool {
    // All subjects first, so that duplicates are found.
    guard let subjectColumns, subjects.hasRow else {
      return drinkRows?.readBatch(into: &draft) ?? false
        || readingRows?.readBatch(into: &draft) ?? false
    }
    while subjects.hasRow {
      let row = subjects.row
      if row.names(subjectColumns.subject) {
        let subject = draft.subject(row.text(of: subjectColumns.subject.index))
        subjectColumns.describe(subject, by: row)
        row.flush(into: &subject.findings)
      }
      subjects.next()
    }
    hasSubject = hasSubject || !draft.subjects.isEmpty
    return true
  }

  override func end() {
    if subjectColumns != nil { subjects.row.log.requireSubject(hasSubject) }
    let isSilent = readingRows == nil ? !hasReadings : !warnsAboutMissingReadings
    guard isSilent, !readings.row.log.hasErrors, !(sheetFindings?.hasErrors ?? false) else {
      return
    }
    readings.row.log.add(
      .noReadings, at: nil, "the study has no readings",
      remedy: isOfSheet
        ? "add a column of readings if something was measured"
        : "add readings.csv if something was measured")
  }

  // MARK: One subject at a time

  override func readSubject() -> SubjectStep {
    if ahead.isEmpty { _ = readAhead() }
    if let subject = ahead.popFirst() {
      hasSubject = true
      let key = SubjectKey(subject.subject.id)
      draft.add(subject)
      drinkRows?.readRows(of: key, into: &draft)
      readingRows?.readRows(of: key, into: &draft)
    }
    // Subjects in drinks and readings must be in the order of subjects.csv.
    if let (name, place) = drinkRows?.nextSubject, name != awaitedDrinks {
      guard isAhead(name) else { return disorder(drinks, name, place) }
      awaitedDrinks = name
    }
    if let (name, place) = readingRows?.nextSubject, name != awaitedReadings {
      guard isAhead(name) else { return disorder(readings, name, place) }
      awaitedReadings = name
    }
    if let repeated { return disorder(subjects, repeated.name, repeated.place) }
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
    guard repeated == nil, let subject = readSubjectRows() else { return false }
    guard seen.insert(subject.subject.id) else {
      repeated = (subject.subject.id, subject.place ?? .start)
      return false
    }
    ahead.append(subject)
    return true
  }

  /// Reads the row of the next subject, with contiguous duplicates; nil at the end.
  private func readSubjectRows() -> SubjectDraft? {
    guard let subjectColumns else { return nil }
    let row = subjects.row
    while subjects.hasRow {
      guard row.names(subjectColumns.subject) else {
        subjects.next()
        continue
      }
      let key = SubjectKey(row.text(of: subjectColumns.subject.index))
      let subject = SubjectDraft(key.id)
      repeat {
        subjectColumns.describe(subject, by: row)
        row.flush(into: &subject.findings)
        subjects.next()
      } while subjects.hasRow && key.isNamed(in: row, subjectColumns.subject)
      return subject
    }
    return nil
  }

  private func disorder(_ table: CSVTable, _ name: String, _ place: Place) -> SubjectStep {
    .disorder(
      table.row.log.finding(
        .subjectApart, at: place,
        "the row of subject \(name.quoted) is not where subjects.csv has the subject",
        remedy: "sort the rows of every table by subject, in the order of subjects.csv"))
  }
}
