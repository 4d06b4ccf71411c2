public import AlcoholKinetics

/// Reads a study a series at a time, in memory that does not grow with the number of readings.
///
/// Files are read through once before the first series is given out, so that what is wrong with them
/// is known by then, and once more to give out the series. Of a study whose subjects do not stand in
/// the same order in all tables, everything is read at once; then ``diagnostics`` say so.
///
/// Standard input is read once. A row that cannot be read spoils the series it may belong to, the
/// others are given out, and ``next()`` throws after the last.
///
/// ```swift
/// var stream = try StudyStream("studies/wilkinson")
/// while let series = try stream.next() {
///   print(series.subject.id, series.readings.count)
/// }
/// ```
///
/// Copies share one position: a series that one of them has given out, no other gives out again.
public struct StudyStream {
  /// The folder's or the file's name.
  public let name: String
  /// Title from the data package, if it has one.
  public let title: String?
  /// The instrument from the data package, if it names one.
  public let instrument: Instrument?
  /// Findings that belong to no single series; never an error. Of standard input they are complete
  /// after the last series.
  public var diagnostics: [Diagnostic] { position.diagnostics }
  /// Whether a series is given out as soon as its last row has been read, and not later.
  public let isLive: Bool

  /// How many series there are; nil where that is not known before the last.
  public let count: Int?

  private let position: StreamPosition
  /// The files, for their digests and to see whether somebody writes to them; nil for what is in
  /// memory.
  private let input: StudyInput?

  /// Opens a study.
  ///
  /// - Parameters:
  ///   - path: The folder, the file, or `-` for a table from standard input.
  ///   - dvUnit: Matrix and unit of `DV`, for a table of events that does not say so itself.
  ///   - catalogue: What is known of drinks that a folder names.
  ///   - isDigested: Whether ``inputs()`` is wanted of standard input.
  /// - Throws: ``StudyError``, as ``StudyReader/read(_:dvUnit:catalogue:)`` does.
  public init(
    _ path: String, dvUnit: ConcentrationUnit = .bloodGramsPerKilogram,
    catalogue: DrinkCatalogue = .standard, isDigested: Bool = false
  ) throws(StudyError) {
    try self.init(
      StudyInput(opening: path, dvUnit: dvUnit, catalogue: catalogue, isDigested: isDigested))
  }

  /// Opens a study folder with another file in the place of its `readings.csv`: curves of its people,
  /// as ``StudyReader/readCurves(_:of:)`` reads them.
  ///
  /// - Parameters:
  ///   - path: The folder.
  ///   - readingsPath: The file to read instead of the readings.
  ///   - catalogue: What is known of drinks that the study names.
  /// - Throws: ``StudyError`` if the study or the file is not there or cannot be read.
  public init(
    _ path: String, readingsFrom readingsPath: String, catalogue: DrinkCatalogue = .standard
  ) throws(StudyError) {
    var folder = try StudyFolder(opening: path, readingsPath: readingsPath)
    folder.catalogue = catalogue
    try self.init(.folder(folder))
  }

  /// Gives out the series of a study that is in memory.
  public init(_ study: Study) {
    name = study.name
    title = study.title
    instrument = study.instrument
    isLive = false
    count = study.series.count
    position = StreamPosition(study.series[...], study.diagnostics)
    input = nil
  }

  /// Begins to read a study that has been opened.
  init(_ input: StudyInput) throws(StudyError) {
    let header = input.header
    self.input = input
    name = input.name
    title = header.title
    instrument = header.instrument
    isLive = !input.isRereadable
    if isLive {
      let tables = input.tables
      try tables.logs.endIfBroken(with: [])
      position = StreamPosition(SubjectWalk(tables), tables.findings)
      count = nil
    } else if let scan = Self.scan(input, beside: header.log) {
      position = StreamPosition(SubjectWalk(input.tables), scan.findings)
      count = scan.count
    } else {
      let study = try StudyReader.read(input)
      let findings = study.diagnostics + [Self.disorder(in: input.path)]
      position = StreamPosition(study.series[...], findings)
      count = study.series.count
    }
  }

  /// The next series; nil after the last.
  ///
  /// They come in the order of ``Study/series``, and with the same findings.
  ///
  /// - Throws: ``StudyError`` after the last series if standard input held something that cannot be
  ///   read, or if a file was written to since it was opened: then what was given out may be half of
  ///   one version and half of another.
  public mutating func next() throws(StudyError) -> Series? {
    if position.walk?.advance() == true { return position.walk?.current }
    guard let walk = position.walk else {
      if position.rest.isEmpty { try input?.requireUnchanged() }
      return position.rest.popFirst()
    }
    position.walk = nil
    try end(walk)
    return nil
  }

  /// The digests of the files that are read; none of a study that was in memory. That of standard
  /// input is known after the last series, if it was asked for.
  ///
  /// - Throws: ``StudyError`` if a file cannot be read any more.
  public func inputs() throws(StudyError) -> [InputDigest] {
    try input?.inputs() ?? []
  }

  private func end(_ walk: SubjectWalk) throws(StudyError) {
    try input?.requireUnchanged()
    guard isLive else { return try walk.tables.logs.endIfBroken(with: []) }
    var tables = walk.tables
    tables.end()
    try tables.logs.endIfBroken(with: [])
    position.diagnostics = tables.findings
  }

  /// Reads everything once; nil if it cannot be read, or not in order.
  private static func scan(
    _ input: StudyInput, beside log: FindingLog
  ) -> (findings: [Diagnostic], count: Int)? {
    var scan = SubjectWalk(input.tables)
    var count = 0
    while scan.advance() {
      count += 1
      guard scan.tables.isInOrder else { return nil }
    }
    scan.tables.end()
    let isSound = !(scan.tables.logs + [log]).contains(where: \.hasErrors)
    guard isSound, scan.tables.isInOrder else { return nil }
    return (scan.tables.findings + log.closedFindings, count)
  }

  private static func disorder(in path: String) -> Diagnostic {
    Diagnostic(
      .subjectOrder, at: SourceLocation(file: path),
      message: "the tables do not list the subjects in the same order; all were read at once",
      remedy: "to save memory, sort the rows of all tables like subjects.csv")
  }
}
