import AlcoholKinetics
import StudyData

/// The tables of an open study, of which a subject is read at a time, or everything at once.
///
/// Classes, as they read from memory that is filled anew as they go.
protocol StudyTables: AnyObject {
  var layout: StudyLayout { get }
  var logs: [FindingLog] { get }
  var isBroken: Bool { get }
  /// Whether a series without readings is worth a word.
  var wantsReadings: Bool { get }

  func readSubject(into draft: inout StudyDraft) -> SubjectStep

  /// Reads rows, as many as are read at once; false after the last.
  func readRows(into draft: inout StudyDraft) -> Bool

  func end()

  /// Adds what was found in a subject's rows before they were tables.
  func note(_ subject: SubjectDraft)

  /// Keeps a finding about a series or a subject, unless the log of its file is full.
  func keep(_ finding: Diagnostic, in list: inout [Diagnostic])
}

enum SubjectStep {
  /// All of the subject's rows.
  case subject
  /// Nothing: all rows have been read.
  case end
  /// A row that is not where it must be for a subject to be read at a time, with what to say of it.
  case disorder(Diagnostic)
}

extension StudyTables {
  func note(_ subject: SubjectDraft) {}

  var findings: [Diagnostic] { logs.flatMap(\.closedFindings) }

  /// Turns what was read into series: in order, checked, each with what was found wrong with it.
  func appendSeries(
    from draft: StudyDraft, to all: inout [Series], _ check: inout SeriesCheck
  ) {
    for subject in draft.subjects {
      note(subject)
      warnOfMissingWeight(of: subject)
      if subject.series.isEmpty { all.append(seriesWithoutRows(subject)) }
      for index in subject.series.indices {
        check.check(&subject.series[index], of: subject, wantsReadings: wantsReadings)
        for finding in check.findings { keep(finding, in: &subject.series[index].findings) }
        all.append(Series(subject.series[index], of: subject.subject, subject.findings))
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
    if !findings.contains(where: { [.time, .time].contains($0.code) }) {
      let finding = Diagnostic(
        .doseMissing, in: layout.subjects, at: subject.place,
        message: "subject \(subject.subject.id.quoted) has no drink",
        remedy: layout.remedyForNoRows)
      keep(finding, in: &findings)
    }
    return Series(subject: subject.subject, drinks: [], readings: [], diagnostics: findings)
  }
}

extension FindingLog {
  /// Reports that the table with a row per subject has none, unless it has errors that say more.
  mutating func requireSubject(_ isThere: Bool) {
    guard !isThere, !hasErrors else { return }
    add(finding(.emptyFile, at: nil, "the table has no row", remedy: "give every subject a row"))
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
