import AlcoholKinetics
import Foundation
import StudyData

/// The subjects whose rows are being read.
struct StudyDraft {
  /// For more names or occasions than these there is an index.
  fileprivate static let few = 8

  private(set) var subjects: [SubjectDraft] = []
  /// The number of records of the last series, for which the next has room.
  private var expected = (drinks: 0, readings: 0)
  private var index: [String: SubjectDraft] = [:]

  mutating func subject(_ id: String) -> SubjectDraft {
    let known =
      subjects.count > Self.few ? index[id] : subjects.last { $0.subject.id == id }
    if let known { return known }
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

  /// A series, which is added if new: its subject, and its index there.
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

  /// Begins anew, with other subjects.
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

/// A subject while the tables are being read. A class, as several tables speak of one.
final class SubjectDraft {
  var subject: Subject
  /// The place of the subject's own row; nil for one that only other files know.
  var place: Place?
  /// The place of the weight, if it is missing in a table that has weights.
  var missingWeight: Place?
  /// Findings in the subject's own row.
  var findings: [Diagnostic] = []
  var series: [SeriesDraft] = []
  private var indices: [String?: Int] = [:]

  init(_ id: String) { subject = Subject(id: id) }

  /// A subject who stands in no table.
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

/// Drinks or readings of a series with the places they were read from.
struct Timeline<Value: Timed> {
  private(set) var values: [Value] = []
  private(set) var places: [Place] = []
  /// The UUIDs of the first values, nil where none is given; empty if none is given at all.
  private(set) var uuids: [UUID?] = []
  /// The first place that breaks the order of time.
  private(set) var disorder: Place?
  /// Drinks that rows repeat: their times are after those of rows to come.
  var repeated: [(value: Value, place: Place)] = []

  mutating func reserveCapacity(_ count: Int) {
    values.reserveCapacity(count)
    places.reserveCapacity(count)
  }

  @inline(__always)
  mutating func append(_ value: Value, at place: Place, _ uuid: UUID? = nil) {
    if disorder == nil, let last = values.last, value.time < last.time { disorder = place }
    if let uuid {
      uuids.pad(to: values.count)
      uuids.append(uuid)
    }
    values.append(value)
    places.append(place)
  }

  /// Changes a value, but for its place in order of time.
  mutating func change(_ index: Int, _ body: (inout Value) -> Void) { body(&values[index]) }

  /// Whether two things happen at a time, once everything is in order.
  var hasEqualTimes: Bool {
    zip(values, values.dropFirst()).contains { $0.time == $1.time }
  }

  /// Puts everything in order of time; what happens at equal times stays in the file's order.
  mutating func sort() {
    guard disorder != nil || !repeated.isEmpty else { return }
    values += repeated.map(\.value)
    places += repeated.map(\.place)
    repeated = []
    let order = values.orderOfTime
    values = order.map { values[$0] }
    places = order.map { places[$0] }
    guard !uuids.isEmpty else { return }
    uuids.pad(to: values.count)
    uuids = order.map { uuids[$0] }
  }
}

/// The UUIDs that a study has given so far, and where: some 60 bytes for each.
final class UUIDRegister {
  private var files: [String] = []
  private var entries: [UUID: (file: Int32, line: Int32)] = [:]

  /// Enters a UUID; if it is there already, says where.
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
  /// A series of which all has been read and checked.
  init(_ draft: SeriesDraft, of subject: Subject, _ findings: [Diagnostic] = []) {
    self.init(
      subject: subject, occasion: draft.occasion, drinks: draft.drinks.values,
      readings: draft.readings.values,
      uuids: GivenUUIDs(drinks: draft.drinks.uuids, readings: draft.readings.uuids),
      diagnostics: findings + draft.findings)
  }
}
