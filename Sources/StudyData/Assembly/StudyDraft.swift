import AlcoholKinetics

/// A study, or a part of one, while its tables are being read.
struct StudyDraft {
  /// How many names are looked through one by one; for more there is an index.
  private static let few = 8

  /// The subjects in order of first mention.
  var subjects: [SubjectDraft] = []
  /// The series in order of first mention.
  var series: [SeriesDraft] = []
  /// The UUIDs of all records, also of those that have been given out.
  var uuids = UUIDRegister()

  private var subjectIndices: [String: Int] = [:]
  private var seriesIndices: [SeriesKey: Int] = [:]

  /// The index of a subject, who is added if new.
  mutating func subject(_ id: String) -> Int {
    if let index = index(ofSubject: id) { return index }
    subjects.append(SubjectDraft(subject: Subject(id: id)))
    if subjects.count > Self.few { indexSubjects() }
    return subjects.count - 1
  }

  /// The index of a series, which is added if new.
  mutating func series(of id: String, occasion: String?, mention: SourceLocation) -> Int {
    let subject = subject(id)
    let key = SeriesKey(subject: subject, occasion: occasion)
    if let index = index(ofSeries: key) { return index }
    series.append(SeriesDraft(occasion: occasion, mention: mention))
    subjects[subject].series.append(series.count - 1)
    if subjects[subject].series.count > Self.few { indexSeries(of: subject) }
    return series.count - 1
  }

  /// Reports that the table with a row per subject has none, unless it has errors that say more.
  func requireSubject(log: inout FindingLog) {
    guard subjects.isEmpty, !log.hasErrors else { return }
    log.add(
      log.finding(.emptyFile, at: nil, "the table has no row", remedy: "give every subject a row"))
  }

  /// Forgets everything but UUIDs, to begin with another subject.
  mutating func removeAll() {
    subjects.removeAll(keepingCapacity: true)
    series.removeAll(keepingCapacity: true)
    if !subjectIndices.isEmpty { subjectIndices = [:] }
    if !seriesIndices.isEmpty { seriesIndices = [:] }
  }

  /// What was found in the rows so far.
  var rowFindings: [Diagnostic] {
    subjects.flatMap { subject in
      subject.findings + subject.series.flatMap { series[$0].findings }
    }
  }

  // MARK: Index

  private func index(ofSubject id: String) -> Int? {
    guard subjects.count <= Self.few else { return subjectIndices[id] }
    return subjects.lastIndex { $0.subject.id == id }
  }

  private func index(ofSeries key: SeriesKey) -> Int? {
    let indices = subjects[key.subject].series
    guard indices.count <= Self.few else { return seriesIndices[key] }
    return indices.last { series[$0].occasion == key.occasion }
  }

  private mutating func indexSubjects() {
    let isFirst = subjectIndices.isEmpty
    for index in (isFirst ? 0 : subjects.count - 1)..<subjects.count {
      subjectIndices[subjects[index].subject.id] = index
    }
  }

  private mutating func indexSeries(of subject: Int) {
    let indices = subjects[subject].series
    let isFirst = indices.count == Self.few + 1
    for index in isFirst ? indices[...] : indices.suffix(1) {
      seriesIndices[SeriesKey(subject: subject, occasion: series[index].occasion)] = index
    }
  }

  private struct SeriesKey: Hashable {
    var subject: Int
    var occasion: String?
  }
}
