import StudyData
import StudyFiles

extension SheetColumns {
  /// Takes a column to be that of sexes which holds nothing else, where no header says so.
  mutating func takeSexes() {
    guard column(.sex) == nil else { return }
    let found = unknown.filter { column in
      let cells = Set(values(of: column.index))
      return SheetSex.areSexes(cells)
        || SheetSex.namesLetters(column.title) && cells.allSatisfy { SheetSex.word($0) != nil }
    }
    guard found.count == 1 else { return }
    replace(found[0].index, by: "sex", note: "holds sexes")
  }

  /// Whether headers may be Spanish: one of them is, or none is of a language in which M cannot be mujer.
  fileprivate var mayBeSpanish: Bool {
    guard table.rows.indices.contains(headerIndex) else { return false }
    return table.rows[headerIndex].cells.contains {
      SheetSex.spanish.contains(HeaderText($0).words)
    }
  }
}

extension SheetStudy {
  mutating func settleSexes() {
    for index in columns.indices {
      guard let column = columns[index].column(.sex) else { continue }
      let found = Set(
        columns[index].rows.map { $0.text(column.index) }.filter { !SheetCellText.isMissing($0) })
      var (sexes, why) = (column.meaning.sexes, "")
      if sexes.isEmpty {
        switch SheetSex.coding(
          of: found, header: column.title, mayBeSpanish: columns[index].mayBeSpanish)
        {
        case .known(let codes, let reason):
          (sexes, why) = (codes, reason)
          columns[index].setSexes(codes)
        case .asked(let written, let question, let names):
          questions.add(
            .sexCode, at: columns[index].place(column.index),
            message: "the sexes are written as \(written)", remedy: question,
            statements: column.stated(as: names))
          continue
        }
      }
      let shown = found.sorted().prefix(8).compactMap { text in
        (sexes[text] ?? SheetSex.word(text)).map { "\(text.excerpt()) = \($0)" }
      }
      let note = shown.joined(separator: ", ")
      columns[index].note(
        why.isEmpty ? note : why == "ISO 5218" ? "\(note) (\(why))" : "\(note), \(why)", of: .sex)
    }
  }
}
