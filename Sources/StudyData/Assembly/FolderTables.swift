import AlcoholKinetics

/// The tables of a study folder.
struct FolderTables: StudyTables {
  let layout: StudyLayout
  private(set) var isInOrder = true

  private var subjects: TableCursor<SubjectRows>
  private var drinks: TableCursor<DrinkRows>
  private var readings: TableCursor<ReadingRows>
  private let hasReadings: Bool
  let wantsReadings: Bool
  /// Reads plain subjects; nil if there are none.
  private var plain: PlainSubjects?
  /// Whether there has been one; they have readings.
  private var hadPlain = false
  /// Whether the subject before had more readings than plain subjects have.
  private var hadMany = false
  /// The subjects that have been read one at a time.
  private var seen = SeenNames()

  /// Opens a folder's tables.
  init(_ folder: StudyFolder) {
    layout = StudyLayout(of: folder)
    subjects = TableCursor(folder.files[.subjects], log: FindingLog(file: layout.subjects))
    drinks = TableCursor(folder.files[.drinks], log: FindingLog(file: layout.drinks)) {
      DrinkRows(header: $0, catalogue: folder.catalogue, log: &$1)
    }
    readings = TableCursor(folder.files[.readings], log: FindingLog(file: layout.readings))
    hasReadings = folder.files[.readings] != nil
    // Of a study without any, it is said once.
    wantsReadings = readings.hasRow
    plain = PlainSubjects(subjects.rows?.plain, drinks.rows?.plain, readings.rows?.plain)
  }

  var logs: [FindingLog] { [subjects.log, drinks.log, readings.log] }

  mutating func readAll(into draft: inout StudyDraft) {
    subjects.readAll(into: &draft)
    if subjects.rows != nil { draft.requireSubject(log: &subjects.log) }
    drinks.readAll(into: &draft)
    readings.readAll(into: &draft)
  }

  mutating func readPlainSubject() -> Bool {
    // Whoever has many readings would be read twice, for hardly a gain.
    guard !hadMany, let (people, drunk, read) = fields,
      let spans = plain?.read(people, drunk, read),
      let id = plain?.series.subject.id, seen.insert(id)
    else { return false }
    subjects.skip(spans.subjects)
    drinks.skip(spans.drinks)
    readings.skip(spans.readings)
    hadPlain = true
    return true
  }

  var plainSeries: Series? { plain?.series }

  private var fields: (PlainFields, PlainFields, PlainFields)? {
    guard let subjects = subjects.fields, let drinks = drinks.fields,
      let readings = readings.fields
    else { return nil }
    return (subjects, drinks, readings)
  }

  mutating func readSubject(into draft: inout StudyDraft) -> Bool {
    subjects.findRow()
    drinks.findRow()
    readings.findRow()
    guard let subject = subjects.readSubject(into: &draft) else {
      isInOrder = isInOrder && !drinks.hasRow && !readings.hasRow
      return false
    }
    guard seen.insert(subject.id) else {
      isInOrder = false
      return false
    }
    drinks.readRows(of: subject, into: &draft)
    readings.readRows(of: subject, into: &draft)
    hadMany = draft.series.last.map { $0.readings.values.count > PlainReadings.few } ?? false
    return true
  }

  mutating func end() {
    warnOfNoReadings()
    checkOccasions()
  }

  mutating func keep(_ finding: Diagnostic, in list: inout [Diagnostic]) {
    switch finding.location.file {
    case layout.readings: readings.log.add(finding, to: &list)
    case layout.drinks: drinks.log.add(finding, to: &list)
    default: subjects.log.add(finding, to: &list)
    }
  }

  // MARK: The tables together

  private mutating func warnOfNoReadings() {
    let isSilent = readings.rows?.isEmpty ?? !hasReadings
    guard isSilent, !hadPlain, !readings.log.hasErrors else { return }
    readings.log.add(
      readings.log.finding(
        .noReadings, at: nil, "the study has no readings",
        remedy: "add readings.csv if something was measured"))
  }

  /// Occasions told apart in only one of the tables would match nothing in the other.
  private mutating func checkOccasions() {
    guard let inDrinks = drinks.rows?.hasOccasions, let inReadings = readings.rows?.hasOccasions,
      inDrinks != inReadings
    else { return }
    if inDrinks {
      Self.addOccasionFinding(to: &readings.log, other: .drinks)
    } else {
      Self.addOccasionFinding(to: &drinks.log, other: .readings)
    }
  }

  private static func addOccasionFinding(to log: inout FindingLog, other: StudyFile) {
    log.add(
      log.finding(
        .occasionColumn, at: nil, "the table has no column occasion, but \(other.rawValue) has one",
        remedy: "give both tables the column, or neither"))
  }
}
