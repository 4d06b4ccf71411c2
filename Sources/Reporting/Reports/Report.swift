import StudyData

/// What a command has to say, before it is known in which format.
public struct Report: Sendable {
  /// The version of the JSON layout, raised when a name or a meaning changes.
  public static let schemaVersion = 1

  /// Columns of a terminal that lines keep to.
  private static let width = 100

  /// A named table.
  public struct Section: Sendable {
    /// The key of its rows in JSON.
    public let name: String
    /// The table.
    public let table: Table

    /// Names a table.
    public init(name: String, table: Table) {
      self.name = name
      self.table = table
    }
  }

  /// Lines that stand over the tables on a terminal.
  public var introduction: [String]
  /// The tables; the first is the one that CSV carries.
  public var sections: [Section]
  /// Lines that stand under the tables on a terminal.
  public var notes: [String]
  /// How the result was made.
  public var provenance: Provenance

  /// Puts a report together.
  public init(
    introduction: [String] = [],
    sections: [Section],
    notes: [String] = [],
    provenance: Provenance
  ) {
    self.introduction = introduction
    self.sections = sections
    self.notes = notes
    self.provenance = provenance
  }

  /// The report in a format.
  public func rendered(as format: ReportFormat) -> String {
    switch format {
    case .table: text
    case .csv: sections.first?.table.csv ?? ""
    case .json: json.document
    case .ndjson: sections.first?.table.jsonLines ?? ""
    }
  }

  private var text: String {
    let paragraphs =
      [introduction.map { $0.printable + "\n" }.joined()]
      + sections.filter(\.table.isForPeople).map(\.table.text)
      + [notes.map { $0.printable.wrapped(to: Self.width) + "\n" }.joined()]
    return paragraphs.filter { !$0.isEmpty }.joined(separator: "\n")
  }

  private var json: JSONValue {
    .object(
      [
        ("schema_version", .integer(Self.schemaVersion)),
        ("provenance", provenance.json),
      ] + sections.map { ($0.name, $0.table.json) })
  }
}
