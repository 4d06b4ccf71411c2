import AlcoholKinetics

/// The series of a study, one at a time, in memory that does not grow with the number of readings.
///
/// The files are read once. Their first rows are read ahead, more than all of most studies: until then
/// nothing is given out, the subjects may stand in any order, and a study that cannot be read throws
/// where it is opened. Beyond that, and always from standard input, a series is given out once the rows
/// of its subject have been read, which must be together and in one order in all tables; a row that
/// breaks this, or that cannot be read, ends the stream: ``next()`` throws, with everything that is
/// wrong with the rest of the files. The series that came before were complete.
///
/// ```swift
/// var stream = try StudyReader("studies/wilkinson").stream()
/// while let series = try stream.next() {
///   print(series.subject.id, series.readings.count)
/// }
/// ```
///
/// Copies share one position: a series that one of them has given out, no other gives out again.
package struct StudyStream {
  /// The folder's or the file's name.
  package let name: String
  /// Title from the data package, if it has one.
  package let title: String?
  /// The instrument from the data package, if it names one.
  package let instrument: Instrument?
  /// Whether a series is given out as soon as its last row has been read, and not later.
  package let isLive: Bool
  /// The number of series; nil if it is unknown before the last.
  package let count: Int?

  private let source: any SeriesSource

  /// Gives out the series of a study that is in memory.
  package init(_ study: Study) {
    self.init(
      name: study.name, title: study.title, instrument: study.instrument,
      isLive: false, StudyInMemory(study))
  }

  package init(
    name: String, title: String?, instrument: Instrument?, isLive: Bool, _ source: any SeriesSource
  ) {
    self.name = name
    self.title = title
    self.instrument = instrument
    self.isLive = isLive
    self.source = source
    count = source.count
  }

  /// The number of people, where it can be known though that of series cannot; counting them reads their table.
  package var people: Int? { source.people }

  /// The next series; nil after the last.
  ///
  /// They come in the order of ``Study/series``, and with the same findings.
  ///
  /// - Throws: ``StudyError`` where the files cannot be read on, or if a file was written to since it
  ///   was opened: then what was given out may be half of one version and half of another. What a
  ///   database throws that cannot be read on.
  package mutating func next() throws -> Series? { try source.next() }

  /// Findings that belong to no single series; never an error. They are complete after the last
  /// series.
  package var diagnostics: [Diagnostic] { source.findings }

  /// The digests of the files that were read, after the last series, and none unless they were asked for; of
  /// a study in memory, those it came with.
  package var inputs: [InputDigest] { source.inputs }

  /// The study with all series that have not been given out.
  package mutating func rest() throws -> Study {
    var series: [Series] = []
    while let next = try next() { series.append(next) }
    return Study(
      name: name, title: title, instrument: instrument, series: series, diagnostics: diagnostics,
      inputs: inputs)
  }
}

extension StudyStream {
  /// Returns the first series, and the stream that still gives them out.
  package consuming func readAhead(
    _ most: Int
  ) throws -> (first: [Series], stream: StudyStream) {
    var rest = self
    var first: [Series] = []
    while first.count < most, let next = try rest.next() { first.append(next) }
    let stream = StudyStream(
      name: rest.name, title: rest.title, instrument: rest.instrument, isLive: rest.isLive,
      SeriesReadAhead(first, rest))
    return (first, stream)
  }
}

private final class SeriesReadAhead: SeriesSource {
  private var first: ArraySlice<Series>
  private var rest: StudyStream

  init(_ first: [Series], _ rest: StudyStream) {
    self.first = first[...]
    self.rest = rest
  }

  var count: Int? { rest.count }
  var findings: [Diagnostic] { rest.diagnostics }
  var inputs: [InputDigest] { rest.inputs }

  func next() throws -> Series? { try first.popFirst() ?? rest.next() }
}

/// Gives out the series of a study, one at a time.
package protocol SeriesSource: AnyObject {
  var count: Int? { get }
  var people: Int? { get }
  var findings: [Diagnostic] { get }
  var inputs: [InputDigest] { get }

  func next() throws -> Series?
}

extension SeriesSource {
  package var people: Int? { nil }
}

private final class StudyInMemory: SeriesSource {
  private let study: Study
  private var position = 0

  init(_ study: Study) { self.study = study }

  var count: Int? { study.series.count }
  var findings: [Diagnostic] { study.diagnostics }
  var inputs: [InputDigest] { study.inputs }

  func next() -> Series? {
    guard position < study.series.count else { return nil }
    defer { position += 1 }
    return study.series[position]
  }
}
