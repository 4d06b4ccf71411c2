package import AlcoholKinetics
package import Foundation

package struct StudyDraft {
  /// How many names are looked through one by one; for more there is an index.
  fileprivate static let few = 8

  package private(set) var subjects: [SubjectDraft] = []
  /// The UUIDs of all records, also of those that have been given out.
  package var uuids = UUIDRegister()

  /// How many records the last series had, which is how many the next is expected to have.
  private var expected = (drinks: 0, readings: 0)
  private var index: [String: SubjectDraft] = [:]

  package init() {}

  package mutating func subject(_ id: String) -> SubjectDraft {
    let known =
      subjects.count > Self.few ? index[id] : subjects.last { $0.subject.id == id }
    if let known { return known }
    let subject = SubjectDraft(id)
    add(subject)
    return subject
  }

  package mutating func add(_ subject: SubjectDraft) {
    subjects.append(subject)
    guard subjects.count > Self.few else { return }
    for subject in index.isEmpty ? subjects[...] : subjects.suffix(1) {
      index[subject.subject.id] = subject
    }
  }

  /// A series, which is added if new: its subject, and its index there.
  package mutating func series(
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

  /// Forgets everything but UUIDs, to begin with another subject.
  package mutating func removeAll() {
    if let last = subjects.last?.series.last {
      expected = (last.drinks.values.count, last.readings.values.count)
    }
    subjects.removeAll(keepingCapacity: true)
    if !index.isEmpty { index = [:] }
  }

  package var rowFindings: [Diagnostic] {
    subjects.flatMap { $0.findings + $0.series.flatMap(\.findings) }
  }
}

/// A subject while the tables are being read. A class, as several tables speak of one.
package final class SubjectDraft {
  package var subject: Subject
  /// Where `subjects.csv` names the subject; nil for one that only other files know.
  package var place: Place?
  /// Where the weight would stand, if it is missing in a table that has weights.
  package var missingWeight: Place?
  /// What was found wrong with the subject's own row.
  package var findings: [Diagnostic] = []
  package var series: [SeriesDraft] = []
  private var indices: [String?: Int] = [:]

  package init(_ id: String) { subject = Subject(id: id) }

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

package struct SeriesDraft {
  package var occasion: String?
  var mention: SourceLocation
  /// Whether the table of drinks has rows for it, readable or not.
  package var hasDrinkRows = false
  package var drinks = Timeline<Drink>()
  package var readings = Timeline<Reading>()
  package var findings: [Diagnostic] = []

  // Not generic, so that other modules call them specialised.
  package mutating func add(_ drink: Drink, at place: Place, _ uuid: UUID?) {
    drinks.append(drink, at: place, uuid)
  }

  /// Adds a drink that a row has repeated, whose time is after those of rows to come.
  package mutating func addRepeated(_ drink: Drink, at place: Place) {
    drinks.repeated.append((drink, place))
  }

  package mutating func add(_ reading: Reading, at place: Place, _ uuid: UUID?) {
    readings.append(reading, at: place, uuid)
  }
}

package protocol Timed {
  var time: Hours { get }
}

extension Drink: Timed {}
extension Reading: Timed {}

extension Array where Element: Timed {
  /// Whether nothing comes before what is earlier.
  var isInOrderOfTime: Bool { !zip(self, dropFirst()).contains { $1.time < $0.time } }
}

/// Drinks or readings of a series with the places they were read from.
package struct Timeline<Value: Timed> {
  package private(set) var values: [Value] = []
  private(set) var places: [Place] = []
  /// The UUIDs of the first values, nil where none is given; empty if none is given at all.
  private(set) var uuids: [UUID?] = []
  /// The first place that breaks the order of time.
  private(set) var disorder: Place?
  /// What is to be put among the values, wherever its time is.
  fileprivate var repeated: [(value: Value, place: Place)] = []

  mutating func reserveCapacity(_ count: Int) {
    values.reserveCapacity(count)
    places.reserveCapacity(count)
  }

  @inline(__always)
  mutating func append(_ value: Value, at place: Place, _ uuid: UUID? = nil) {
    if disorder == nil, let last = values.last, value.time < last.time { disorder = place }
    values.append(value)
    places.append(place)
    if let uuid { uuids.append(uuid, at: values.count - 1) }
  }

  /// The times of what is to be put among the values.
  var repeatedTimes: [Hours] { repeated.map(\.value.time) }

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
    let order = values.indices.sorted { (values[$0].time, $0) < (values[$1].time, $1) }
    values = order.map { values[$0] }
    places = order.map { places[$0] }
    guard !uuids.isEmpty else { return }
    uuids.pad(to: values.count)
    uuids = order.map { uuids[$0] }
  }
}

/// The UUIDs that a study has given so far, and where.
///
/// It grows with them, some 60 bytes for each: that one is there twice cannot be told otherwise.
package struct UUIDRegister {
  private struct Entry {
    var file: Int32
    var line: Int32
  }

  private var files: [String] = []
  private var entries: [UUID: Entry] = [:]

  /// Enters a UUID; if it is there already, says where.
  package mutating func enter(_ uuid: UUID, at location: SourceLocation) -> (
    name: String, line: Int
  )? {
    if let first = entries[uuid] {
      let path = files[Int(first.file)]
      return (path.split(separator: "/").last.map(String.init) ?? path, Int(first.line))
    }
    if files.last != location.file { files.append(location.file) }
    entries[uuid] = Entry(
      file: Int32(files.count - 1), line: Int32(clamping: location.line ?? 0))
    return nil
  }
}

extension Series {
  /// A series of which all has been read and checked.
  package init(_ draft: SeriesDraft, of subject: Subject, _ findings: [Diagnostic] = []) {
    self.init(
      subject: subject, occasion: draft.occasion, drinks: draft.drinks.values,
      readings: draft.readings.values,
      uuids: GivenUUIDs(drinks: draft.drinks.uuids, readings: draft.readings.uuids),
      diagnostics: findings + draft.findings)
  }
}
