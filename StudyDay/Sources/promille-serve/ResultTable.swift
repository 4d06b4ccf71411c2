import ArgumentParser
import DayDatabase
import Foundation
@_spi(StudyDay) import StudyFiles

/// A table of results: rows and columns.
struct ResultTable<Row: Sendable>: Sendable {
  /// Name of the table in JSON.
  let name: String
  let columns: [Column]
  var rows: [Row] = []

  struct Column: Sendable {
    let name: String
    var decimals = 2
    /// True for typed text, which CSV protects from being run as a formula.
    var isTyped = false
    let value: @Sendable (Row) -> EventValue?

    init(
      _ name: String, decimals: Int = 2, isTyped: Bool = false,
      _ value: @escaping @Sendable (Row) -> EventValue?
    ) {
      self.name = name
      self.decimals = decimals
      self.isTyped = isTyped
      self.value = value
    }
  }

  func with(_ rows: [Row]) -> Self {
    var table = self
    table.rows = rows
    return table
  }
}

/// A table in each output format.
protocol PrintedTable {
  var json: (name: String, rows: EventValue) { get }
  var csv: String { get }
  var text: String { get }
}

extension ResultTable: PrintedTable {
  var json: (name: String, rows: EventValue) {
    let objects = rows.map { row in
      EventValue.object(
        Dictionary(
          columns.map { ($0.name, $0.value(row) ?? .null) }, uniquingKeysWith: { first, _ in first }
        ))
    }
    return (name, .array(objects))
  }

  var csv: String {
    var text = CSVText()
    text.appendRow(columns.map(\.name))
    for row in rows {
      text.appendRow(
        columns.map { column in
          let words = column.value(row)?.words() ?? ""
          return column.isTyped ? words.withoutFormula : words
        })
    }
    return text.string
  }

  var text: String {
    let cells =
      [columns.map(\.name)]
      + rows.map { row in
        columns.map { $0.value(row)?.words(decimals: $0.decimals) ?? "" }
      }
    let widths = columns.indices.map { index in cells.map { $0[index].count }.max() ?? 0 }
    return cells.map { row in
      zip(row, widths).map { $0.padding(toLength: $1, withPad: " ", startingAt: 0) }
        .joined(separator: "  ").trimmingCharacters(in: .whitespaces) + "\n"
    }.joined()
  }
}

extension EventValue {
  /// Formats the value as a field of a table.
  fileprivate func words(decimals: Int? = nil) -> String {
    switch self {
    case .null: ""
    case .text(let text): text
    case .number(let number):
      decimals.map { String(format: "%.\($0)f", number) } ?? "\(number)"
    default: text
    }
  }
}

extension String {
  /// The text with an apostrophe before anything that spreadsheets would run as a formula, also after apostrophes, so
  /// that removing one apostrophe restores the text.
  fileprivate var withoutFormula: String {
    let first = utf8.first { $0 != UInt8(ascii: "'") }
    guard let first, "=+-@\t\r\n".utf8.contains(first), Double(self) == nil else { return self }
    return "'" + self
  }
}

/// Destination and format of results.
struct OutputOptions: ParsableArguments {
  enum Format: String, CaseIterable, ExpressibleByArgument {
    case table, csv, json
  }

  @Option(help: "Format of the results. (default: table on a terminal, csv in a pipe)")
  var format: Format?

  @Option(
    name: [.customShort("o"), .customLong("output")],
    help: ArgumentHelp("Write the results to FILE; no partial file is left.", valueName: "file"),
    completion: .file())
  var path: String?

  /// Refuses to write over files that the command reads or changes, or over what is kept beside a database.
  static func require(_ path: String?, apartFrom files: String...) throws {
    guard let path else { return }
    // Names are compared, too: a file that does not exist yet has no identity.
    let file = FileIdentity(path)
    let target = URL(filePath: path).standardizedFileURL
    let isUsed = { (name: String) in
      file != nil && FileIdentity(name) == file || URL(filePath: name).standardizedFileURL == target
    }
    let endings = ["", "-wal", "-shm", "-journal", "-serving"]
    guard let used = files.first(where: { name in endings.contains { isUsed(name + $0) } }) else {
      return
    }
    throw refusal(of: path, "it is \(used), or belongs to it")
  }

  /// Prints tables; CSV has only the first.
  func print(_ tables: [any PrintedTable], note: String? = nil) throws {
    let isForPeople = path == nil && isatty(STDOUT_FILENO) == 1
    let text =
      switch format ?? (isForPeople ? .table : .csv) {
      case .table:
        (tables.map(\.text) + [note.map { "\($0)\n" }].compactMap(\.self)).joined(separator: "\n")
      case .csv: tables.first?.csv ?? ""
      case .json:
        EventValue.object(
          Dictionary(tables.map(\.json), uniquingKeysWith: { first, _ in first })
        ).text + "\n"
      }
    try Self.write(text, to: path)
  }

  /// Writes a text to a file, whole or not at all, or to standard output.
  static func write(_ text: String, to path: String?) throws {
    do {
      let bytes = Data(text.utf8)
      guard let path else { return try FileHandle.standardOutput.write(contentsOf: bytes) }
      // A link stays a link, and a file keeps its permissions.
      let target = URL(filePath: path).resolvingSymlinksInPath()
      var status = stat()
      let isThere = stat(path, &status) == 0
      guard !isThere || status.st_mode & S_IFMT == S_IFREG else {
        return try FileHandle(forWritingTo: target).write(contentsOf: bytes)
      }
      try bytes.write(to: target, options: .atomic)
      if isThere { chmod(target.path(percentEncoded: false), status.st_mode & 0o7777) }
    } catch {
      throw refusal(of: path ?? "standard output", error.localizedDescription)
    }
  }

  private static func refusal(of path: String, _ reason: String) -> any Error {
    PromilleServe.say(
      "promille-serve: error E_OUTPUT: cannot write \(path): \(reason); choose another place")
    return ExitCode(73)
  }
}
