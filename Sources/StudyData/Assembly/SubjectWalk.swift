/// Walks through the tables of a study, a subject at a time.
struct SubjectWalk {
  /// What is walked through.
  var tables: any StudyTables

  private var draft = StudyDraft()
  /// Series of the subject that was read last, in the opposite order.
  private var waiting: [Series] = []

  init(_ tables: any StudyTables) {
    self.tables = tables
  }

  /// The next series; nil after the last, or where the order of subjects is broken.
  mutating func next() -> Series? {
    if waiting.isEmpty {
      draft.removeAll()
      guard tables.readSubject(into: &draft) else { return nil }
      waiting = tables.series(from: &draft).reversed()
    }
    return waiting.popLast()
  }
}
