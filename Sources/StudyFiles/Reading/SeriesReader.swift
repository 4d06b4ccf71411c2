import AlcoholKinetics
import StudyData

/// Reads the tables of a study, a subject at a time, and once: a folder's three in step, or a single one of events.
///
/// A class: it reads from memory that is filled anew as it goes, so that it cannot be copied and go on
/// in two places.
class SeriesReader: SeriesSource {
  /// The rows that a stream reads ahead.
  static let rowsAhead = 1 << 16

  let package: DataPackage?
  private(set) var findings: [Diagnostic] = []
  private(set) var count: Int?
  /// The series that have been read and not been given out.
  private(set) var ready: [Series] = []

  final var draft = StudyDraft()
  /// Whether the table that describes subjects has one.
  final var hasSubject = false
  final let ofSheet: SheetFindings?
  private let input: StudyInput
  private let tables: [CSVTable]
  /// Whether to warn about a series without readings.
  final let wantsReadings: Bool
  private let layout: StudyLayout
  private let packageLog: FindingLog
  private var check: SeriesCheck
  private var position = 0
  private var isAtEnd = false

  /// Begins to read, with the tables of subjects first and that of readings last.
  init(
    _ input: StudyInput, tables: [CSVTable], wantsReadings: Bool, layout: StudyLayout
  ) throws(StudyError) {
    self.input = input
    self.tables = tables
    self.wantsReadings = wantsReadings
    self.layout = layout
    ofSheet = input.sheet?.found
    check = SeriesCheck(layout: layout)
    var log = FindingLog(file: input.files[.descriptor]?.path ?? input.path)
    package = input.files[.descriptor].map { DataPackage.read($0, log: &log) }
    packageLog = log
    for finding in ofSheet?.all ?? [] { tables[0].row.log.add(finding) }
    if packageLog.hasErrors || isBroken { try endBroken() }
    findings = tableFindings
  }

  // MARK: What the tables do

  enum SubjectStep {
    /// All of the subject's rows.
    case subject
    /// Nothing: all rows have been read.
    case end
    /// A row that is not where it must be for a subject to be read at a time, with what to say of it.
    case disorder(Diagnostic)
  }

  /// Reads all rows of the next subject.
  func readSubject() -> SubjectStep { .end }

  /// Reads rows in whatever order, as many as are read at once; false after the last.
  func readRows() -> Bool { false }

  /// Reports what shows only after the last row.
  func end() {}

  /// Adds what was found in a subject's rows before they were tables.
  func add(_ ofSheet: SheetFindings, to subject: SubjectDraft) { ofSheet.add(to: subject, keep) }

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

  /// Reads so many rows before the first series is given out; false if subjects cannot be read one at a time.
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

  /// Reads everything, a table after the other.
  func readAtOnce() throws(StudyError) {
    while readRows() {}
    try finish()
    count = ready.count
  }

  func report(_ finding: Diagnostic) { findings.append(finding) }

  /// Reads the next subject, if there is one; says so if the rows are in another order.
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

  /// Takes in the last rows, and what shows only when all series are there.
  private func finish() throws(StudyError) {
    end()
    if isBroken { try endBroken() }
    appendSeries()
    draft = StudyDraft()
    try input.requireUnchanged()
    findings = tableFindings + check.findingsOfStudy
    isAtEnd = true
  }

  /// Turns what was read into series: in order, checked, each with what was found wrong with it.
  private func appendSeries() {
    for subject in draft.subjects {
      // What the study says of everybody's food holds for those of whom nothing else is said.
      if subject.subject.food == nil { subject.subject.food = package?.food }
      if let ofSheet { add(ofSheet, to: subject) }
      warnOfMissingWeight(of: subject)
      if subject.series.isEmpty { ready.append(seriesWithoutRows(subject)) }
      for index in subject.series.indices {
        check.check(&subject.series[index], of: subject, wantsReadings: wantsReadings)
        for finding in check.findings { keep(finding, in: &subject.series[index].findings) }
        ready.append(Series(subject.series[index], of: subject.subject, subject.findings))
      }
    }
  }

  private func warnOfMissingWeight(of subject: SubjectDraft) {
    guard let place = subject.missingWeight,
      subject.series.contains(where: { $0.drinks.values.contains(where: \.ethanol.needsWeight) })
    else { return }
    let location = SourceLocation(file: layout.subjects, place: place)
    keep(subject.subject.weightMissing(at: location), in: &subject.findings)
  }

  private func seriesWithoutRows(_ subject: SubjectDraft) -> Series {
    var findings = subject.findings
    // What is wrong with the rows is why none is left.
    if !findings.contains(where: { $0.code == .time }) {
      let finding = Diagnostic(
        .doseMissing, in: layout.subjects, at: subject.place,
        message: "subject \(subject.subject.id.quoted) has no drink",
        remedy: layout.remedyForNoRows)
      keep(finding, in: &findings)
    }
    return Series(subject: subject.subject, drinks: [], readings: [], diagnostics: findings)
  }

  // MARK: Findings

  private var isBroken: Bool { tables.contains(where: \.row.log.hasErrors) }

  private var tableFindings: [Diagnostic] {
    tables.flatMap(\.row.log.closedFindings) + packageLog.closedFindings
  }

  /// Keeps a finding about a series or a subject, unless the log of its file is full.
  private func keep(_ finding: Diagnostic, in list: inout [Diagnostic]) {
    let file = finding.location.file
    (tables.last { $0.row.log.file == file } ?? tables[0]).row.log.add(finding, to: &list)
  }

  /// Ends reading, with everything that is wrong with the files and their rows.
  private func endBroken(beside others: [Diagnostic] = []) throws(StudyError) {
    // What is wrong with half of a file is not what has to be mended.
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
  /// Reports that the table with a row per subject has none, unless it has errors that say more.
  mutating func requireSubject(_ isThere: Bool) {
    guard !isThere, !hasErrors else { return }
    add(.emptyFile, at: nil, "the table has no row", remedy: "give every subject a row")
  }
}

/// The names of subjects that have been there.
///
/// Mostly names come in order; then it is enough to compare with the last, and they are not hashed.
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
    var (low, high) = (0, ascending.count)
    while low < high {
      let middle = (low + high) / 2
      if ascending[middle] < name { low = middle + 1 } else { high = middle }
    }
    return low < ascending.count && ascending[low] == name
  }
}
