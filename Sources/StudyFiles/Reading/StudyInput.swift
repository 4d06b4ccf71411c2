package import StudyData

package enum StudyInput {
  case folder(StudyFolder)
  case events(EventFile)

  package func study() throws(StudyError) -> Study {
    let source = try rereadable().source
    source.takeDigests()
    let walk = try SubjectWalk(source)
    try walk.readAhead(.max)
    return Study(
      name: source.name, title: walk.package?.title, instrument: walk.package?.instrument,
      series: walk.series, diagnostics: walk.findings, inputs: walk.inputs)
  }

  package func stream(takingDigests takesDigests: Bool = false) throws(StudyError) -> StudyStream {
    let source = source
    if takesDigests { source.takeDigests() }
    let walk = try SubjectWalk(source)
    if source.isRereadable { try walk.readAhead(SubjectWalk.rowsAhead) }
    walk.reportDisorder()
    return StudyStream(
      name: source.name, title: walk.package?.title, instrument: walk.package?.instrument,
      isLive: !source.isRereadable, walk)
  }

  var source: any StudySource {
    switch self {
    case .folder(let folder): folder
    case .events(let events): events
    }
  }

  /// The same study with what can be read once in memory.
  private func rereadable() throws(StudyError) -> StudyInput {
    guard case .events(let events) = self, !events.isRereadable else { return self }
    return .events(EventFile(file: try events.file.inMemory(), unit: events.unit))
  }
}

/// Files that make up a study.
protocol StudySource {
  var name: String { get }
  /// What the study is called in findings about the whole of it.
  var path: String { get }
  var descriptor: InputFile? { get }
  var tables: any StudyTables { get }
  var isRereadable: Bool { get }
  var inputs: [InputDigest] { get }

  func takeDigests()

  /// Refuses what was read if one of the files was written to meanwhile.
  func requireUnchanged() throws(StudyError)
}
