import AlcoholKinetics
import StudyData
import StudyFiles

/// The columns of a table of predictions.
struct PredictionColumns {
  struct Column {
    let index: Int
    let title: String
    let kind: ColumnMeaning.Kind
    /// The factor of its numbers to minutes; nil if the header does not state it.
    let scale: Double?
    let unit: ConcentrationUnit?
  }

  let subject: Int
  let occasion: Int?
  /// Times to sobriety, in a table of times; else the times of a curve.
  let time: Column
  /// Concentrations; nil in a table of times.
  let value: Column?
  let low, high, deviation, threshold: Column?
  /// The share of subjects for whom limits hold, as their headers state it.
  let level: Double

  /// Recognises the columns by the row that names them, and by what is said of them.
  ///
  /// - Throws: ``StudyError`` if the table is neither one of curves nor one of times, or if a unit is not stated.
  init(
    _ header: SheetTable.Row, in file: String, _ map: ColumnMap, log: inout FindingLog
  ) throws(StudyError) {
    var columns: [Column] = []
    var questions: [Diagnostic] = []
    for (index, cell) in header.cells.enumerated() {
      let title = cell.headerText
      let place = Place(line: header.number, column: index + 1)
      switch Self.recognise(title, map) {
      case .ignored: break
      case .unknown:
        log.add(
          .columnIgnored, at: place,
          "the column \(title.isEmpty ? "without a name" : title.quoted) is not used",
          remedy: "say what it is with --map if it holds predictions")
      case .unclear(let choices):
        questions.add(
          .columnUnit, in: file, at: place,
          message: "the column \(title.quoted) states no unit that is known",
          remedy: "say what it is",
          statements: choices.map { "\(title.excerpt())=\($0)" })
      case .column(let kind, let scale, let unit):
        if let first = columns.first(where: { $0.kind == kind }) {
          questions.add(
            .columnAmbiguous, in: file, at: place,
            message: "the columns \(first.title.quoted) and \(title.quoted) say the same",
            remedy: "keep one of them, or ignore the other",
            statements: [title, first.title].map { "\($0.excerpt())=ignore" })
        }
        columns.append(Column(index: index, title: title, kind: kind, scale: scale, unit: unit))
      }
    }
    let column = { (kind: ColumnMeaning.Kind) in columns.first { $0.kind == kind } }
    let (sober, value) = (column(.predicted(.time)), column(.reading))
    if questions.isEmpty, let sober, let value {
      questions.add(
        .columnAmbiguous, in: file, at: Place(line: header.number, column: 1),
        message: "the table has both a curve and times to sobriety", remedy: "keep one of the two",
        statements: [sober, value].map { "\($0.title.excerpt())=ignore" })
    }
    let titles = header.cells.map(\.headerText)
    guard questions.isEmpty else {
      throw StudyError(
        kind: .badData, diagnostics: questions, headers: titles.filter { !$0.isEmpty })
    }
    func required(_ column: Column?, _ what: String) throws(StudyError) -> Column {
      if let column { return column }
      let listing = titles.map { $0.excerpt() }.joined(separator: ", ").excerpt(limit: 200)
      let finding = Diagnostic(
        .columnMissing, at: SourceLocation(file: file, line: header.number),
        message: "the table has no \(what); it has \(listing)",
        remedy:
          "a curve needs subject, time_min and a concentration such as bac_g_per_l, a time to sobriety needs "
          + "subject and sober_min; --map says what a column of another name is")
      throw StudyError(kind: .badData, diagnostics: [finding])
    }
    subject = try required(column(.subject), "column of subjects").index
    occasion = column(.occasion)?.index
    low = column(.predicted(.low))
    high = column(.predicted(.high))
    deviation = column(.predicted(.deviation))
    threshold = column(.predicted(.threshold))
    if let sober {
      time = sober
      self.value = nil
    } else {
      self.value = try required(value, "column named after a concentration unit")
      time = try required(column(.time(.row)), "column time_min")
    }
    let levels = Set([low, high].compactMap { $0.flatMap { Self.level($0.title) } })
    level = (levels.count == 1 ? levels.first : nil) ?? GivenPrediction.usualLevel
  }

  // MARK: Recognition

  private enum Recognised {
    case column(ColumnMeaning.Kind, scale: Double? = nil, unit: ConcentrationUnit? = nil)
    /// What it is must be said, in these words of `--map`.
    case unclear([String])
    case ignored, unknown
  }

  private static func recognise(_ title: String, _ map: ColumnMap) -> Recognised {
    if let target = map.target(of: title) { return named(target) ?? .ignored }
    guard !title.isEmpty else { return .ignored }
    if let known = named(withoutPrefix(title.lowercased())) { return known }
    let header = HeaderText(title)
    if let (what, rest) = predictionWord(header) {
      return inWords(what, unit: header.unit ?? (rest.isEmpty ? nil : rest))
    }
    // "Predicted (g/L)" is a concentration of whatever was measured.
    let isPrefix = Vocabulary.has(header.words, "prediction", "prefix")
    guard
      let (word, unit) = header.reading ?? HeaderText(withoutPrefix(title)).reading
        ?? (isPrefix ? (ColumnWord.alcohol(nil), header.unit) : nil)
    else { return .unknown }
    let meaning = unit.flatMap(word.meaning)
    switch word {
    case .subject: return .column(.subject)
    case .occasion: return .column(.occasion)
    case .time(.row), .time(.reading), .elapsed:
      guard let meaning, meaning.form == .number else { return .unclear(["time_min", "time_h"]) }
      return .column(.time(.row), scale: meaning.scale)
    case .alcohol:
      guard let unit = (meaning ?? word.meaning(in: header.words))?.unit else {
        return .unclear(word.choices)
      }
      return .column(.reading, unit: unit)
    default: return .unknown
    }
  }

  /// A column by the name that `--map` has for it.
  private static func named(_ name: String) -> Recognised? {
    guard let meaning = ColumnMeaning.named(name) else { return nil }
    switch meaning.kind {
    case .subject, .occasion: return .column(meaning.kind)
    case .time where meaning.form == .number: return .column(.time(.row), scale: meaning.scale)
    case .reading: return meaning.unit.map { .column(.reading, unit: $0) } ?? .unknown
    case .predicted: return .column(meaning.kind, scale: meaning.scale, unit: meaning.unit)
    default: return nil
    }
  }

  private typealias Predicted = ColumnMeaning.Kind.Predicted

  /// The word of the vocabulary of predictions that a header begins with, and what follows it.
  private static func predictionWord(_ header: HeaderText) -> (Predicted, rest: String)? {
    let parts = header.words.split(separator: " ")
    for count in stride(from: min(parts.count, 8), through: 1, by: -1) {
      guard let what = words[parts[..<count].joined(separator: " ")] else { continue }
      return (what, parts[count...].joined(separator: " "))
    }
    return nil
  }

  private static let words = Vocabulary.meanings("prediction").compactMapValues { word in
    let all: [String: Predicted] = [
      "sober": .time, "low": .low, "high": .high, "sd": .deviation, "threshold": .threshold,
    ]
    return all[word]
  }

  private static func inWords(_ what: Predicted, unit: String?) -> Recognised {
    // "low 95 %" states a level, and "low 90 min" both.
    let unit = unit.map { unit in
      unit.split(separator: " ").filter {
        Double($0.filter { $0 != "%" }) == nil && $0 != "%" && $0 != "ci"
      }
      .joined(separator: " ")
    }
    let time = unit.flatMap { ColumnWord.time(.row).meaning(in: $0) }
    let scale = time?.form == .number ? time?.scale : nil
    switch what {
    case .time:
      return scale.map { .column(.predicted(.time), scale: $0) }
        ?? .unclear(["sober_min", "sober_h"])
    case .low, .high:
      // In the unit of what they are the limits of, unless they are times with a unit of their own.
      let isKnown = unit.map { $0.isEmpty || scale != nil || ColumnWord.isConcentration($0) }
      return isKnown ?? true ? .column(.predicted(what), scale: scale) : .unknown
    case .deviation: return .column(.predicted(.deviation))
    case .threshold:
      guard let meaning = unit.flatMap({ ColumnWord.concentration(of: .blood, in: $0) }) else {
        return .unclear(["threshold_g_per_kg", "threshold_g_per_l", "threshold_mg_per_100ml"])
      }
      return .column(.predicted(.threshold), unit: meaning.unit)
    }
  }

  /// A header without the word that says that it is a prediction: `predicted_bac_g_per_l`.
  private static func withoutPrefix(_ title: String) -> String {
    let lower = title.lowercased()
    for prefix in Vocabulary.words("prediction", "prefix") {
      guard lower.hasPrefix(prefix), lower.utf8.count > prefix.utf8.count + 1,
        let separator = lower.dropFirst(prefix.count).first, "_ -.".contains(separator)
      else { continue }
      return String(lower.dropFirst(prefix.count + 1))
    }
    return title
  }

  /// The level that a header of limits states, as `low_95` or `lower 95 %`, as a share; nil if it states none.
  private static func level(_ title: String) -> Double? {
    title.split { !$0.isASCIIDigit && $0 != "." }.lazy.compactMap { Double($0) }
      .first { 50..<100 ~= $0 }.map { $0 / 100 }
  }
}
