/// The reading of one study: its files in turn, then what they say together.
struct StudyTables {
  private let folder: StudyFolder
  private var draft = StudyDraft()
  private var subjectLog: FindingLog
  private var drinkLog: FindingLog
  private var readingLog: FindingLog
  private var descriptorLog: FindingLog

  /// Prepares to read a folder's files.
  init(_ folder: StudyFolder) {
    self.folder = folder
    subjectLog = FindingLog(file: folder.path(of: .subjects))
    drinkLog = FindingLog(file: folder.path(of: .drinks))
    readingLog = FindingLog(file: folder.path(of: .readings))
    descriptorLog = FindingLog(file: folder.path(of: .descriptor))
  }

  /// Reads the study.
  mutating func study() throws(StudyError) -> Study {
    readSubjects()
    let drinks = folder.files[.drinks].flatMap {
      DrinkRows.read($0, into: &draft, log: &drinkLog)
    }
    let readings = readReadings()
    checkOccasions(drinks, readings)
    let package = folder.files[.descriptor].map { DataPackage.read($0, log: &descriptorLog) }
    try [subjectLog, drinkLog, readingLog, descriptorLog].endIfBroken(with: draft.rowFindings)
    return assemble(with: package)
  }

  private mutating func readSubjects() {
    guard let file = folder.files[.subjects] else { return }
    if SubjectRows.read(file, into: &draft, log: &subjectLog) != nil {
      draft.requireSubject(log: &subjectLog)
    }
  }

  private mutating func readReadings() -> ReadingRows? {
    let rows = folder.files[.readings].flatMap {
      ReadingRows.read($0, into: &draft, log: &readingLog)
    }
    let isSilent = rows?.isEmpty ?? (folder.files[.readings] == nil)
    if isSilent, !readingLog.hasErrors {
      readingLog.add(
        readingLog.finding(
          .noReadings, at: nil, "the study has no readings",
          remedy: "add readings.csv if something was measured"))
    }
    return rows
  }

  /// Occasions told apart in only one of the tables would match nothing in the other.
  private mutating func checkOccasions(_ drinks: DrinkRows?, _ readings: ReadingRows?) {
    guard let drinks, let readings, drinks.hasOccasions != readings.hasOccasions else { return }
    if drinks.hasOccasions {
      Self.addOccasionFinding(to: &readingLog, other: .drinks)
    } else {
      Self.addOccasionFinding(to: &drinkLog, other: .readings)
    }
  }

  private static func addOccasionFinding(to log: inout FindingLog, other: StudyFile) {
    log.add(
      log.finding(
        .occasionColumn, at: nil, "the table has no column occasion, but \(other.rawValue) has",
        remedy: "give both of them the column, or neither"))
  }

  private func assemble(with package: DataPackage?) -> Study {
    var assembly = StudyAssembly(
      draft, subjectLog: subjectLog, drinkLog: drinkLog, readingLog: readingLog)
    let series = assembly.series()
    return Study(
      name: folder.name, title: package?.title, instrument: package?.instrument, series: series,
      diagnostics: assembly.findings + descriptorLog.closedFindings, inputs: folder.inputs)
  }
}
