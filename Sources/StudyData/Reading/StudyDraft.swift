import AlcoholKinetics
import Foundation

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

  /// How many records the last series had, which is how many the next is expected to have.
  private var expected = (drinks: 0, readings: 0)
  private var subjectIndices: [String: Int] = [:]
  private var seriesIndices: [SeriesKey: Int] = [:]

  /// The index of a subject, who is added if new.
  mutating func subject(_ id: String) -> Int {
    if let index = index(ofSubject: id) { return index }
    add(SubjectDraft(subject: Subject(id: id)))
    return subjects.count - 1
  }

  /// Adds a subject who was read into another draft.
  mutating func add(_ subject: SubjectDraft) {
    subjects.append(subject)
    if subjects.count > Self.few { indexSubjects() }
  }

  /// The index of a series, which is added if new.
  mutating func series(of id: String, occasion: String?, mention: SourceLocation) -> Int {
    let subject = subject(id)
    let key = SeriesKey(subject: subject, occasion: occasion)
    if let index = index(ofSeries: key) { return index }
    var draft = SeriesDraft(occasion: occasion, mention: mention)
    draft.drinks.reserveCapacity(expected.drinks)
    draft.readings.reserveCapacity(expected.readings)
    series.append(draft)
    subjects[subject].series.append(series.count - 1)
    if subjects[subject].series.count > Self.few { indexSeries(of: subject) }
    return series.count - 1
  }

  /// Forgets everything but UUIDs, to begin with another subject.
  mutating func removeAll() {
    if let last = series.last { expected = (last.drinks.values.count, last.readings.values.count) }
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

/// A subject while the tables are being read.
struct SubjectDraft {
  var subject: Subject
  /// Where `subjects.csv` names the subject; nil for one that only other files know.
  var place: Place?
  /// Where the weight would stand, if it is missing in a table that has weights.
  var missingWeight: Place?
  /// What was found wrong with the subject's own row.
  var findings: [Diagnostic] = []
  /// Indices of the subject's series.
  var series: [Int] = []
}

/// A series while the tables are being read.
struct SeriesDraft {
  var occasion: String?
  /// Where it is mentioned first.
  var mention: SourceLocation
  /// Whether the table of drinks has rows for it, readable or not.
  var hasDrinkRows = false
  var drinks = Timeline<Drink>()
  var readings = Timeline<Reading>()
  /// What was found wrong with its rows.
  var findings: [Diagnostic] = []

  init(occasion: String?, mention: SourceLocation) {
    self.occasion = occasion
    self.mention = mention
  }
}

/// What happens at a time.
protocol Timed {
  /// When it happens, or begins.
  var time: Hours { get }
}

extension Drink: Timed {}
extension Reading: Timed {}

/// Drinks or readings of a series with the places they were read from.
struct Timeline<Value: Timed> {
  private(set) var values: [Value] = []
  private(set) var places: [Place] = []
  /// The UUIDs of the first values, nil where none is given; empty if none is given at all.
  private(set) var uuids: [UUID?] = []
  /// The first place that breaks the order of time.
  private(set) var disorder: Place?

  /// Takes memory for so many at once.
  mutating func reserveCapacity(_ count: Int) {
    values.reserveCapacity(count)
    places.reserveCapacity(count)
  }

  /// Adds what the file says next.
  @inline(__always)
  mutating func append(_ value: Value, at place: Place) {
    if disorder == nil, let last = values.last, value.time < last.time { disorder = place }
    values.append(value)
    places.append(place)
  }

  /// Gives the last value its UUID.
  mutating func identifyLast(as uuid: UUID) {
    uuids.append(uuid, at: values.count - 1)
  }

  /// Whether two things happen at a time, once everything is in order.
  var hasEqualTimes: Bool {
    zip(values, values.dropFirst()).contains { $0.time == $1.time }
  }

  /// Puts everything in order of time; what happens at equal times stays in the file's order.
  mutating func sort() {
    guard disorder != nil else { return }
    let order = values.indices.sorted { (values[$0].time, $0) < (values[$1].time, $1) }
    values = order.map { values[$0] }
    places = order.map { places[$0] }
    guard !uuids.isEmpty else { return }
    uuids.pad(to: values.count)
    uuids = order.map { uuids[$0] }
  }
}
