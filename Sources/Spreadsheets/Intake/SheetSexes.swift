import StudyData
import StudyFiles

extension SheetColumns {
  /// Takes the time at which a form was sent as the time of the row, or as the date of times of day.
  mutating func resolveSubmission() {
    let sent = columns.filter { $0.meaning.kind == .submission }
    guard let first = sent.first else { return }
    for column in sent.dropFirst() where !column.isStated {
      replace(column.index, by: "ignore", note: "another column says when the form was sent")
    }
    // The time at which somebody began to fill the form in is of no use.
    for column in columns where column.header.isCalled("form begun") {
      guard !column.isStated else { continue }
      replace(column.index, by: "ignore", note: "when the form was begun")
      let location = place(column.index)
      questions.removeAll { $0.location == location }
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
    addNote("the date of the times of day", of: .submission)
  }

  /// Takes a column that holds only sexes as that of sexes, if no header names one.
  mutating func inferSexColumn() {
    guard column(.sex) == nil else { return }
    let candidates = unknown.filter { column in
      let cells = Set(values(of: column.index))
      return SheetSex.areSexes(cells)
        || SheetSex.namesLetters(column.title) && cells.allSatisfy { SheetSex.word($0) != nil }
    }
    if candidates.count == 1 { return replace(candidates[0].index, by: "sex", note: "holds sexes") }
    // A column "Male" with 1 and 0.
    for column in unknown {
      let words = column.header.words.split(separator: " ").filter { $0 != "is" }
      let cells = Set(values(of: column.index))
      guard words.count == 1, let sex = SheetSex.word(String(words[0])), words[0].count > 1,
        !cells.isEmpty, cells.allSatisfy({ ReadingMark.answer($0) != nil })
      else { continue }
      let opposite = sex == "male" ? "female" : "male"
      replace(column.index, by: "sex", note: "")
      return change(column.index) { column in
        for cell in cells {
          column.meaning.sexes[cell] = ReadingMark.answer(cell) == true ? sex : opposite
        }
      }
    }
  }
}

extension SheetStudy {
  /// Decodes the column of sexes of each table; asks if the code is ambiguous.
  mutating func decodeSexes() {
    for index in columns.indices {
      guard let column = columns[index].column(.sex) else { continue }
      let cells = Set(columns[index].rows.compactMap { $0.filled(column.index) })
      var sexes = column.meaning.sexes
      var why = ""
      if sexes.isEmpty {
        let mayBeSpanish = columns[index].header.cells.contains {
          Vocabulary.has(HeaderText($0).words, "language", "spanish")
        }
        switch SheetSex.coding(of: cells, header: column.title, mayBeSpanish: mayBeSpanish) {
        case .known(let codes, let reason):
          sexes = codes
          why = reason
          columns[index].change(column.index) { $0.meaning.sexes = codes }
        case .asked(let written, let question, let names):
          questions.add(
            .sex, at: columns[index].place(column.index),
            message: "the sexes are written as \(written)", remedy: question,
            statements: column.stated(as: names))
          continue
        }
      }
      let codes = sexes
      if let row = columns[index].rows.first(where: { row in
        row.filled(column.index).map { codes[$0] == nil && SheetSex.word($0) == nil } ?? false
      }) {
        questions.add(
          .sex, at: columns[index].table.place(row, column.index),
          message:
            "\(column.title.excerpt()) is \(row.text(column.index).quoted), which is neither male nor female",
          remedy: "write male or female, or leave the cell empty, in all rows of the column")
        continue
      }
      let shown = cells.sorted().prefix(8).compactMap { text in
        (sexes[text] ?? SheetSex.word(text)).map { "\(text.excerpt()) = \($0)" }
      }
      let note = shown.joined(separator: ", ")
      columns[index].addNote(
        why.isEmpty ? note : why == "ISO 5218" ? "\(note) (\(why))" : "\(note), \(why)",
        ofColumn: column.index)
    }
  }
}

/// Recognition of sexes and of their codes.
enum SheetSex {
  /// Returns the meanings of numbers in a header such as `Sex (1=female; 2=male)` or `male: 0, female: 1`.
  static func codes(in header: String) -> [String: String] {
    let parts = header.lowercased().split { !($0.isLetter || $0.isNumber || "♂♀".contains($0)) }
    let tokens = parts.map(String.init).filter { ["0", "1", "2"].contains($0) || word($0) != nil }
    guard tokens.count.isMultiple(of: 2) else { return [:] }
    var codes: [String: String] = [:]
    for index in stride(from: 0, to: tokens.count, by: 2) {
      let first = tokens[index]
      let second = tokens[index + 1]
      if let sex = word(second), word(first) == nil {
        codes[first] = sex
      } else if let sex = word(first), word(second) == nil {
        codes[second] = sex
      }
    }
    return codes
  }

  /// Returns `male` or `female` for a word or letter; nil for anything else.
  static func word(_ text: String) -> String? { words[text.lowercased()] }

  private static let words = Vocabulary.meanings("sex")

  /// Returns the Spanish code if H, for hombre, occurs beside M, which is then mujer; otherwise nothing.
  private static func spanishCodes(in found: Set<String>) -> [String: String] {
    let letters = Set(found.map { $0.lowercased() })
    guard letters.isSuperset(of: ["h", "m"]), !letters.contains("f") else { return [:] }
    return ColumnMeaning.named("sex_hm")?.sexes ?? [:]
  }

  enum Coding: Equatable {
    /// The meanings of numbers and letters, and the reason for them.
    case known([String: String], why: String)
    /// A question: the values found, the possible meanings, and the names of `--map` for them.
    case asked(found: String, question: String, names: [String])
  }

  /// Returns the coding of a column with these cells; in a sheet that may be Spanish, M alone may be mujer.
  static func coding(of found: Set<String>, header: String, mayBeSpanish: Bool) -> Coding {
    let numbers = found.intersection(["0", "1", "2"])
    let ofHeader = codes(in: header)
    if !numbers.isEmpty {
      if numbers.isSubset(of: ofHeader.keys) { return .known(ofHeader, why: "as the header says") }
      guard ofHeader.isEmpty, numbers == ["1", "2"], let iso = ColumnMeaning.named("sex_1m2f")
      else {
        let names = numbers.contains("0") ? ["sex_0m1f", "sex_0f1m"] : ["sex_1m2f", "sex_1f2m"]
        let code = numbers == ["0"] ? "0" : numbers == ["2"] ? "2" : "1"
        let isMale = ColumnMeaning.named(names[0])?.sexes[code] == "male"
        return .asked(
          found: numbers.sorted().joined(separator: " and "),
          question: "say whether \(code) is \(isMale ? "male" : "female") (\(names[0])) or "
            + "\(isMale ? "female" : "male") (\(names[1]))", names: names)
      }
      return .known(iso.sexes, why: "ISO 5218")
    }
    let letters = spanishCodes(in: found)
    if !letters.isEmpty { return .known(letters, why: "") }
    // M may be masculino or mujer.
    let lower = Set(found.map { $0.lowercased() })
    let others = lower.subtracting(["m"])
    let isBesideSpanish =
      !others.isEmpty && others.isSubset(of: wordsBesideWhichMIsUnclear)
    guard lower.contains("m"), mayBeSpanish && others.isEmpty || isBesideSpanish else {
      return .known([:], why: "")
    }
    return .asked(
      found: others.isEmpty ? "M alone" : (["M"] + others.sorted()).joined(separator: " and "),
      question: "say whether M is male (sex_mf) or mujer (sex_hm)",
      names: ["sex_mf", "sex_hm"])
  }

  /// Spanish words beside which M remains ambiguous.
  private static let wordsBesideWhichMIsUnclear = Set(Vocabulary.words("language", "spanish sex"))

  /// Whether cells are sexes whatever their header: codes of both sexes, or words of more than two letters.
  static func areSexes(_ found: Set<String>) -> Bool {
    guard !found.isEmpty, found.count <= 8 else { return false }
    let sexes = found.map(word)
    guard !sexes.contains(nil) else { return false }
    return Set(sexes.compactMap(\.self)).count == 2 || found.allSatisfy { $0.count > 2 }
  }

  /// Whether a header names the two letters of sexes, as `M/F`.
  static func namesLetters(_ header: String) -> Bool {
    let parts = header.lowercased().split { "/|,; ".contains($0) }.map { String($0) }
    return parts.count == 2 && Set(parts.map(word)).count == 2
      && parts.allSatisfy { word($0) != nil }
  }
}
