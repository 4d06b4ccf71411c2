public import AlcoholKinetics
public import StudyData

/// Statements on the meanings of columns, by their headers: `--map`, or `columns` in `datapackage.json`.
public struct ColumnMap: Hashable, Sendable {
  /// The placeholder for all columns of a wide table that are named after a time.
  package static let wide = "*"

  /// The statements, in order of precedence.
  private(set) var entries: [Entry] = []
  /// The time zone of times of day; nil if it is not stated.
  package var clocks: ClockZone?

  struct Entry: Hashable, Sendable {
    let key: String
    let header: String
    let target: String
    /// Whether a table must have the column; false for statements taken over from another study.
    var isRequired = true

    init(_ header: String, _ target: String) {
      self.header = header.headerText
      self.target = target.lowercased()
      key = self.header.lowercased()
    }

    /// Whether the entry applies to a header: an equal one, or one with the beginning before `...`.
    func isAbout(_ key: String) -> Bool {
      key == self.key
        || self.key.count > 3 && self.key.hasSuffix("...") && key.hasPrefix(self.key.dropLast(3))
    }
  }

  /// No statement.
  public static let empty = ColumnMap()

  private init() {}

  /// The statements in the syntax of `--map`.
  public var text: String { entries.map { "\($0.header)=\($0.target)" }.joined(separator: ",") }

  /// Whether there are no statements.
  public var isEmpty: Bool { entries.isEmpty }

  /// Each header with the names of its meanings: one, or two for the times and the readings of a wide table.
  package var names: [(header: String, names: [String])] {
    entries.grouped(by: \.key).map { key, entries in
      let ofKinds = entries.unique { ColumnMeaning.named($0.target)?.kind }
      return (entries[0].header, (key == Self.wide ? ofKinds : [entries[0]]).map(\.target))
    }
  }

  /// Makes statements from pairs of a header and a known name of a meaning.
  package init(_ pairs: [(header: String, target: String)]) {
    entries = pairs.map { Entry($0.header, $0.target) }
  }

  /// Parses statements such as `Participant=subject,Weight (kg)=weight_kg`.
  ///
  /// Headers may contain commas and equals signs: a part without an equals sign, or without anything like a name after
  /// its last equals sign, is continued by the next part. A header may be abbreviated by `...`.
  ///
  /// - Throws: `Problem` if a part is not a statement, a name is unknown, or two statements contradict.
  public init(_ text: String) throws(Problem) {
    var begun = ""
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      begun += begun.isEmpty ? "\(part)" : ",\(part)"
      guard let (header, target) = Self.pair(begun) else { continue }
      guard ColumnMeaning.named(target) != nil else {
        guard Self.isMeantAsName(target) else { continue }
        throw Problem(header: header, unknown: target)
      }
      guard !header.isEmpty else { throw Problem(incomplete: begun) }
      entries.append(Entry(header, target))
      begun = ""
    }
    if !begun.isEmpty, let (header, target) = Self.pair(begun), !header.isEmpty, !target.isEmpty {
      throw Problem(header: header, unknown: target)
    }
    guard begun.isEmpty, !isEmpty else {
      throw Problem(incomplete: begun.isEmpty ? text : begun)
    }
    try requireAgreement()
  }

  private static func pair(_ text: String) -> (header: String, target: String)? {
    guard let equals = text.lastIndex(of: "=") else { return nil }
    return (text[..<equals].headerText, text[text.index(after: equals)...].trimmed)
  }

  /// Whether an unknown name was probably meant as one, such as `weight_kgs` or `breath`, unlike the 1=male of a header.
  private static func isMeantAsName(_ target: String) -> Bool {
    target.contains("_") || target.nearest(in: ColumnMeaning.names) != nil
      || ColumnWord.called(HeaderText(target).words) != nil
        && Vocabulary.meanings("sex")[target.lowercased()] == nil
  }

  /// Checks for contradictory statements.
  ///
  /// - Throws: `Problem` if a header is given two meanings.
  public func requireAgreement() throws(Problem) {
    var seen: [String: Entry] = [:]
    // A wide table may have one statement for its times and one for its readings.
    for entry in entries where entry.key != Self.wide {
      if let first = seen[entry.key], first.target != entry.target {
        throw Problem(header: entry.header, contradicted: [first.target, entry.target])
      }
      seen[entry.key] = entry
    }
  }

  /// Returns the statements combined with others, which take precedence; statements from another study come last.
  public func merging(_ other: ColumnMap) -> ColumnMap {
    var merged = self
    let all = other.entries + entries
    merged.clocks = other.clocks ?? clocks
    merged.entries = all.filter(\.isRequired) + all.filter { !$0.isRequired }
    return merged
  }

  /// Returns the statements with a time zone for times of day; nil keeps the present one.
  package func read(by clocks: ClockZone?) -> ColumnMap {
    var map = self
    map.clocks = clocks ?? map.clocks
    return map
  }

  /// The statements as defaults for another table, which need not have the columns.
  package var asDefaults: ColumnMap {
    var map = self
    for index in map.entries.indices { map.entries[index].isRequired = false }
    return map
  }

  /// Returns the statements for one of several tables: those on headers of another table are no longer required.
  package func besides(_ headers: [String]) -> ColumnMap {
    var map = self
    let keys = headers.map { $0.headerText.lowercased() }
    for index in map.entries.indices where keys.contains(where: map.entries[index].isAbout) {
      map.entries[index].isRequired = false
    }
    return map
  }

  /// Whether any statement requires its column to exist.
  package var isRequired: Bool { entries.contains(where: \.isRequired) }

  /// Returns the name of the meaning that is stated for a header; nil if none is.
  package func target(of header: String) -> String? {
    guard !isEmpty else { return nil }
    let key = header.headerText.lowercased()
    return (entries.first { $0.key == key } ?? entries.first { $0.isAbout(key) })?.target
  }

  /// Returns the name of a column in study files: as stated, or else the header; empty if the column is ignored.
  ///
  /// A covariate whose header is a name of study files, such as FOOD with 0 and 1, has another name beside it.
  package func name(of header: String) -> String {
    guard !isEmpty, let target = target(of: header) else { return header }
    guard target == Self.covariate else { return target == Self.ignored ? "" : target }
    let name = header.lowercased()
    return name == "food" || ColumnMeaning.named(name) != nil ? "\(header)_code" : header
  }

  /// Whether a column is said to be a covariate.
  func isCovariate(_ header: String) -> Bool { target(of: header) == Self.covariate }

  package func ignores(_ name: String) -> Bool {
    name.isEmpty && entries.contains { $0.target == Self.ignored }
  }

  /// Whether any statement ignores a column.
  package var ignoresColumns: Bool { entries.contains { $0.target == Self.ignored } }

  private static let ignored = "ignore"
  private static let covariate = "covariate"

  package var ofWideColumns: [ColumnMeaning] {
    entries.filter { $0.key == Self.wide }.compactMap { ColumnMeaning.named($0.target) }
  }

  /// Returns errors for required statements on missing columns; `hasWide` states whether columns are named after times.
  package func findings(
    notAmong headers: [String], hasWide: Bool = true, in path: String
  ) -> [Diagnostic] {
    let titles = headers.map(\.headerText).filter { !$0.isEmpty }
    let wide = entries.first { $0.isRequired && $0.key == Self.wide && !hasWide }.map { entry in
      Diagnostic(
        .columnMap, in: path,
        message:
          "no columns are called by a time, of which \(entry.header.quoted) says what they are; there are "
          + titles.listing,
        remedy: "call them by the time, as \"30 min\", or leave the statement out")
    }
    let keys = Set(titles.map { $0.lowercased() })
    let missing = entries.filter { entry in
      entry.isRequired && entry.key != Self.wide && !keys.contains(entry.key)
        && !keys.contains(where: entry.isAbout)
    }
    return [wide].compactMap(\.self)
      + missing.map { entry in
        let nearest = entry.header.nearest(in: titles).map { "; did you mean \($0.quoted)?" } ?? ""
        return Diagnostic(
          .columnMap, in: path,
          message:
            "no column is called \(entry.header.quoted)\(nearest); there are \(titles.listing)",
          remedy: entry.header.contains("=")
            ? "check the names behind the equals signs; promille explain map lists them"
            : "correct what is said of the columns, or columns in datapackage.json")
      }
  }
}

extension Problem {
  private init(columnMap text: String) { self.init(DiagnosticCode.columnMap.rawValue, text) }

  fileprivate init(incomplete text: String) {
    self.init(
      columnMap:
        "\(text.quoted) is no statement about a column. Write HEADER=NAME, as \"Weight (kg)=weight_kg\"; "
        + "promille explain map lists the names.")
  }

  fileprivate init(header: String, contradicted targets: [String]) {
    self.init(
      columnMap:
        "\(header.quoted) is said to be \(targets.map { $0.excerpt() }.joined(separator: " and ")). Say one of them."
    )
  }

  fileprivate init(header: String, unknown target: String) {
    self.init(
      columnMap: "\("\(header)=\(target)".quoted): "
        + ColumnMap.refusal(of: target, for: header))
  }
}

extension ColumnMap {
  /// Returns the message about an unknown name, with similar names.
  static func refusal(of target: String, for header: String) -> String {
    let names = ColumnMeaning.names
    let likely = likely(target, for: header)
    let nearest =
      HeaderText(header).reading?.word.meaning(in: target.lowercased())?.name
      ?? target.nearest(in: likely) ?? target.nearest(in: names)
    let question = nearest.map { " Did you mean \($0)?" } ?? ""
    return "\(target.quoted) is not a name for columns.\(question) Names: "
      + (likely + ["ignore"]).joined(separator: ", ") + "; promille explain map lists all."
  }

  /// Returns the names of the kind that was probably meant, judged by the unknown name or else by the header.
  private static func likely(_ target: String, for header: String) -> [String] {
    let near = target.nearest(in: ColumnMeaning.names).flatMap(ColumnMeaning.named)
    let word =
      ColumnWord.called(HeaderText(target).words) ?? HeaderText(header).reading?.word
    let meant =
      near
      ?? word.flatMap { $0.choices.first.flatMap(ColumnMeaning.named) ?? $0.plain }
    guard let meant, ColumnName(meant).group != .other else {
      return ColumnMeaning.all.filter { $0.name == $0.studyName }.map(\.name)
    }
    let ofKind = ColumnMeaning.all.filter { $0.kind == meant.kind }.map(\.name)
    let ofGroup = ColumnName.all.filter { $0.group == ColumnName(meant).group }.map(\.name)
    return ofKind.count > 1 ? ofKind : ofGroup
  }
}

extension StringProtocol {
  /// The header in one line, with single blanks and without invisible characters.
  package var headerText: String {
    let isPlain = utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    guard !isPlain else { return String(self) }
    let seen = String(
      String.UnicodeScalarView(
        unicodeScalars.filter { scalar in
          scalar.properties.isWhitespace || scalar.isShown && scalar.isPlain
        }))
    return seen.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }
}

extension [String] {
  /// The headers of a table, in a message about them.
  package var listing: String {
    map { $0.excerpt() }.joined(separator: ", ").excerpt(limit: 200)
  }
}

/// A possible answer to a question about columns.
package struct ColumnChoice: Hashable, Sendable {
  /// The placeholder in statements for a column that the user has to choose.
  package static let anyColumn = "COLUMN"

  /// The headers of the columns.
  package let headers: [String]
  /// The name of their meaning, as in ``ColumnMap``.
  package let name: String

  /// Parses one of ``Diagnostic/statements``; nil if it has several meanings.
  package init?(_ statement: String) {
    guard let map = try? ColumnMap(statement), let first = map.entries.first,
      map.entries.allSatisfy({ $0.target == first.target })
    else { return nil }
    headers = map.entries.map(\.header)
    name = first.target
  }

  /// Makes an answer that gives columns a meaning.
  package init(_ headers: [String], is name: String) {
    self.headers = headers
    self.name = name
  }

  /// The meaning in words, such as `mg/100 ml of whole blood`.
  package var words: String { ColumnName(name)?.words ?? name }

  /// The meaning in a list of similar ones, such as `pounds`.
  fileprivate var shortWords: String {
    guard let name = ColumnName(name), !name.isReading, !name.unit.isEmpty else { return words }
    return name.unit
  }

  /// Whether the column is still to be chosen.
  package var isOfAnyColumn: Bool { headers == [Self.anyColumn] }

  /// The answer as a statement.
  package var map: ColumnMap { ColumnMap(headers.map { ($0, name) }) }
}

extension Diagnostic {
  /// The possible answers, if the finding is a question.
  package var choices: [ColumnChoice] { statements.compactMap(ColumnChoice.init) }

  /// Returns the finding with its statements written into the remedy.
  ///
  /// - Parameter option: The option that takes a statement, such as `--map`; empty if a program makes it.
  package func spellingOut(_ option: String = "") -> Diagnostic {
    guard !statements.isEmpty else { return self }
    var finding = self
    finding.statements = []
    let choices = choices
    let prefix = option.isEmpty ? "" : option + " "
    let written = { (text: String) in prefix + (option.isEmpty ? "\"\(text)\"" : text.shellQuoted) }
    if choices.count == statements.count, choices.count > 2, let first = choices.first,
      choices.allSatisfy({ $0.headers == first.headers })
    {
      let names = choices.map { "\($0.name) (\($0.shortWords))" }
      let pairs = first.headers.map { "\($0)=NAME" }.joined(separator: ",")
      finding.remedy += ": \(written(pairs)), where NAME is " + names.joined(separator: ", ")
    } else {
      finding.remedy += ": " + statements.map(written).joined(separator: ", or ")
    }
    return finding
  }
}

extension Diagnostic: CustomStringConvertible {
  /// One line with place, severity, code, message and remedy.
  public var description: String {
    "\(location): \(severity.rawValue) \(code.rawValue): \(message); \(spellingOut().remedy)"
  }
}

extension String {
  /// The text quoted as one word for a shell.
  package var shellQuoted: String {
    contains { "\"$`\\!".contains($0) } ? "'" + replacing("'", with: "'\\''") + "'" : "\"\(self)\""
  }
}
