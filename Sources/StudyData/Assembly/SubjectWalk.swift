/// Walks through the tables of a study, a subject at a time.
struct SubjectWalk {
  /// What is walked through.
  var tables: any StudyTables

  private var check: SeriesCheck
  private var draft = StudyDraft()
  /// The series of the subject that was read last, unless it was plain, and where among them the
  /// walk is.
  private var series: [Series] = []
  private var position = 0

  init(_ tables: any StudyTables) {
    self.tables = tables
    check = SeriesCheck(layout: tables.layout)
  }

  /// Where the walk is, once it has advanced.
  var current: Series? {
    position < series.count ? series[position] : tables.plainSeries
  }

  /// Goes to the next series; false after the last, or where the order of subjects is broken.
  mutating func advance() -> Bool {
    position += 1
    if position < series.count { return true }
    if !series.isEmpty { series.removeAll(keepingCapacity: true) }
    position = 0
    if tables.readPlainSubject() { return true }
    draft.removeAll()
    guard tables.readSubject(into: &draft) else { return false }
    tables.appendSeries(from: &draft, to: &series, &check)
    return true
  }
}
