@testable import StudyData

extension StudyReader {
  /// Reads a study folder whose files have been opened.
  static func read(_ folder: StudyFolder) throws(StudyError) -> Study {
    try StudyInput.folder(folder).study()
  }

  /// Reads a study that has been opened.
  static func read(_ input: StudyInput) throws(StudyError) -> Study { try input.study() }
}

extension StudyStream {
  /// Begins to read a study that has been opened.
  init(_ input: StudyInput) throws(StudyError) {
    self = try input.stream()
  }
}

extension StudyInput {
  /// All series, of all rows read at once, a table after the other.
  func seriesAtOnce() throws(StudyError) -> [Series] {
    let tables = tables
    var draft = StudyDraft()
    while tables.readRows(into: &draft) {}
    tables.end()
    try tables.logs.endIfBroken(with: draft.rowFindings)
    var check = SeriesCheck(layout: tables.layout)
    var all: [Series] = []
    tables.appendSeries(from: draft, to: &all, &check)
    return all
  }
}
