import AlcoholKinetics
import StudyData
import StudyFiles

/// The columns of a wide table, each of which holds the readings at the time in its header.
struct WideColumns {
  /// The columns with the minutes of their headers, since the beginning or since midnight, and the word beside the time.
  var columns: [(column: SheetColumn, minutes: Double, word: ColumnWord)] = []
  var isClock = false

  var meaning: ColumnMeaning? { columns.first?.column.meaning }
}

extension SheetColumns {
  /// Parses a header of a wide table such as `BrAC 30 min`; nil if it is not one. `minutes` is in the stated `unit`.
  private static func wideTime(
    _ header: String
  ) -> (word: ColumnWord?, minutes: Double, isClock: Bool, unit: String?, ofValue: String?)? {
    guard header.utf8.count <= 60, header.contains(where: \.isASCIIDigit) else { return nil }
    let text = HeaderText(header)
    var body = header.trimmed.lowercased()
    var ofValue: String?
    // Brackets may hold the unit of the readings or that of the time.
    if let unit = text.unit, let open = body.lastIndex(where: { "([{".contains($0) }) {
      if ColumnWord.times[unit] == nil { ofValue = unit }
      // The time may follow the brackets, as in BrAC (mg/L) 30 min.
      let close = body[open...].firstIndex { ")]}".contains($0) }
      let after = close.map { body[body.index(after: $0)...].trimmed } ?? ""
      body = "\(body[..<open].trimmed) \(after)" + (ofValue == nil ? " \(unit)" : "")
    }
    // The time may come first, as in 1hr-BAC.
    if let first = body.firstMatch(
      of: /^([0-9]+(?:[.,][0-9]+)?)[\s_-]*([a-zµ']+)[\s_-]+([^0-9]+)$/),
      ColumnWord.times[String(first.2)] != nil
    {
      body = "\(first.3) \(first.1) \(first.2)"
    }
    var parts = body.split { $0.isWhitespace || $0 == "_" || $0 == "=" || $0 == "@" }.map(
      String.init)
    var words: [String] = []
    while let first = parts.first, first.first?.isASCIIDigit == false, first.first != "-",
      first.first != "+"
    {
      // "t30" has no separator.
      if first.first == "t", first.count > 1, Double(first.dropFirst()) != nil {
        parts[0].removeFirst()
        break
      }
      words.append(parts.removeFirst())
    }
    while let last = words.last,
      ["t", "at", "time"].contains(last) || Vocabulary.has(last, "header", "since")
    {
      words.removeLast()
    }
    let word =
      words.isEmpty ? nil : ColumnWord.called(HeaderText(words.joined(separator: " ")).words)
    switch word {
    case nil where words.isEmpty, .alcohol: break
    // Ethanol in mg/100 ml is not a dose; without a unit the cells decide.
    case .ethanol
    where ofValue.map { word?.meaning(in: $0) == nil && ColumnWord.isConcentration($0) } ?? true:
      break
    default: return nil
    }
    let rest = parts.joined(separator: " ").trimmed
    if let minutes = ClockTime.minutes(rest) { return (word, minutes, true, nil, ofValue) }
    let digits = rest.prefix { $0.isASCIIDigit || ".,-+".contains($0) }
    let unit = rest.dropFirst(digits.count).trimmed
    guard let number = SheetCellText.number(String(digits), true),
      unit.isEmpty || ColumnWord.times[unit] != nil
    else { return nil }
    return (word, number, false, ColumnWord.times[unit], ofValue)
  }

  /// Finds the columns named after a time: at least three, or fewer with a word and a unit of time in every header.
  mutating func findWideColumns() {
    let header = header
    let timed = header.cells.enumerated().compactMap { index, cell in
      map.target(of: cell) == nil ? Self.wideTime(cell).map { (index, $0) } : nil
    }.filter { index, time in
      time.word != .ethanol || time.ofValue != nil
        || unitOfCells(of: index).map {
          ColumnWord.isConcentration($0) && ColumnWord.ethanol.meaning(in: $0) == nil
        } ?? false
    }
    // One or two columns must also name a measurement and a unit of time.
    let areSure = timed.allSatisfy { $1.unit != nil && $1.word != nil }
    guard timed.count >= 3 || areSure && !timed.isEmpty && !namesTimeOfRows else { return }
    let minutes = timed.map { $1.minutes }
    let haveColons = timed.allSatisfy { $1.isClock }
    guard haveColons || timed.allSatisfy({ !$1.isClock }) else {
      questions.add(
        .columnAmbiguous, at: place(timed[0].0),
        message: "some columns are called by a time of day and others by minutes or hours",
        remedy: "use one of them in all headers")
      return
    }
    let time = map.ofWideColumns.first { $0.kind == .time(.row) }
    wide.isClock =
      haveColons
      && (time.map { $0.form == .clock } ?? !ElapsedTime.fits(minutes))
    // 0 needs no unit.
    let bare = timed.first { $1.unit == nil && $1.minutes != 0 }
    var stated = time.flatMap(ColumnWord.unit)
    if !haveColons, let bare, stated == nil {
      let areAll = timed.allSatisfy { $1.unit == nil }
      stated = areAll && Self.lookLikeMinutes(minutes) ? "min" : nil
      if stated == nil {
        let title = header.cells[bare.0].quoted
        questions.add(
          .columnUnit, at: place(bare.0),
          message: areAll
            ? "the columns called by a time, as \(title), do not say whether they are minutes or hours"
            : "the column \(title) does not say whether it is minutes or hours, as others do",
          remedy: "say what they are",
          statements: ["time_min", "time_h"].map { "\(ColumnMap.wide)=\($0)" })
      }
    }
    for (index, time) in timed {
      let unit = time.unit ?? stated
      let scale = haveColons ? 1 : unit.map(ColumnWord.minutes) ?? 1
      let column = SheetColumn(
        index: index, title: header.cells[index].trimmed, meaning: .unknownReading,
        unit: time.ofValue, matrix: time.word?.matrix)
      wide.columns.append((column, time.minutes * scale, time.word ?? .alcohol(nil)))
    }
  }

  private var namesTimeOfRows: Bool {
    header.cells.prefix(200).contains { cell in
      switch HeaderText(cell).reading?.word {
      case .time(.row), .time(.reading), .elapsed, .dateTime: true
      default: false
      }
    }
  }

  /// Whether times without a unit must be minutes: they exceed a day in hours, and are no running numbers.
  private static func lookLikeMinutes(_ times: [Double]) -> Bool {
    times.contains { $0.magnitude >= 24 } && zip(times, times.dropFirst()).contains { $1 - $0 != 1 }
  }

  /// Determines the units of a wide table, from statements, from each column or from the other columns; otherwise asks.
  mutating func resolveWideUnits() {
    guard let first = wide.columns.first?.column else { return }
    if let matrix = first.matrix,
      let second = wide.columns.map(\.column).first(where: {
        $0.matrix != nil && $0.matrix != matrix
      })
    {
      return askForOneMatrix(first, matrix, second, second.matrix)
    }
    if let stated = map.ofWideColumns.first(where: { $0.unit != nil }) {
      for index in wide.columns.indices {
        wide.columns[index].column.meaning = stated
        wide.columns[index].column.unit = nil
        wide.columns[index].column.isStated = true
      }
      return
    }
    var meanings: [ColumnMeaning] = []
    for index in wide.columns.indices {
      let column = wide.columns[index].column
      let unit = column.unit ?? unitOfRows(of: column.index) ?? unitOfCells(of: column.index)
      guard let unit,
        let meaning = concentration(wide.columns[index].word, in: unit)?.meaning,
        meaning.kind == .reading
      else { continue }
      wide.columns[index].column.meaning = meaning
      if !meanings.contains(meaning) { meanings.append(meaning) }
    }
    let words = Set(wide.columns.map(\.word))
    let open = wide.columns.first { $0.column.meaning.unit == nil }?.column
    if let open {
      guard meanings.count == 1, open.unit == nil, words.count == 1 else {
        return askForWideUnit(open.unit == nil && meanings.isEmpty ? first : open, meanings, words)
      }
      for index in wide.columns.indices { wide.columns[index].column.meaning = meanings[0] }
    }
    guard
      let second = wide.columns.first(where: {
        $0.column.meaning.unit?.matrix != meanings[0].unit?.matrix
      })?.column
    else { return }
    askForOneMatrix(first, meanings[0].unit?.matrix, second, second.meaning.unit?.matrix)
  }

  private mutating func askForOneMatrix(
    _ first: SheetColumn, _ matrix: ConcentrationUnit.Matrix?, _ other: SheetColumn,
    _ odd: ConcentrationUnit.Matrix?
  ) {
    let others = wide.columns.map(\.column).filter {
      $0.matrix == odd || $0.matrix == nil && $0.meaning.unit?.matrix == odd
    }
    questions.add(
      .columnAmbiguous, at: place(other.index),
      message: "the columns \(first.title.quoted) and \(other.title.quoted) hold readings of "
        + "\(matrix?.rawValue ?? "") and of \(odd?.rawValue ?? "")",
      remedy: "keep those of one kind; leave out the others",
      statements: [others.map { "\($0.title)=ignore" }.joined(separator: ",")])
  }

  private mutating func askForWideUnit(
    _ column: SheetColumn, _ meanings: [ColumnMeaning], _ words: Set<ColumnWord>
  ) {
    let word = words.count == 1 ? words.first ?? .alcohol(nil) : .alcohol(nil)
    let complaint =
      column.unit.map { "is in \($0.quoted), which is not known of what it holds" }
      ?? (meanings.isEmpty ? nil : "does not say in what unit its readings are, as others do")
    questions.add(
      .columnUnit, at: place(column.index),
      message: complaint.map { "the column \(column.title.quoted) \($0)" }
        ?? "the columns called by a time, as \(column.title.quoted), do not say in what unit their readings are"
        + examples(of: column.index), remedy: "say what they are",
      statements: word.choices.map { "\(ColumnMap.wide)=\($0)" })
  }
}
