/// Walks through the tables of a study, a subject at a time.
struct SubjectWalk {
  /// What is walked through.
  var tables: any StudyTables

  private var check: SeriesCheck
  private var draft = StudyDraft()
  /// The series of the subject that was read last, and how many of them have been given out.
  private var series: [Series] = []
  private var given = 0

  init(_ tables: any StudyTables) {
    self.tables = tables
    check = SeriesCheck(layout: tables.layout)
  }

  /// The next series; nil after the last, or where the order of subjects is broken.
  mutating func next() -> Series? {
    if given == series.count {
      draft.removeAll()
      series.removeAll(keepingCapacity: true)
      given = 0
      guard tables.readSubject(into: &draft) else { return nil }
      tables.appendSeries(from: &draft, to: &series, &check)
    }
    defer { given += 1 }
    return series[given]
  }
}
