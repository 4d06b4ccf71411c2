/// One of the answers that settle what a column is.
public struct ColumnChoice: Hashable, Sendable {
  /// Stands in statements for a column that is still to be chosen.
  public static let anyColumn = "COLUMN"

  /// The headers that it is about.
  public let headers: [String]
  /// The name of what they mean, as ``ColumnMap`` takes it.
  public let name: String

  /// Takes a statement, as ``Diagnostic/statements`` has them; nil if it says several things.
  public init?(_ statement: String) {
    guard let map = try? ColumnMap(statement), let first = map.entries.first,
      map.entries.allSatisfy({ $0.target == first.target })
    else { return nil }
    (headers, name) = (map.entries.map(\.header), first.target)
  }

  /// Says what columns mean.
  public init(_ headers: [String], is name: String) { (self.headers, self.name) = (headers, name) }

  /// What it says, for people, as `mg/100 ml of whole blood`.
  public var words: String { ColumnName(name)?.words ?? name }

  /// The same beside others of its kind, as `pounds`.
  fileprivate var shortWords: String {
    guard let name = ColumnName(name), !name.isReading, !name.unit.isEmpty else { return words }
    return name.unit
  }

  /// Whether the column is still to be chosen.
  public var isOfAnyColumn: Bool { headers == [Self.anyColumn] }

  /// What it states.
  public var map: ColumnMap { ColumnMap(headers.map { ($0, name) }) }
}

extension Diagnostic {
  /// The answers of which one settles it, if it is a question.
  public var choices: [ColumnChoice] { statements.compactMap(ColumnChoice.init) }

  /// The same with its statements in the words of the remedy.
  ///
  /// - Parameter option: How the user makes a statement, as `--map`; nil if a program does.
  public func spellingOut(_ option: String = "") -> Diagnostic {
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

extension String {
  /// The text as one word of a shell.
  package var shellQuoted: String {
    contains { "\"$`\\!".contains($0) } ? "'" + replacing("'", with: "'\\''") + "'" : "\"\(self)\""
  }
}
