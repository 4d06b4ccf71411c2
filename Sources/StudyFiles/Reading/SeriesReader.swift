import AlcoholKinetics
import StudyData

/// Reads the tables of a study once, one subject at a time: the three of a folder in step, or a table of events.
///
/// A class, because its buffers are reused while reading, so that copies could not continue independently.
class SeriesReader: SeriesSource {
  /// The number of rows that a stream reads ahead.
  static let rowsAhead = 1 << 16

  let package: DataPackage?
  private(set) var findings: [Diagnostic] = []
  private(set) var count: Int?
  var people: Int? { nil }
  /// Series that have been read and not yet returned.
  private(set) var ready: [Series] = []

  final var draft = StudyDraft()
  /// Whether the table that describes subjects has one.
  final var hasSubject = false
  final let sheetFindings: SheetFindings?
  private let input: StudyInput
  private let tables: [CSVTable]
  /// Whether to warn about a series without readings.
  final let warnsAboutMissingReadings: Bool
  private let layout: StudyLayout
  private let packageLog: FindingLog
  private var check: SeriesCheck
  private var position = 0
  private var isAtEnd = false

  /// Begins to read, with the tables of subjects first and that of readings last.
  init(
    _ input: StudyInput, tables: [CSVTable], warnsAboutMissingReadings: Bool, layout: StudyLayout
  ) throws(StudyError) {
    self.input = input
    self.tables = tables
    self.warnsAboutMissingReadings = warnsAboutMissingReadings
    self.layout = layout
    sheetFindings = input.sheet?.findings
    check = SeriesCheck(layout: layout)
    var log = FindingLog(file: input.files[.descriptor]?.path ?? input.path)
    package = input.files[.descriptor].map { DataPackage.read($0, log: &log) }
    packageLog = log
    for finding in sheetFindings?.all ?? [] { tables[0].row.log.add(finding) }
    if packageLog.hasErrors || isBroken { try endBroken() }
    findings = tableFindings
  }

  // MARK: Tables

  enum SubjectStep {
    /// All rows of a subject have been read.
    case subject
    /// All rows have been read before.
    case end
    /// A row is out of order, so that subjects cannot be read one at a time.
    case disorder(Diagnostic)
  }

  /// Reads all rows of the next subject.
  func readSubject() -> SubjectStep { .end }

  /// Reads a batch of rows in any order; false after the last.
  func readRows() -> Bool { false }

  /// Reports findings that need all rows.
  func end() {}

  /// Adds the findings about a subject's rows in the sheet.
  func add(_ sheetFindings: SheetFindings, to subject: SubjectDraft) {
    sheetFindings.add(to: subject, record)
  }

  // MARK: Series

  var inputs: [InputDigest] { input.inputs }

  func next() throws(StudyError) -> Series? {
    while position == ready.count {
      if isAtEnd {
        try input.requireUnchanged()
        return nil
      }
      ready.removeAll(keepingCapacity: true)
      position = 0
      if let disorder = try appendSubject() { try endBroken(beside: [disorder]) }
    }
    defer { position += 1 }
    return ready[position]
  }

  /// Reads `rows` rows before the first series is returned; false if subjects cannot be read one at a time.
  func readAhead(_ rows: Int) throws(StudyError) -> Bool {
    var read = 0
    while read < rows, !isAtEnd {
      let before = ready.count
      if try appendSubject() != nil { return false }
      for series in ready[before...] { read += series.drinks.count + series.readings.count }
    }
    if isAtEnd { count = ready.count }
    return true
  }

  /// Reads everything, one table after the other.
  func readAtOnce() throws(StudyError) {
    while readRows() {}
    try finish()
    count = ready.count
  }

  func report(_ finding: Diagnostic) { findings.append(finding) }

  /// Reads the next subject, if any; returns a finding if the rows are out of order.
  private func appendSubject() throws(StudyError) -> Diagnostic? {
    draft.removeAll()
    let step = readSubject()
    if isBroken { try endBroken() }
    switch step {
    case .subject: appendSeries()
    case .disorder(let finding): return finding
    case .end: try finish()
    }
    return nil
  }

  /// Adds the last series and the findings about the whole study.
  private func finish() throws(StudyError) {
    end()
    if isBroken { try endBroken() }
    appendSeries()
    draft = StudyDraft()
    try input.requireUnchanged()
    findings = tableFindings + check.findingsOfStudy
    isAtEnd = true
  }

  /// Converts the drafts to series, sorted and checked, with their findings.
  private func appendSeries() {
    for subject in draft.subjects {
      // The food of the descriptor applies to subjects without their own.
      if subject.subject.food == nil { subject.subject.food = package?.food }
      if let sheetFindings { add(sheetFindings, to: subject) }
      warnOfMissingWeight(of: subject)
      check.checkName(of: subject)
      if subject.series.isEmpty { ready.append(seriesWithoutRows(subject)) }
      for index in subject.series.indices {
        check.check(
          &subject.series[index], of: subject, warnsAboutMissingReadings: warnsAboutMissingReadings)
        for finding in check.findings { record(finding, in: &subject.series[index].findings) }
        ready.append(Series(subject.series[index], of: subject.subject, subject.findings))
      }
    }
  }

  private func warnOfMissingWeight(of subject: SubjectDraft) {
    guard let place = subject.missingWeight,
      subject.series.contains(where: { $0.drinks.values.contains(where: \.ethanol.needsWeight) })
    else { return }
    let location = SourceLocation(file: layout.subjects, place: place)
    record(subject.subject.weightMissing(at: location), in: &subject.findings)
  }

  private func seriesWithoutRows(_ subject: SubjectDraft) -> Series {
    var findings = subject.findings
    // With errors of time, the rows were left out, and their absence needs no further finding.
    if !findings.contains(where: { $0.code == .time }) {
      let finding = Diagnostic(
        .doseMissing, in: layout.subjects, at: subject.place,
        message: "subject \(subject.subject.id.quoted) has no drink",
        remedy: layout.remedyForNoRows)
      record(finding, in: &findings)
    }
    return Series(subject: subject.subject, drinks: [], readings: [], diagnostics: findings)
  }

  // MARK: Findings

  private var isBroken: Bool { tables.contains(where: \.row.log.hasErrors) }

  private var tableFindings: [Diagnostic] {
    tables.flatMap(\.row.log.closedFindings) + packageLog.closedFindings
  }

  /// Adds a finding about a series or a subject, unless the log of its file is full.
  private func record(_ finding: Diagnostic, in list: inout [Diagnostic]) {
    let file = finding.location.file
    (tables.last { $0.row.log.file == file } ?? tables[0]).row.log.add(finding, to: &list)
  }

  /// Throws all findings about the files and their rows.
  private func endBroken(beside others: [Diagnostic] = []) throws(StudyError) {
    // If a file was changed meanwhile, that is the error; findings about parts of it would be misleading.
    try input.requireUnchanged()
    var inRows: [Diagnostic] = []
    repeat {
      inRows += draft.rowFindings
      draft.removeAll()
    } while readRows()
    if others.isEmpty { end() }
    try input.requireUnchanged()
    isAtEnd = true
    let all = tableFindings + others + inRows + ready.flatMap(\.diagnostics)
    ready = []
    position = 0
    throw StudyError(kind: .badData, diagnostics: all.uniqued)
  }
}

extension FindingLog {
  /// Reports that the table of subjects has no row, unless it has other errors.
  mutating func requireSubject(_ isThere: Bool) {
    guard !isThere, !hasErrors else { return }
    add(.emptyFile, at: nil, "the table has no row", remedy: "give every subject a row")
  }
}

/// The names of subjects that have occurred.
///
/// As long as names come in ascending order, comparison with the last one suffices, and they are not hashed.
package struct SeenNames {
  private var ascending: [String] = []
  private var all: Set<String>?

  package init() {}

  package mutating func insert(_ name: String) -> Bool {
    if all == nil, let last = ascending.last, name <= last {
      all = Set(ascending)
      ascending = []
    }
    guard all == nil else { return all?.insert(name).inserted ?? true }
    ascending.append(name)
    return true
  }

  func contains(_ name: String) -> Bool {
    if let all { return all.contains(name) }
    if let last = ascending.last, name > last { return false }
    var low = 0
    var high = ascending.count
    while low < high {
      let middle = (low + high) / 2
      if ascending[middle] < name { low = middle + 1 } else { high = middle }
    }
    return low < ascending.count && ascending[low] == name
  }
}
