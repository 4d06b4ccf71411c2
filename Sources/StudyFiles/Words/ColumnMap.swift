public import StudyData

/// What somebody says the columns of a table mean, by their headers: `--map`, or `columns` in
/// `datapackage.json`.
public struct ColumnMap: Hashable, Sendable {
  /// Stands for all columns of a wide table that are called by a time.
  package static let wide = "*"

  /// A header and the name of what it means, in order; what counts most stands first.
  private(set) var entries: [Entry] = []
  /// Where the clocks are by which times of day are written; nil if that is not said.
  package var clocks: ClockZone?

  struct Entry: Hashable, Sendable {
    let key: String
    let header: String
    let target: String
    /// Whether a table must have the column: not where the answers of another study are taken over.
    var isRequired = true

    init(_ header: String, _ target: String) {
      (self.header, self.target) = (header.headerText, target.lowercased())
      key = self.header.lowercased()
    }

    /// Whether it is about a header: that, or one that goes on where `...` stands.
    func isAbout(_ key: String) -> Bool {
      key == self.key
        || self.key.count > 3 && self.key.hasSuffix("...") && key.hasPrefix(self.key.dropLast(3))
    }
  }

  /// No statement.
  public static let empty = ColumnMap()

  private init() {}

  /// What it says, as `--map` has it.
  public var text: String { entries.map { "\($0.header)=\($0.target)" }.joined(separator: ",") }

  /// Whether it says nothing.
  public var isEmpty: Bool { entries.isEmpty }

  /// Each header with the names of what it means: one, but for the times and the readings of a wide table.
  package var names: [(header: String, names: [String])] {
    entries.grouped(by: \.key).map { key, entries in
      let ofKinds = entries.unique { ColumnMeaning.named($0.target)?.kind }
      return (entries[0].header, (key == Self.wide ? ofKinds : [entries[0]]).map(\.target))
    }
  }

  /// Takes pairs of a header and what it means, the names of which are known.
  package init(_ pairs: [(header: String, target: String)]) {
    entries = pairs.map { Entry($0.header, $0.target) }
  }

  /// Takes `Participant=subject,Weight (kg)=weight_kg`.
  ///
  /// A header may hold commas and equals signs: a part without an equals sign, or with one behind which stands
  /// nothing that is or could be meant as a name, goes on in the next, and the last equals sign counts. A header may
  /// also be its beginning and `...`.
  ///
  /// - Throws: ``ColumnMapError`` if a part of it is no pair.
  public init(_ text: String) throws(ColumnMapError) {
    var begun = ""
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      begun += begun.isEmpty ? "\(part)" : ",\(part)"
      guard let (header, target) = Self.pair(begun) else { continue }
      guard ColumnMeaning.named(target) != nil else {
        guard Self.isMeantAsName(target) else { continue }
        throw ColumnMapError(header: header, unknown: target)
      }
      guard !header.isEmpty else { throw ColumnMapError(incomplete: begun) }
      entries.append(Entry(header, target))
      begun = ""
    }
    if !begun.isEmpty, let (header, target) = Self.pair(begun), !header.isEmpty, !target.isEmpty {
      throw ColumnMapError(header: header, unknown: target)
    }
    guard begun.isEmpty, !isEmpty else {
      throw ColumnMapError(incomplete: begun.isEmpty ? text : begun)
    }
    try requireAgreement()
  }

  private static func pair(_ text: String) -> (header: String, target: String)? {
    guard let equals = text.lastIndex(of: "=") else { return nil }
    return (text[..<equals].headerText, text[text.index(after: equals)...].trimmed)
  }

  /// Whether what is not a name was meant as one: as `weight_kgs` or `breath`, and not as the 1=male of a header.
  private static func isMeantAsName(_ target: String) -> Bool {
    target.contains("_") || target.nearest(in: ColumnMeaning.names) != nil
      || ColumnWord.called(HeaderText(target).words) != nil
        && Vocabulary.meanings("sex")[target.lowercased()] == nil
  }

  /// Refuses two statements about one column.
  ///
  /// - Throws: ``ColumnMapError`` if a header is said to be two things.
  public func requireAgreement() throws(ColumnMapError) {
    var known: [String: Entry] = [:]
    // Of a wide table the times and the readings can be stated.
    for entry in entries where entry.key != Self.wide {
      if let other = known[entry.key], other.target != entry.target {
        throw ColumnMapError(header: entry.header, contradicted: [other.target, entry.target])
      }
      known[entry.key] = entry
    }
  }

  /// The same with the statements of another, which count more; answers of another study count least.
  public func merging(_ other: ColumnMap) -> ColumnMap {
    var merged = self
    let all = other.entries + entries
    merged.clocks = other.clocks ?? clocks
    merged.entries = all.filter(\.isRequired) + all.filter { !$0.isRequired }
    return merged
  }

  /// The same of a table whose times of day are those of some clocks.
  package func read(by clocks: ClockZone?) -> ColumnMap {
    var map = self
    map.clocks = clocks ?? map.clocks
    return map
  }

  /// The same as answers of another study, whose columns need not be there.
  package var asAnswersOfAnother: ColumnMap {
    var map = self
    for index in map.entries.indices { map.entries[index].isRequired = false }
    return map
  }

  /// The same for a table beside another that has some headers: what is said of these need not be about it.
  package func besides(_ headers: [String]) -> ColumnMap {
    var map = self
    let keys = headers.map { $0.headerText.lowercased() }
    for index in map.entries.indices where keys.contains(where: map.entries[index].isAbout) {
      map.entries[index].isRequired = false
    }
    return map
  }

  /// Whether it says something of columns that a table must have.
  package var isRequired: Bool { entries.contains(where: \.isRequired) }

  package func target(of header: String) -> String? {
    guard !isEmpty else { return nil }
    let key = header.headerText.lowercased()
    return (entries.first { $0.key == key } ?? entries.first { $0.isAbout(key) })?.target
  }

  /// The name of a header in a study's own tables: as stated, else the header; none if it is to be ignored.
  package func name(of header: String) -> String {
    guard !isEmpty, let target = target(of: header) else { return header }
    return target == Self.ignored ? "" : target == Self.covariate ? header : target
  }

  package func ignores(_ name: String) -> Bool {
    name.isEmpty && entries.contains { $0.target == Self.ignored }
  }

  /// Whether it says that columns are to be ignored.
  package var ignoresColumns: Bool { entries.contains { $0.target == Self.ignored } }

  private static let (ignored, covariate) = ("ignore", "covariate")

  package var ofWideColumns: [ColumnMeaning] {
    entries.filter { $0.key == Self.wide }.compactMap { ColumnMeaning.named($0.target) }
  }

  /// Findings about statements on columns that no table has; `hasWide` if some are called by a time.
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
    let known = Set(titles.map { $0.lowercased() })
    let missing = entries.filter { entry in
      entry.isRequired && entry.key != Self.wide && !known.contains(entry.key)
        && !known.contains(where: entry.isAbout)
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

/// Why a text says nothing of columns.
public struct ColumnMapError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What was found and what to do.
  public let description: String

  init(incomplete text: String) {
    description =
      "\(text.quoted) is no statement about a column. Write HEADER=NAME, as \"Weight (kg)=weight_kg\"; "
      + "promille explain map lists the names."
  }

  init(header: String, contradicted targets: [String]) {
    description =
      "\(header.quoted) is said to be \(targets.map { $0.excerpt() }.joined(separator: " and ")). Say one of them."
  }

  init(header: String, unknown target: String) {
    description = "\("\(header)=\(target)".quoted): " + Self.refusal(of: target, for: header)
  }

  /// Why a name is refused, with those that it may stand for.
  package static func refusal(of target: String, for header: String) -> String {
    let names = ColumnMeaning.names
    let likely = likely(target, for: header)
    let nearest =
      HeaderText(header).reading?.word.meaning(in: target.lowercased())?.name
      ?? target.nearest(in: likely) ?? target.nearest(in: names)
    let question = nearest.map { " Did you mean \($0)?" } ?? ""
    return "\(target.quoted) is not a name for columns.\(question) Names: "
      + (likely + ["ignore"]).joined(separator: ", ") + "; promille explain map lists all."
  }

  /// The names of the kind that is probably meant: by what was written, else by the header.
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
  /// A header on one line: single blanks, and nothing that is not seen.
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

/// One of the answers that settle what a column is.
package struct ColumnChoice: Hashable, Sendable {
  /// Stands in statements for a column that is still to be chosen.
  package static let anyColumn = "COLUMN"

  /// The headers that it is about.
  package let headers: [String]
  /// The name of what they mean, as ``ColumnMap`` takes it.
  package let name: String

  /// Takes a statement, as ``Diagnostic/statements`` has them; nil if it says several things.
  package init?(_ statement: String) {
    guard let map = try? ColumnMap(statement), let first = map.entries.first,
      map.entries.allSatisfy({ $0.target == first.target })
    else { return nil }
    (headers, name) = (map.entries.map(\.header), first.target)
  }

  /// Says what columns mean.
  package init(_ headers: [String], is name: String) { (self.headers, self.name) = (headers, name) }

  /// What it says, for people, as `mg/100 ml of whole blood`.
  package var words: String { ColumnName(name)?.words ?? name }

  /// The same beside others of its kind, as `pounds`.
  fileprivate var shortWords: String {
    guard let name = ColumnName(name), !name.isReading, !name.unit.isEmpty else { return words }
    return name.unit
  }

  /// Whether the column is still to be chosen.
  package var isOfAnyColumn: Bool { headers == [Self.anyColumn] }

  /// What it states.
  package var map: ColumnMap { ColumnMap(headers.map { ($0, name) }) }
}

extension Diagnostic {
  /// The answers of which one settles it, if it is a question.
  package var choices: [ColumnChoice] { statements.compactMap(ColumnChoice.init) }

  /// The same with its statements in the words of the remedy.
  ///
  /// - Parameter option: How the user makes a statement, as `--map`; nil if a program does.
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
  /// One line: place, severity, code, what was found and what to do.
  public var description: String {
    "\(location): \(severity.rawValue) \(code.rawValue): \(message); \(spellingOut().remedy)"
  }
}

extension String {
  /// The text as one word of a shell.
  package var shellQuoted: String {
    contains { "\"$`\\!".contains($0) } ? "'" + replacing("'", with: "'\\''") + "'" : "\"\(self)\""
  }
}
