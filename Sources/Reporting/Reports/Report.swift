import AlcoholKinetics
import StudyData

/// The result of a command, before it has a format.
public struct Report: Sendable {
  /// The version of the JSON layout, raised when a name or a meaning changes.
  public static let schemaVersion = 1

  /// Columns of a terminal that lines keep to.
  private static let width = 100

  public struct Section: Sendable {
    /// The key of its rows in JSON.
    public let name: String
    public let table: Table

    public init(name: String, table: Table) {
      self.name = name
      self.table = table
    }

    /// Fills a table; its name is its key in JSON unless another is given.
    package init<Row>(_ layout: TableLayout<Row>, rows: [Row], key: String? = nil) {
      self.init(name: key ?? layout.name, table: Table(layout.columns, rows: rows))
    }
  }

  /// Lines above the tables on a terminal.
  public var introduction: [String]
  /// The tables; the first is the one that CSV carries.
  public var sections: [Section]
  /// Lines below the tables on a terminal.
  public var notes: [String]
  public var provenance: Provenance
  /// The table in CSV and NDJSON, if it is not the first; JSON has it in other tables.
  var rows: Table?
  /// Members of JSON before the tables.
  var members: JSONValue.Members = []
  /// The short version for a terminal; nil if everything fits on a screen.
  package var firstScreen: FirstScreen?
  /// True if a terminal shows all tables below the answer.
  public var isDetailed = false

  /// The answer, what it rests on in one table or two, and where the rest is: what fits on a screen.
  package struct FirstScreen: Sendable {
    /// The question and the number of people.
    package let question: String
    /// The answer, in sentences.
    package let answer: [String]
    let tables: [Table]
    /// The notes, and the options that show more.
    let remarks: [String]

    package init(question: String, answer: [String], tables: [Table], remarks: [String]) {
      self.question = question
      self.answer = answer
      self.tables = tables
      self.remarks = remarks
    }
  }

  package init(
    introduction: [String] = [],
    sections: [Section],
    notes: [String] = [],
    provenance: Provenance,
    firstScreen: FirstScreen? = nil
  ) {
    self.introduction = introduction
    self.sections = sections
    self.notes = notes
    self.provenance = provenance
    self.firstScreen = firstScreen
  }

  /// The report in a format.
  ///
  /// - Parameters:
  ///   - format: One that is text; for Arrow see ``arrow(as:)``.
  ///   - terminal: What tables are for.
  public func rendered(as format: ReportFormat, on terminal: TerminalStyle = .plain) -> String {
    switch format {
    case .table: text(on: terminal)
    case .json: json.document
    case .csv, .csvWithDecimalComma, .ndjson:
      String(decoding: (rows ?? sections.first?.table)?.bytes(as: format) ?? [], as: UTF8.self)
    case .arrow, .arrowFile: ""
    }
  }

  /// The table that CSV carries as an Arrow stream, or as a file; it is no text.
  public func arrow(as format: ReportFormat) -> [UInt8] {
    (rows ?? sections.first?.table)?.bytes(as: format, provenance) ?? []
  }

  private func text(on terminal: TerminalStyle) -> String {
    let width = min(terminal.width ?? Self.width, Self.width)
    let answer =
      firstScreen.map { screen in
        [
          screen.question.printable.wrapped(to: width) + "\n",
          screen.answer.map { $0.printable.wrapped(to: width, indent: "") }.lines,
        ]
      } ?? []
    let screen = isDetailed ? nil : firstScreen
    let tables = (screen?.tables ?? sections.map(\.table)).filter(\.isForPeople)
      .map { $0.fitted(to: terminal) }
    let isTooWide = terminal.width != nil && introduction.contains { $0.count > width }
    let head =
      isTooWide
      ? introduction.sentences.map { $0.printable.wrapped(to: width) }
      : introduction.map(\.printable)
    let indent = screen == nil ? "  " : ""
    let foot =
      (screen?.remarks ?? notes)
      .map { terminal.marked($0.printable.wrapped(to: width, indent: indent)) }
      + Self.hiddenColumnsRemark(of: tables.flatMap(\.leftOut), terminal).map {
        $0.wrapped(to: width)
      }
    let paragraphs = answer + [screen == nil ? head.lines : ""] + tables.map(\.text) + [foot.lines]
    return paragraphs.filter { !$0.isEmpty }.joined(separator: "\n")
  }

  /// The columns left out for want of room, and the ways to see them.
  private static func hiddenColumnsRemark(of leftOut: [String], _ terminal: TerminalStyle)
    -> [String]
  {
    guard !leftOut.isEmpty, let width = terminal.width else { return [] }
    return [
      "Hidden, too wide for \(width) columns: \(leftOut.uniqued.joined(separator: ", ")). Widen the terminal, or "
        + "use --format csv or -o FILE."
    ]
  }

  private var json: JSONValue {
    .object(
      [("schema_version", .integer(Self.schemaVersion)), ("provenance", provenance.json)]
        + members + sections.map { ($0.name, $0.table.json) })
  }
}

extension [String] {
  /// The texts, those that go on in the next one in one piece, to be broken elsewhere.
  fileprivate var sentences: [String] {
    reduce(into: []) { sentences, line in
      if let last = sentences.last, last.last.map({ !".:".contains($0) }) ?? false,
        line.first?.isLowercase ?? false, line.prefixMatch(of: /\w+:/) == nil
      {
        sentences[sentences.count - 1] = last + " " + line
      } else {
        sentences.append(line)
      }
    }
  }

  fileprivate var lines: String { map { $0 + "\n" }.joined() }
}

extension TerminalStyle {
  /// A remark whose code, with which it begins, stands out.
  fileprivate func marked(_ remark: String) -> String {
    guard let code = remark.prefixMatch(of: /[EW]_[A-Z0-9_]+/)?.output else { return remark }
    return painted(String(code), code.hasPrefix("E") ? .red : .yellow) + remark[code.endIndex...]
  }
}

/// A remark on one series, or on one subject, for people.
struct Note {
  private let label: String
  private let remark: String

  /// - Parameter times: The readings that it is about, if it is about some.
  init(about series: Series, _ remark: String, at times: [Hours] = []) {
    let name = series.shortLabel
    label = times.isEmpty ? name : "\(name) at \(Self.minutes(times))"
    self.remark = remark
  }

  init(about subject: Subject, _ remark: String) {
    label = subject.id
    self.remark = remark
  }

  /// One line for each different remark, in the order they first occur, with the series it is about.
  static func grouped(_ notes: [Note]) -> [String] {
    var labels: [String: [String]] = [:]
    var remarks: [String] = []
    for note in notes {
      if labels[note.remark] == nil { remarks.append(note.remark) }
      labels[note.remark, default: []].append(note.label)
    }
    return remarks.map { "\($0) [\(list(labels[$0] ?? []))]" }
  }

  static func minutes(_ times: [Hours]) -> String {
    let shown = 3
    let minutes = times.prefix(shown).map { NumberStyle.decimals(0).format($0.minutes) }
    let rest = times.count > shown ? ", ..." : ""
    return minutes.joined(separator: ", ") + rest + " min"
  }

  private static func list(_ labels: [String]) -> String {
    let unique = labels.reduce(into: [String]()) { list, label in
      if list.last != label { list.append(label) }
    }
    return unique.shortened(to: 12)
  }
}
