import StudyData
import StudyFiles

extension SheetColumns {
  /// Takes the time at which a form was sent for the time of the row, or for the date of times of day.
  mutating func settleSubmission() {
    let sent = columns.filter { $0.meaning.kind == .submission }
    guard let first = sent.first else { return }
    for column in sent.dropFirst() where !column.isStated {
      replace(column.index, by: "ignore", note: "another column says when the form was sent")
    }
    // When somebody began to fill it in.
    for column in columns where column.header.isCalled("form begun") {
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

  /// Takes a column to be that of sexes which holds nothing else, where no header says so.
  mutating func takeSexes() {
    guard column(.sex) == nil else { return }
    let found = unknown.filter { column in
      let cells = Set(values(of: column.index))
      return SheetSex.areSexes(cells)
        || SheetSex.namesLetters(column.title) && cells.allSatisfy { SheetSex.word($0) != nil }
    }
    if found.count == 1 { return replace(found[0].index, by: "sex", note: "holds sexes") }
    // As "Male" with 1 and 0.
    for column in unknown {
      let words = column.header.words.split(separator: " ").filter { $0 != "is" }
      let cells = Set(values(of: column.index))
      guard words.count == 1, let sex = SheetSex.word(String(words[0])), words[0].count > 1,
        !cells.isEmpty, cells.allSatisfy({ ReadingMark.answer($0) != nil })
      else { continue }
      let other = sex == "male" ? "female" : "male"
      replace(column.index, by: "sex", note: "")
      return change(column.index) { column in
        for cell in cells {
          column.meaning.sexes[cell] = ReadingMark.answer(cell) == true ? sex : other
        }
      }
    }
  }

  /// Whether headers may be Spanish: one of them is, or none is of a language in which M cannot be mujer.
  fileprivate var mayBeSpanish: Bool {
    header.cells.contains { Vocabulary.has(HeaderText($0).words, "language", "spanish") }
  }
}

extension SheetStudy {
  mutating func settleSexes() {
    for index in columns.indices {
      guard let column = columns[index].column(.sex) else { continue }
      let found = Set(columns[index].rows.compactMap { $0.filled(column.index) })
      var (sexes, why) = (column.meaning.sexes, "")
      if sexes.isEmpty {
        switch SheetSex.coding(
          of: found, header: column.title, mayBeSpanish: columns[index].mayBeSpanish)
        {
        case .known(let codes, let reason):
          (sexes, why) = (codes, reason)
          columns[index].change(column.index) { $0.meaning.sexes = codes }
        case .asked(let written, let question, let names):
          questions.add(
            .sex, at: columns[index].place(column.index),
            message: "the sexes are written as \(written)", remedy: question,
            statements: column.stated(as: names))
          continue
        }
      }
      let known = sexes
      if let row = columns[index].rows.first(where: { row in
        row.filled(column.index).map { known[$0] == nil && SheetSex.word($0) == nil } ?? false
      }) {
        questions.add(
          .sex, at: columns[index].table.place(row, column.index),
          message:
            "\(column.title.excerpt()) is \(row.text(column.index).quoted), which is neither male nor female",
          remedy: "write male or female, or leave the cell empty, in all rows of the column")
        continue
      }
      let shown = found.sorted().prefix(8).compactMap { text in
        (sexes[text] ?? SheetSex.word(text)).map { "\(text.excerpt()) = \($0)" }
      }
      let note = shown.joined(separator: ", ")
      columns[index].note(
        why.isEmpty ? note : why == "ISO 5218" ? "\(note) (\(why))" : "\(note), \(why)",
        ofColumn: column.index)
    }
  }
}
