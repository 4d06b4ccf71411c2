/// The columns of a wide table that hold readings at the time in their header.
struct WideColumns {
  /// The position of each, and the minutes that its header says: since the beginning, or midnight.
  var times: [(index: Int, minutes: Double)] = []
  var isClock = false
  var meaning: ColumnMeaning?
  /// What stands before the times, as BrAC.
  var word: ColumnWord?
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
      body = body[..<open].trimmed + (ofValue == nil ? " \(unit)" : "")
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
    if words.last == "t" || words.last == "at" || words.last == "time" { words.removeLast() }
    let word = words.isEmpty ? nil : ColumnWord.called(words.joined(separator: " "))
    if !words.isEmpty {
      guard case .alcohol? = word else { return nil }
    }
    let rest = parts.joined(separator: " ")
    if let minutes = ClockTime.minutes(rest) { return (word, minutes, true, nil, ofValue) }
    let digits = rest.prefix { $0.isASCIIDigit || ".-+".contains($0) }
    let unit = rest.dropFirst(digits.count).trimmed
    guard let number = Double(digits), number.isFinite,
      unit.isEmpty || ColumnWord.times[unit] != nil
    else { return nil }
    return (word, number, false, ColumnWord.times[unit], ofValue)
  }

  mutating func findWideColumns(_ header: SheetTable.Row) {
    let found = header.cells.enumerated().compactMap { index, cell in
      map.target(of: cell) == nil ? Self.wideTime(cell).map { (index, $0) } : nil
    }
    guard found.count >= 3 else { return }
    let haveColons = found.allSatisfy { $1.isClock }
    guard haveColons || found.allSatisfy({ !$1.isClock }) else {
      questions.append(
        Diagnostic(
          .columnAmbiguous, at: place(found[0].0),
          message: "some columns are called by a time of day and others by minutes or hours",
          remedy: "use one of them in all headers"))
      return
    }
    let time = map.ofWideColumns.first { $0.kind == .time(.row) }
    wide.isClock =
      haveColons
      && (time.map { $0.form == .clock } ?? !ElapsedTime.fits(found.map { $1.minutes }))
    let units = Set(found.compactMap { $1.unit })
    var stated = units.first
    if !haveColons, units.isEmpty {
      stated =
        time.map { $0.scale == 60 ? "h" : "min" }
        ?? (Self.lookLikeMinutes(found.map { $1.minutes }) ? "min" : nil)
      if stated == nil {
        questions.append(
          Diagnostic(
            .columnUnit, at: place(found[0].0),
            message: "the columns called by a time, as \(header.cells[found[0].0].quoted), do not "
              + "say whether they are minutes or hours",
            remedy: "say what they are",
            statements: ["time_min", "time_h"].map { "\(ColumnMap.wide)=\($0)" }))
      }
    }
    for (index, time) in found {
      let unit = time.unit ?? stated
      let scale = haveColons ? 1 : unit == "h" ? 60 : unit == "s" ? 1.0 / 60 : 1
      wide.times.append((index, time.minutes * scale))
    }
    wide.meaning =
      map.ofWideColumns.first { $0.unit != nil }
      ?? found.lazy.compactMap { _, time in
        time.ofValue.flatMap { (time.word ?? .alcohol(nil)).meaning(in: $0) }
      }.first
    wide.word = found.lazy.compactMap { $1.word }.first
  }

  /// Whether times without a unit can be nothing but minutes: more than a day of hours, and no mere numbering.
  private static func lookLikeMinutes(_ times: [Double]) -> Bool {
    times.contains { $0.magnitude >= 24 } && zip(times, times.dropFirst()).contains { $1 - $0 != 1 }
  }

  /// Asks for the unit of the readings of a wide table, which its headers seldom say.
  mutating func settleWideUnit(_ header: SheetTable.Row) {
    guard let first = wide.times.first, wide.meaning == nil else { return }
    let choices = (wide.word ?? .alcohol(nil)).choices
    questions.append(
      Diagnostic(
        .columnUnit, at: place(first.index),
        message:
          "the columns called by a time, as \(header.cells[first.index].quoted), do not say in "
          + "what unit their readings are" + examples(of: first.index),
        remedy: "say what they are", statements: choices.map { "\(ColumnMap.wide)=\($0)" }))
  }
}
