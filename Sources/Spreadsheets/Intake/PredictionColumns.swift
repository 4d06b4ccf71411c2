import AlcoholKinetics
import StudyData
import StudyFiles

/// The columns of a table of predictions.
struct PredictionColumns {
  /// A column of numbers, and what they are multiplied by to be minutes.
  struct TimeColumn {
    let index: Int
    let scale: Double
  }

  /// A column of concentrations.
  struct Concentration {
    let index: Int
    let unit: ConcentrationUnit
  }

  let subject: Int
  let occasion: Int?
  /// The columns of curves; nil in a table of times.
  let curve: (time: TimeColumn, value: Concentration, low: Int?, high: Int?, deviation: Int?)?
  /// The columns of times; nil in a table of curves.
  let times: (time: TimeColumn, low: TimeColumn?, high: TimeColumn?, threshold: Concentration?)?
  /// The share of subjects for whom limits hold, as their headers state it.
  let level: Double

  /// What a column of the table is.
  private enum Role: Hashable {
    case subject, occasion, time, value, sober, low, high, deviation, threshold
  }

  private struct Column {
    let index: Int
    let title: String
    let role: Role
    var scale: Double?
    var unit: ConcentrationUnit?
  }

  /// Recognises the columns by their headers.
  ///
  /// - Parameters:
  ///   - header: The row that names them.
  ///   - map: What is said of them.
  ///   - log: Takes findings about columns that are not used.
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
      case .role(let role, let scale, let unit):
        if let first = columns.first(where: { $0.role == role }) {
          questions.add(
            .columnAmbiguous, in: file, at: place,
            message: "the columns \(first.title.quoted) and \(title.quoted) say the same",
            remedy: "keep one of them, or ignore the other",
            statements: [title, first.title].map { "\($0.excerpt())=ignore" })
        }
        columns.append(Column(index: index, title: title, role: role, scale: scale, unit: unit))
      }
    }
    let listing = header.cells.map { $0.headerText.excerpt() }.joined(separator: ", ")
      .excerpt(limit: 200)
    let missing = { (what: String) in
      let finding = Diagnostic(
        .columnMissing, at: SourceLocation(file: file, line: header.number),
        message: "the table has no \(what); it has \(listing)",
        remedy:
          "a curve needs subject, time_min and a concentration such as bac_g_per_l, a time to sobriety needs "
          + "subject and sober_min; --map says what a column of another name is")
      return StudyError(kind: .badData, diagnostics: [finding])
    }
    let column = { (role: Role) in columns.first { $0.role == role } }
    let headers = header.cells.map(\.headerText).filter { !$0.isEmpty }
    if questions.isEmpty, column(.sober) != nil, column(.value) != nil {
      questions.add(
        .columnAmbiguous, in: file, at: Place(line: header.number, column: 1),
        message: "the table has both a curve and times to sobriety", remedy: "keep one of the two",
        statements: [Role.sober, .value].compactMap {
          column($0).map { "\($0.title.excerpt())=ignore" }
        })
    }
    guard questions.isEmpty else {
      throw StudyError(kind: .badData, diagnostics: questions, headers: headers)
    }
    guard let subject = column(.subject) else {
      throw missing("column of subjects")
    }
    self.subject = subject.index
    occasion = column(.occasion)?.index
    let time = { (role: Role, scale: Double) in
      column(role).map { TimeColumn(index: $0.index, scale: $0.scale ?? scale) }
    }
    if let sober = time(.sober, 1) {
      let threshold = column(.threshold).flatMap { column in
        column.unit.map { Concentration(index: column.index, unit: $0) }
      }
      times = (sober, time(.low, sober.scale), time(.high, sober.scale), threshold)
      curve = nil
    } else {
      guard let value = column(.value), let unit = value.unit else {
        throw missing("column named after a concentration unit")
      }
      guard let at = time(.time, 1) else { throw missing("column time_min") }
      curve = (
        at, Concentration(index: value.index, unit: unit), column(.low)?.index,
        column(.high)?.index, column(.deviation)?.index
      )
      times = nil
    }
    let levels = Set([Role.low, .high].compactMap { column($0).flatMap { Self.level($0.title) } })
    level = (levels.count == 1 ? levels.first : nil) ?? GivenPrediction.usualLevel
  }

  // MARK: Recognition

  private enum Recognised {
    case role(Role, scale: Double?, unit: ConcentrationUnit?)
    /// What it is must be said, in these words of `--map`.
    case unclear([String])
    case ignored, unknown
  }

  private static func recognise(_ title: String, _ map: ColumnMap) -> Recognised {
    if let target = map.target(of: title) { return named(target) ?? .ignored }
    guard !title.isEmpty else { return .ignored }
    if let known = named(withoutPrefix(title.lowercased())) { return known }
    let header = HeaderText(title)
    if let (role, rest) = predictionWord(header) {
      return inWords(role, unit: header.unit ?? (rest.isEmpty ? nil : rest))
    }
    // "Predicted (g/L)" is a concentration of whatever was measured.
    let isPrefix = Vocabulary.has(header.words, "prediction", "prefix")
    guard
      let (word, unit) = header.reading ?? HeaderText(withoutPrefix(title)).reading
        ?? (isPrefix ? (ColumnWord.alcohol(nil), header.unit) : nil)
    else { return .unknown }
    switch word {
    case .subject: return .role(.subject, scale: nil, unit: nil)
    case .occasion: return .role(.occasion, scale: nil, unit: nil)
    case .time(.row), .time(.reading), .elapsed:
      let meaning = unit.flatMap(word.meaning)
      guard let meaning, meaning.form == .number else { return .unclear(["time_min", "time_h"]) }
      return .role(.time, scale: meaning.scale, unit: nil)
    case .alcohol:
      let meaning = unit.flatMap(word.meaning) ?? word.meaning(in: header.words)
      guard let unit = meaning?.unit else { return .unclear(word.choices) }
      return .role(.value, scale: nil, unit: unit)
    default: return .unknown
    }
  }

  /// A column by the name that `--map` has for it.
  private static func named(_ name: String) -> Recognised? {
    guard let meaning = ColumnMeaning.named(name) else { return nil }
    switch meaning.kind {
    case .subject: return .role(.subject, scale: nil, unit: nil)
    case .occasion: return .role(.occasion, scale: nil, unit: nil)
    case .time where meaning.form == .number:
      return .role(.time, scale: meaning.scale, unit: nil)
    case .reading:
      return meaning.unit.map { .role(.value, scale: nil, unit: $0) } ?? .unknown
    case .predicted(let what):
      let role: Role =
        switch what {
        case .time: .sober
        case .low: .low
        case .high: .high
        case .deviation: .deviation
        case .threshold: .threshold
        }
      return .role(role, scale: meaning.scale, unit: meaning.unit)
    default: return nil
    }
  }

  /// The word of the vocabulary of predictions that a header begins with, and what follows it.
  private static func predictionWord(_ header: HeaderText) -> (Role, rest: String)? {
    let parts = header.words.split(separator: " ")
    for count in stride(from: min(parts.count, 8), through: 1, by: -1) {
      let words = parts[..<count].joined(separator: " ")
      guard let role = words.isEmpty ? nil : roles[words] else { continue }
      return (role, parts[count...].joined(separator: " "))
    }
    return nil
  }

  private static let roles: [String: Role] = Vocabulary.meanings("prediction").compactMapValues {
    switch $0 {
    case "sober": .sober
    case "low": .low
    case "high": .high
    case "sd": .deviation
    case "threshold": .threshold
    default: nil
    }
  }

  private static func inWords(_ role: Role, unit: String?) -> Recognised {
    // "low 95 %" states a level, and "low 90 min" both.
    let unit = unit.map { unit in
      unit.split(separator: " ").filter {
        Double($0.filter { $0 != "%" }) == nil && $0 != "%" && $0 != "ci"
      }
      .joined(separator: " ")
    }
    let time = unit.flatMap { ColumnWord.time(.row).meaning(in: $0) }
    switch role {
    case .sober:
      guard let time, time.form == .number else { return .unclear(["sober_min", "sober_h"]) }
      return .role(.sober, scale: time.scale, unit: nil)
    case .low, .high:
      // In the unit of what they are the limits of, unless they are times with a unit of their own.
      guard let unit, !unit.isEmpty else { return .role(role, scale: nil, unit: nil) }
      if let time, time.form == .number { return .role(role, scale: time.scale, unit: nil) }
      return ColumnWord.isConcentration(unit) ? .role(role, scale: nil, unit: nil) : .unknown
    case .deviation: return .role(.deviation, scale: nil, unit: nil)
    case .threshold:
      guard let unit, let meaning = ColumnWord.concentration(of: .blood, in: unit) else {
        return .unclear(["threshold_g_per_kg", "threshold_g_per_l", "threshold_mg_per_100ml"])
      }
      return .role(.threshold, scale: nil, unit: meaning.unit)
    case .subject, .occasion, .time, .value: return .unknown
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
