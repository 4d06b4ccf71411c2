import AlcoholKinetics

/// A study while its tables are being read.
struct StudyDraft {
  /// The subjects in order of first mention.
  var subjects: [SubjectDraft] = []
  /// The series in order of first mention.
  var series: [SeriesDraft] = []

  private var subjectIndices: [String: Int] = [:]
  private var seriesIndices: [SeriesKey: Int] = [:]

  /// The index of a subject, who is added if new.
  mutating func subject(_ id: String) -> Int {
    if let index = subjectIndices[id] { return index }
    subjects.append(SubjectDraft(subject: Subject(id: id)))
    subjectIndices[id] = subjects.count - 1
    return subjects.count - 1
  }

  /// The index of a series, which is added if new.
  mutating func series(of id: String, occasion: String?, mention: SourceLocation) -> Int {
    let subject = subject(id)
    let key = SeriesKey(subject: subject, occasion: occasion)
    if let index = seriesIndices[key] { return index }
    series.append(SeriesDraft(occasion: occasion, mention: mention))
    seriesIndices[key] = series.count - 1
    subjects[subject].series.append(series.count - 1)
    return series.count - 1
  }

  /// Reports that the table with a row per subject has none, unless it has errors that say more.
  func requireSubject(log: inout FindingLog) {
    guard subjects.isEmpty, !log.hasErrors else { return }
    log.add(
      log.finding(.emptyFile, at: nil, "the table has no row", remedy: "give every subject a row"))
  }

  /// What was found in the rows so far.
  var rowFindings: [Diagnostic] {
    subjects.flatMap { subject in
      subject.findings + subject.series.flatMap { series[$0].findings }
    }
  }

  private struct SeriesKey: Hashable {
    var subject: Int
    var occasion: String?
  }
}
