import AlcoholKinetics
import StudyData

/// Descriptions of a subject in rows of events: those that change may mark readings, or name occasions.
final class EventDescriptions {
  private final class Description {
    let field: LastField
    /// Where it says what it said last.
    var place = Place.start
    /// What it may mark; nil of what is known to describe people, or said to.
    let mark: ReadingMark?
    /// Whether its header says that it has remarks of rows.
    let isRemark: Bool
    /// Whether it was missing in the subject's first row.
    var isMissingAtFirst = false
    /// What it has said of the subject, as far as that is little, and whether that changed since the last reading.
    private(set) var values: Set<String> = []
    var hasChanged = false
    private static let fewValues = 20
    /// Whether the subject's rows differ, if only in what is missing.
    var varies = false
    var isAsked = false

    init(_ column: Column, _ mark: ReadingMark?, isRemark: Bool = false) {
      field = LastField(column)
      (self.mark, self.isRemark) = (mark, isRemark)
    }

    func begin(at row: CSVRow) {
      isMissingAtFirst = row.isMissing(field.column.index)
      (values, hasChanged, varies) = ([], false, false)
      remember(row)
    }

    func remember(_ row: CSVRow) {
      field.remember(row)
      place = row.place(of: field.column.index)
      if mark != nil, values.count < Self.fewValues, let text = row.filled(field.column) {
        values.insert(text)
      }
    }

    /// What it said last that may mark a reading; nil if it marks none.
    var marked: String? {
      guard let mark, !isAsked, mark != .remark || varies || isRemark else { return nil }
      return mark.excludes(field.text) ? field.text : nil
    }
  }

  private let all: [Description]
  /// Theirs, which are compared in every row.
  private let fields: [LastField]
  private let subject: Column
  private let hasOccasions: Bool
  /// Whether a column has said something since the last reading that may mark the next.
  private var hasNews = false
  private var isAskedForSessions = false

  init(_ subjects: SubjectColumns, _ header: Header, hasOccasions: Bool) {
    subject = subjects.subject
    self.hasOccasions = hasOccasions
    all =
      subjects.descriptions.map { column in
        let isOpen = subjects.isCovariate(column) && !header.isStated(column)
        return Description(column, isOpen ? ReadingMark(HeaderText(column.name)) : nil)
      } + subjects.remarks.map { Description($0, .remark, isRemark: true) }
    fields = all.map(\.field)
  }

  /// Takes in the first row of a subject.
  func begin(at row: CSVRow) {
    for description in all { description.begin(at: row) }
    hasNews = true
  }

  /// Compares a row with that before.
  @inline(__always)
  func compare(_ row: CSVRow) {
    for index in fields.indices where !fields[index].isSame(in: row) { note(all[index], in: row) }
  }

  @inline(never)
  private func note(_ description: Description, in row: CSVRow) {
    let column = description.field.column
    hasNews = hasNews || !description.varies
    description.varies = true
    guard !row.isMissing(column.index) else { return }
    (hasNews, description.hasChanged) = (true, true)
    description.remember(row)
    guard !description.isRemark else { return }
    guard !(description.isMissingAtFirst && description.mark != nil) else {
      row.note(
        .descriptionChanges, in: column,
        "but missing in the subject's first row: a remark of the row",
        remedy: "if it describes the subject, write it in the first row; remarks are not used")
      return
    }
    row.note(
      .descriptionChanges, in: column, "but different in the row before",
      remedy: "check it; the subject's first row is used"
        + (description.mark != .remark || hasOccasions
          ? "" : ". If it names occasions, say --map \"\(column.name)=occasion\""))
  }

  /// Asks about columns that mark a reading, or tell it from readings before it with later times.
  @inline(__always)
  func settle(_ row: CSVRow, at time: Hours?, after before: [Reading], _ isExcluded: Bool) {
    if hasNews { ask(row, at: time, after: before, isExcluded) }
  }

  @inline(never)
  private func ask(_ row: CSVRow, at time: Hours?, after before: [Reading], _ isExcluded: Bool) {
    hasNews = false
    for description in all {
      guard !isExcluded, let mark = description.mark, let text = description.marked else {
        continue
      }
      description.isAsked = true
      let name = description.field.column.name
      let (message, remedy) = mark.question(of: name, text)
      row.log.add(
        .columnUnit, at: description.place, message, remedy: remedy,
        statements: [mark.rawValue, "ignore"].map { "\(name.excerpt())=\($0)" })
    }
    // What says something new in every row is measured in it.
    let telling = all.filter {
      $0.mark != nil && !$0.isRemark && $0.hasChanged && $0.values.count > 1
        && 2 * $0.values.count <= before.count + 2
    }
    for description in all { description.hasChanged = false }
    guard let time, let last = before.last?.time, time <= last, !hasOccasions,
      !isAskedForSessions, !telling.isEmpty
    else { return }
    isAskedForSessions = true
    let (message, remedy, statements) = RepeatedTimes.question(
      of: row.text(of: subject.index), toldBy: telling.map(\.field.column.name))
    row.log.add(
      .columnAmbiguous, at: row.place(of: subject.index), message, remedy: remedy,
      statements: statements)
  }
}
