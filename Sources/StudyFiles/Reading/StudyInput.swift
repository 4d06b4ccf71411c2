package import StudyData

package enum StudyInput {
  case folder(StudyFolder)
  case events(EventFile)

  package func study() throws(StudyError) -> Study {
    let input = try rereadable()
    input.takeDigests()
    let walk = try SubjectWalk(input)
    try walk.readAhead(.max)
    return Study(
      name: name, title: walk.package?.title, instrument: walk.package?.instrument,
      series: walk.series, diagnostics: walk.findings, inputs: walk.inputs)
  }

  package func stream(takingDigests takesDigests: Bool = false) throws(StudyError) -> StudyStream {
    if takesDigests { takeDigests() }
    let walk = try SubjectWalk(self)
    if isRereadable { try walk.readAhead(SubjectWalk.rowsAhead) }
    walk.reportDisorder()
    return StudyStream(
      name: name, title: walk.package?.title, instrument: walk.package?.instrument,
      isLive: !isRereadable, walk)
  }

  var name: String {
    switch self {
    case .folder(let folder): folder.name
    case .events(let events): events.name
    }
  }

  /// What the study is called in findings about the whole of it.
  var path: String {
    switch self {
    case .folder(let folder): folder.path
    case .events(let events): events.file.path
    }
  }

  func package(_ log: inout FindingLog) -> DataPackage? {
    guard case .folder(let folder) = self, let file = folder.files[.descriptor] else { return nil }
    log = FindingLog(file: file.path)
    return DataPackage.read(file, log: &log)
  }

  var tables: any StudyTables {
    switch self {
    case .folder(let folder): FolderTables(folder)
    case .events(let events): EventTables(events)
    }
  }

  var isRereadable: Bool {
    switch self {
    case .folder: true
    case .events(let events): events.file.isRereadable
    }
  }

  /// The same study with what can be read once in memory.
  private func rereadable() throws(StudyError) -> StudyInput {
    guard case .events(let events) = self, !isRereadable else { return self }
    var file = InputFile(path: events.file.path, bytes: try events.file.contents())
    file.isArrow = events.file.isArrow
    return .events(EventFile(file: file, unit: events.unit))
  }

  private func takeDigests() {
    switch self {
    case .folder(let folder): folder.takeDigests()
    case .events(let events): events.file.takeDigest()
    }
  }

  var inputs: [InputDigest] {
    switch self {
    case .folder(let folder): folder.inputs
    case .events(let events): [events.file.digest].compactMap(\.self)
    }
  }

  /// Refuses what was read if one of the files was written to meanwhile.
  func requireUnchanged() throws(StudyError) {
    switch self {
    case .folder(let folder): try folder.requireUnchanged()
    case .events(let events): try events.file.requireUnchanged()
    }
  }
}
