import AlcoholKinetics
import StudyData
import StudyFiles

/// The columns of a wide table that hold readings at the time in their header.
struct WideColumns {
  /// Each, the minutes that its header says, since the beginning or midnight, and what it says beside them.
  var columns: [(column: SheetColumn, minutes: Double, word: ColumnWord)] = []
  var isClock = false

  var meaning: ColumnMeaning? { columns.first?.column.meaning }
}

extension SheetColumns {
  /// The word before the time, the time and its unit in the header of a wide table, as `BrAC 30 min`.
  private static func wideTime(
    _ header: String
  ) -> (word: ColumnWord?, minutes: Double, isClock: Bool, unit: String?, ofValue: String?)? {
    guard header.utf8.count <= 60, header.contains(where: \.isASCIIDigit) else { return nil }
    let text = HeaderText(header)
    var body = header.trimmed.lowercased()
    var ofValue: String?
    // In brackets stands the unit of the readings, or of the time.
    if let unit = text.unit, let open = body.lastIndex(where: { "([{".contains($0) }) {
      if ColumnWord.times[unit] == nil { ofValue = unit }
      // The time may stand behind them, as in BrAC (mg/L) 30 min.
      let close = body[open...].firstIndex { ")]}".contains($0) }
      let after = close.map { body[body.index(after: $0)...].trimmed } ?? ""
      body = "\(body[..<open].trimmed) \(after)" + (ofValue == nil ? " \(unit)" : "")
    }
    // The time may stand first, as in 1hr-BAC.
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
      // As t30.
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
    // Ethanol in mg/100 ml is no dose; without a unit its cells tell.
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

  mutating func findWideColumns() {
    let header = header
    let found = header.cells.enumerated().compactMap { index, cell in
      map.target(of: cell) == nil ? Self.wideTime(cell).map { (index, $0) } : nil
    }.filter { index, time in
      time.word != .ethanol || time.ofValue != nil
        || unitOfCells(of: index).map {
          ColumnWord.isConcentration($0) && ColumnWord.ethanol.meaning(in: $0) == nil
        } ?? false
    }
    // Fewer are told by what they say beside a time.
    let areSure = found.allSatisfy { $1.unit != nil && $1.word != nil }
    guard found.count >= 3 || areSure && !found.isEmpty && !namesTimeOfRows else { return }
    let minutes = found.map { $1.minutes }
    let haveColons = found.allSatisfy { $1.isClock }
    guard haveColons || found.allSatisfy({ !$1.isClock }) else {
      questions.add(
        .columnAmbiguous, at: place(found[0].0),
        message: "some columns are called by a time of day and others by minutes or hours",
        remedy: "use one of them in all headers")
      return
    }
    let time = map.ofWideColumns.first { $0.kind == .time(.row) }
    wide.isClock =
      haveColons
      && (time.map { $0.form == .clock } ?? !ElapsedTime.fits(minutes))
    // 0 is the beginning in every unit.
    let bare = found.first { $1.unit == nil && $1.minutes != 0 }
    var stated = time.flatMap(ColumnWord.unit)
    if !haveColons, let bare, stated == nil {
      let areAll = found.allSatisfy { $1.unit == nil }
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
    for (index, time) in found {
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

  /// Whether times without a unit can be nothing but minutes: more than a day of hours, and no mere numbering.
  private static func lookLikeMinutes(_ times: [Double]) -> Bool {
    times.contains { $0.magnitude >= 24 } && zip(times, times.dropFirst()).contains { $1 - $0 != 1 }
  }

  /// Finds the units of a wide table: of each column, of all others, or as stated; else asks.
  mutating func settleWideUnits() {
    guard let first = wide.columns.first?.column else { return }
    if let matrix = first.matrix,
      let other = wide.columns.map(\.column).first(where: {
        $0.matrix != nil && $0.matrix != matrix
      })
    {
      return askForOneMatrix(first, matrix, other, other.matrix)
    }
    if let said = map.ofWideColumns.first(where: { $0.unit != nil }) {
      for place in wide.columns.indices {
        wide.columns[place].column.meaning = said
        wide.columns[place].column.unit = nil
        wide.columns[place].column.isStated = true
      }
      return
    }
    var known: [ColumnMeaning] = []
    for place in wide.columns.indices {
      let column = wide.columns[place].column
      let unit = column.unit ?? unitOfRows(of: column.index) ?? unitOfCells(of: column.index)
      guard let unit,
        let meaning = concentration(wide.columns[place].word, in: unit)?.meaning,
        meaning.kind == .reading
      else { continue }
      wide.columns[place].column.meaning = meaning
      if !known.contains(meaning) { known.append(meaning) }
    }
    let words = Set(wide.columns.map(\.word))
    let open = wide.columns.first { $0.column.meaning.unit == nil }?.column
    if let open {
      guard known.count == 1, open.unit == nil, words.count == 1 else {
        return askForWideUnit(open.unit == nil && known.isEmpty ? first : open, known, words)
      }
      for place in wide.columns.indices { wide.columns[place].column.meaning = known[0] }
    }
    guard
      let other = wide.columns.first(where: {
        $0.column.meaning.unit?.matrix != known[0].unit?.matrix
      })?.column
    else { return }
    askForOneMatrix(first, known[0].unit?.matrix, other, other.meaning.unit?.matrix)
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
    _ column: SheetColumn, _ known: [ColumnMeaning], _ words: Set<ColumnWord>
  ) {
    let word = words.count == 1 ? words.first ?? .alcohol(nil) : .alcohol(nil)
    let complaint =
      column.unit.map { "is in \($0.quoted), which is not known of what it holds" }
      ?? (known.isEmpty ? nil : "does not say in what unit its readings are, as others do")
    questions.add(
      .columnUnit, at: place(column.index),
      message: complaint.map { "the column \(column.title.quoted) \($0)" }
        ?? "the columns called by a time, as \(column.title.quoted), do not say in what unit their readings are"
        + examples(of: column.index), remedy: "say what they are",
      statements: word.choices.map { "\(ColumnMap.wide)=\($0)" })
  }
}
