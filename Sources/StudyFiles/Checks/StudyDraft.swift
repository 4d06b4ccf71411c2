import AlcoholKinetics
import Foundation
import StudyData

/// The subjects whose rows are being read.
struct StudyDraft {
  /// The number of names or occasions above which an index is used.
  fileprivate static let few = 8

  private(set) var subjects: [SubjectDraft] = []
  /// The numbers of records of the last series, reserved for the next one.
  private var expected = (drinks: 0, readings: 0)
  private var index: [String: SubjectDraft] = [:]

  mutating func subject(_ id: String) -> SubjectDraft {
    let existing =
      subjects.count > Self.few ? index[id] : subjects.last { $0.subject.id == id }
    if let existing { return existing }
    let subject = SubjectDraft(id)
    add(subject)
    return subject
  }

  mutating func add(_ subject: SubjectDraft) {
    subjects.append(subject)
    guard subjects.count > Self.few else { return }
    for subject in index.isEmpty ? subjects[...] : subjects.suffix(1) {
      index[subject.subject.id] = subject
    }
  }

  /// Returns the subject and the index of a series, which is added if it is new.
  mutating func series(
    of id: String, occasion: String?, mention: SourceLocation
  ) -> (subject: SubjectDraft, index: Int) {
    let subject = subject(id)
    if let index = subject.index(of: occasion) { return (subject, index) }
    var series = SeriesDraft(occasion: occasion, mention: mention)
    series.drinks.reserveCapacity(expected.drinks)
    series.readings.reserveCapacity(expected.readings)
    subject.add(series)
    return (subject, subject.series.count - 1)
  }

  /// Removes all subjects.
  mutating func removeAll() {
    if let last = subjects.last?.series.last {
      expected = (last.drinks.values.count, last.readings.values.count)
    }
    subjects.removeAll(keepingCapacity: true)
    if !index.isEmpty { index = [:] }
  }

  var rowFindings: [Diagnostic] {
    subjects.flatMap { $0.findings + $0.series.flatMap(\.findings) }
  }
}

/// A subject while the tables are read. A class, because several tables add to one.
final class SubjectDraft {
  var subject: Subject
  /// The place of the subject's own row; nil for a subject that occurs only in other files.
  var place: Place?
  /// The place of the weight, if it is missing in a table that has weights.
  var missingWeight: Place?
  /// Findings in the subject's own row.
  var findings: [Diagnostic] = []
  var series: [SeriesDraft] = []
  private var indices: [String?: Int] = [:]

  init(_ id: String) { subject = Subject(id: id) }

  /// Makes a subject that is not read from a table.
  init(described subject: Subject) {
    self.subject = subject
    place = .start
  }

  fileprivate func index(of occasion: String?) -> Int? {
    guard series.count <= StudyDraft.few else { return indices[occasion] }
    return series.lastIndex { $0.occasion == occasion }
  }

  fileprivate func add(_ new: SeriesDraft) {
    series.append(new)
    guard series.count > StudyDraft.few else { return }
    for index in indices.isEmpty ? series.indices : series.indices.suffix(1) {
      indices[series[index].occasion] = index
    }
  }
}

struct SeriesDraft {
  var occasion: String?
  var mention: SourceLocation
  /// Whether the table of drinks has rows for it, readable or not.
  var hasDrinkRows = false
  var drinks = Timeline<Drink>()
  var readings = Timeline<Reading>()
  var findings: [Diagnostic] = []
}

/// The drinks or readings of a series with their places in the file.
struct Timeline<Value: Timed> {
  private(set) var values: [Value] = []
  private(set) var places: [Place] = []
  /// The UUIDs of the first values, nil where none is given; empty if none is given at all.
  private(set) var uuids: [UUID?] = []
  /// The sources of values, by index.
  private(set) var sources: [Int: String] = [:]
  /// The first place that breaks the order of time.
  private(set) var disorder: Place?
  /// Repeated doses (ADDL), whose times may be after those of later rows.
  var repeated: [(value: Value, place: Place)] = []

  mutating func reserveCapacity(_ count: Int) {
    values.reserveCapacity(count)
    places.reserveCapacity(count)
  }

  @inline(__always)
  mutating func append(
    _ value: Value, at place: Place, _ uuid: UUID? = nil, source: String? = nil
  ) {
    if disorder == nil, let last = values.last, value.time < last.time { disorder = place }
    if let uuid {
      uuids.pad(to: values.count)
      uuids.append(uuid)
    }
    if let source { sources[values.count] = source }
    values.append(value)
    places.append(place)
  }

  /// Changes a value in a way that keeps the order of time.
  mutating func change(_ index: Int, _ body: (inout Value) -> Void) { body(&values[index]) }

  /// Whether two sorted values have the same time.
  var hasEqualTimes: Bool {
    zip(values, values.dropFirst()).contains { $0.time == $1.time }
  }

  /// Sorts by time; the order of values with equal times is kept.
  mutating func sort() {
    guard disorder != nil || !repeated.isEmpty else { return }
    values += repeated.map(\.value)
    places += repeated.map(\.place)
    repeated = []
    let order = values.orderOfTime
    values = order.map { values[$0] }
    places = order.map { places[$0] }
    sources = sources.reordered(by: order)
    guard !uuids.isEmpty else { return }
    uuids.pad(to: values.count)
    uuids = order.map { uuids[$0] }
  }
}

/// The UUIDs of a study so far with their places; about 60 bytes each.
final class UUIDRegister {
  private var files: [String] = []
  private var entries: [UUID: (file: Int32, line: Int32)] = [:]

  /// Adds a UUID; returns the place of the first occurrence if it is a duplicate.
  func enter(_ uuid: UUID, at location: SourceLocation) -> (name: String, line: Int)? {
    if let first = entries[uuid] {
      let path = files[Int(first.file)]
      return (path.split(separator: "/").last.map(String.init) ?? path, Int(first.line))
    }
    if files.last != location.file { files.append(location.file) }
    entries[uuid] = (Int32(files.count - 1), Int32(clamping: location.line ?? 0))
    return nil
  }
}

extension Series {
  /// Makes a series from a draft that has been read and checked.
  init(_ draft: SeriesDraft, of subject: Subject, _ findings: [Diagnostic] = []) {
    self.init(
      subject: subject, occasion: draft.occasion, drinks: draft.drinks.values,
      readings: draft.readings.values,
      uuids: GivenUUIDs(drinks: draft.drinks.uuids, readings: draft.readings.uuids),
      diagnostics: findings + draft.findings)
    sources = draft.readings.sources
  }
}
