import AlcoholKinetics
import StudyData

/// Descriptions of subjects in a table of events: a column that changes within a subject may mark excluded readings, or
/// name occasions.
final class EventDescriptions {
  private final class Description {
    let field: LastField
    /// The place of the last value.
    var place = Place.start
    /// The kind of mark that the column may hold; nil if it is known or stated to describe people.
    let mark: ReadingMark?
    /// Whether the header names remarks on rows.
    let isRemark: Bool
    /// Whether the value is missing in the subject's first row.
    var isMissingAtFirst = false
    /// The first ``fewValues`` values of the subject, and whether the value has changed since the last reading.
    private(set) var values: Set<String> = []
    var hasChanged = false
    private static let fewValues = 20
    /// Whether the subject's rows differ, including missing values.
    var varies = false
    var isAsked = false

    init(_ column: Column, _ mark: ReadingMark?, isRemark: Bool = false) {
      field = LastField(column)
      self.mark = mark
      self.isRemark = isRemark
    }

    func begin(at row: CSVRow) {
      isMissingAtFirst = row.isMissing(field.column.index)
      values = []
      hasChanged = false
      varies = false
      remember(row)
    }

    func remember(_ row: CSVRow) {
      field.remember(row)
      place = row.place(of: field.column.index)
      if mark != nil, values.count < Self.fewValues, let text = row.filled(field.column) {
        values.insert(text)
      }
    }

    /// The last value, if it may mark a reading; otherwise nil.
    var marked: String? {
      guard let mark, !isAsked, mark != .remark || varies || isRemark else { return nil }
      return mark.excludes(field.text) ? field.text : nil
    }
  }

  private let all: [Description]
  /// The fields of ``all`` in an array of their own, because they are compared in every row.
  private let fields: [LastField]
  private let subject: Column
  private let hasOccasions: Bool
  /// Whether a value that may mark the next reading has changed since the last reading.
  private var hasChanges = false
  private var isAskedForOccasions = false

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

  /// Begins with the first row of a subject.
  func begin(at row: CSVRow) {
    for description in all { description.begin(at: row) }
    hasChanges = true
  }

  /// Compares a row with the one before it.
  @inline(__always)
  func compare(_ row: CSVRow) {
    for index in fields.indices where !fields[index].isSame(in: row) {
      recordChange(of: all[index], in: row)
    }
  }

  @inline(never)
  private func recordChange(of description: Description, in row: CSVRow) {
    let column = description.field.column
    hasChanges = hasChanges || !description.varies
    description.varies = true
    guard !row.isMissing(column.index) else { return }
    hasChanges = true
    description.hasChanged = true
    description.remember(row)
    guard !description.isRemark else { return }
    guard !(description.isMissingAtFirst && description.mark != nil) else {
      row.report(
        .descriptionChanges, in: column,
        "but missing in the subject's first row: a remark of the row",
        remedy: "if it describes the subject, write it in the first row; remarks are not used")
      return
    }
    row.report(
      .descriptionChanges, in: column, "but different in the row before",
      remedy: "check it; the subject's first row is used"
        + (description.mark != .remark || hasOccasions
          ? "" : ". If it names occasions, say --map \"\(column.name)=occasion\""))
  }

  /// Asks about columns that may mark a reading, or that distinguish it from earlier rows with later times.
  @inline(__always)
  func check(_ row: CSVRow, at time: Hours?, after before: [Reading], _ isExcluded: Bool) {
    if hasChanges { askAboutChanges(row, at: time, after: before, isExcluded) }
  }

  @inline(never)
  private func askAboutChanges(
    _ row: CSVRow, at time: Hours?, after before: [Reading], _ isExcluded: Bool
  ) {
    hasChanges = false
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
    // A column with a new value in every row is a measurement.
    let distinguishing = all.filter {
      $0.mark != nil && !$0.isRemark && $0.hasChanged && $0.values.count > 1
        && 2 * $0.values.count <= before.count + 2
    }
    for description in all { description.hasChanged = false }
    guard let time, let last = before.last?.time, time <= last, !hasOccasions,
      !isAskedForOccasions, !distinguishing.isEmpty
    else { return }
    isAskedForOccasions = true
    let (message, remedy, statements) = RepeatedTimes.question(
      of: row.text(of: subject.index), distinguishedBy: distinguishing.map(\.field.column.name))
    row.log.add(
      .columnAmbiguous, at: row.place(of: subject.index), message, remedy: remedy,
      statements: statements)
  }
}
