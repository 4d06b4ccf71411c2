/// Reads a study a series at a time, in memory that does not grow with the number of readings.
///
/// Files are read through once before the first series is given out, so that what is wrong with them
/// is known by then, and once more to give out the series. Of a folder whose tables do not have the
/// subjects in the same order, everything is read at once; then ``diagnostics`` say so.
///
/// ```swift
/// var stream = try StudyStream("studies/wilkinson")
/// while let series = try stream.next() {
///   print(series.subject.id, series.readings.count)
/// }
/// ```
public struct StudyStream {
  /// The folder's name.
  public let name: String
  /// Title from the data package, if it has one.
  public let title: String?
  /// The instrument from the data package, if it names one.
  public let instrument: Instrument?
  /// Findings that belong to no single series; never an error.
  public let diagnostics: [Diagnostic]

  private let folder: StudyFolder
  private var source: Source

  /// Where series come from.
  private enum Source {
    case tables(SubjectWalk<FolderTables>)
    case memory(ArraySlice<Series>)
  }

  /// Opens a study.
  ///
  /// - Parameter path: The folder.
  /// - Throws: ``StudyError``, as ``StudyReader/read(_:)`` does.
  public init(_ path: String) throws(StudyError) {
    try self.init(StudyFolder(opening: path))
  }

  /// Begins to read a study whose files have been opened.
  init(_ folder: StudyFolder) throws(StudyError) {
    var scan = SubjectWalk(FolderTables(folder))
    while scan.next() != nil {}
    scan.tables.end()
    let header = StudyHeader(of: folder)
    let isSound = !(scan.tables.logs + [header.log]).contains(where: \.hasErrors)
    if isSound, scan.tables.isInOrder {
      source = .tables(SubjectWalk(FolderTables(folder)))
      diagnostics = scan.tables.findings + header.log.closedFindings
    } else {
      let study = try StudyReader.read(folder)
      source = .memory(study.series[...])
      diagnostics = study.diagnostics + [Self.disorder(in: folder)]
    }
    name = folder.name
    title = header.title
    instrument = header.instrument
    self.folder = folder
  }

  /// The next series; nil after the last.
  ///
  /// They come in the order of ``Study/series``, and with the same findings.
  ///
  /// - Throws: ``StudyError`` if a file has been changed meanwhile and cannot be used any more.
  public mutating func next() throws(StudyError) -> Series? {
    switch source {
    case .memory(var rest):
      defer { source = .memory(rest) }
      return rest.popFirst()
    case .tables(var walk):
      source = .memory([])
      defer { source = .tables(walk) }
      if let series = walk.next() { return series }
      try walk.tables.logs.endIfBroken(with: [])
      return nil
    }
  }

  /// The files the study is read from, and their digests, which take another reading of them.
  public func inputs() throws(StudyError) -> [InputDigest] {
    try folder.inputs()
  }

  private static func disorder(in folder: StudyFolder) -> Diagnostic {
    Diagnostic(
      .subjectOrder, at: SourceLocation(file: folder.path),
      message: "the tables do not have the subjects in the same order; all were read at once",
      remedy: "put drinks.csv and readings.csv into the order of subjects.csv to save memory")
  }
}
