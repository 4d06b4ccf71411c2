import AlcoholKinetics
import StudyData

/// Walks through the tables of a study, a subject at a time, and once.
///
/// A class: it reads from memory that is filled anew as it goes, so that it cannot be copied and go on
/// in two places.
final class SubjectWalk: SeriesSource {
  /// How many rows a stream reads ahead.
  static let rowsAhead = 1 << 16

  let package: DataPackage?
  private(set) var findings: [Diagnostic] = []
  private(set) var count: Int?

  private let source: any StudySource
  private var tables: any StudyTables
  private let packageLog: FindingLog
  private var check: SeriesCheck
  private var draft = StudyDraft()
  private var ready: [Series] = []
  private var position = 0
  private var isAtEnd = false

  init(_ source: any StudySource) throws(StudyError) {
    self.source = source
    var log = FindingLog(file: source.descriptor?.path ?? source.path)
    package = source.descriptor.map { DataPackage.read($0, log: &log) }
    packageLog = log
    tables = source.tables
    check = SeriesCheck(layout: tables.layout)
    if packageLog.hasErrors || tables.isBroken { try endBroken() }
    findings = tables.findings + packageLog.closedFindings
  }

  /// Reads so many rows of drinks and readings before the first series is given out, in whatever order their subjects
  /// are.
  func readAhead(_ rows: Int) throws(StudyError) {
    var read = 0
    while read < rows, !isAtEnd {
      let before = ready.count
      if let disorder = try readSubject() { try readAtOnce(because: disorder) }
      for series in ready[before...] { read += series.drinks.count + series.readings.count }
    }
    if isAtEnd { count = ready.count }
  }

  var inputs: [InputDigest] { source.inputs }

  /// All series that have not been given out, of a study that has been read to its end.
  var series: [Series] { ready }

  func next() throws(StudyError) -> Series? {
    while position == ready.count {
      if isAtEnd {
        try source.requireUnchanged()
        return nil
      }
      ready.removeAll(keepingCapacity: true)
      position = 0
      if let disorder = try readSubject() { try endBroken(beside: [disorder]) }
    }
    defer { position += 1 }
    return ready[position]
  }

  /// Reads the next subject, if there is one; says so if the rows are in another order.
  private func readSubject() throws(StudyError) -> Diagnostic? {
    draft.removeAll()
    let step = tables.readSubject(into: &draft)
    if tables.isBroken { try endBroken() }
    fillInFood()
    switch step {
    case .subject: tables.appendSeries(from: draft, to: &ready, &check)
    case .disorder(let finding): return finding
    case .end: try finish()
    }
    return nil
  }

  /// Ends the tables, and takes in what was read of them and what shows only when all series are there.
  private func finish() throws(StudyError) {
    tables.end()
    if tables.isBroken { try endBroken() }
    fillInFood()
    tables.appendSeries(from: draft, to: &ready, &check)
    draft = StudyDraft()
    try source.requireUnchanged()
    findings = tables.findings + packageLog.closedFindings + check.findingsOfStudy
    isAtEnd = true
  }

  /// What the study says of everybody's food holds for those of whom nothing else is said.
  private func fillInFood() {
    guard let food = package?.food else { return }
    for subject in draft.subjects where subject.subject.food == nil { subject.subject.food = food }
  }

  /// Begins again with all rows at once, as nothing has been given out yet; what comes once is lost.
  private func readAtOnce(because disorder: Diagnostic) throws(StudyError) {
    guard source.isRereadable else { return try endBroken(beside: [disorder]) }
    (tables, draft, ready) = (source.tables, StudyDraft(), [])
    check = SeriesCheck(layout: tables.layout)
    while tables.readRows(into: &draft) {}
    try finish()
    isInOrder = false
  }

  /// Whether all rows were read at once, as they were in no order in which subjects can be told.
  private(set) var isInOrder = true

  func reportDisorder() {
    guard !isInOrder else { return }
    findings.add(
      .subjectOrder, in: source.path,
      message: "the tables do not list the subjects in the same order; all were read at once",
      remedy: "to save memory, sort the rows of all tables like subjects.csv")
  }

  /// Ends reading, with everything that is wrong with the files and their rows.
  private func endBroken(beside others: [Diagnostic] = []) throws(StudyError) {
    // What is wrong with half of a file is not what has to be mended.
    try source.requireUnchanged()
    var inRows = draft.rowFindings
    draft.removeAll()
    while tables.readRows(into: &draft) {
      inRows += draft.rowFindings
      draft.removeAll()
    }
    if others.isEmpty { tables.end() }
    try source.requireUnchanged()
    isAtEnd = true
    let all =
      (tables.logs + [packageLog]).flatMap(\.closedFindings) + others + inRows
      + ready.flatMap(\.diagnostics)
    ready = []
    position = 0
    throw StudyError(kind: .badData, diagnostics: all.uniqued)
  }
}
