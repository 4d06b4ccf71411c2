import StudyData
import StudyFiles

extension SheetColumns {
  /// Takes the time at which a form was sent for the time of the row where no other column has one. Where one has
  /// times of day, it supplies their date.
  mutating func settleSubmission() {
    let sent = columns.filter { $0.meaning.kind == .submission }
    guard let first = sent.first else { return }
    for column in sent.dropFirst() where !column.isStated {
      replace(column.index, by: "ignore", note: "another column says when the form was sent")
    }
    for column in columns where Self.begun.contains(HeaderText(column.title).words) {
      guard !column.isStated else { continue }
      replace(column.index, by: "ignore", note: "when the form was begun")
      let place = place(column.index)
      questions.removeAll { $0.location == place }
    }
    let times = columns.filter(\.meaning.isTime)
    let isAsked = questions.contains { question in
      question.statements.contains { $0.contains("=time_min") || $0.contains("=time_h") }
    }
    guard !times.isEmpty || isAsked || wide.isClock || !wide.columns.isEmpty else {
      let values = values(of: first.index)
      let areClocks = values.allSatisfy { ClockTime.minutes($0) != nil }
      let order = first.meaning.order.map { $0 == .dayFirst ? "_dmy" : "_mdy" } ?? ""
      return replace(
        first.index, by: areClocks && !values.isEmpty ? "time" : "datetime\(order)",
        note: "no other column has a time")
    }
    let areClocks = times.contains { $0.meaning.form == .clock }
    guard areClocks, column(.date) == nil else {
      guard !first.isStated else { return }
      return replace(first.index, by: "ignore", note: "another column has the time")
    }
    note("the date of the times of day", of: .submission)
  }

  /// What forms call the time at which somebody began to fill them in.
  private static let begun = Set(Vocabulary.words("header", "form begun"))
}
