public import ArgumentParser
import Estimation
import Foundation
public import Reporting
import StrictOptions

protocol ResultOptions: DeliveryOptions, FileNaming {
  /// The file or folder; nil for standard output.
  var path: String? { get }
  var display: DisplayOptions { get }
}

extension ResultOptions {
  var console: Console { Console(isQuiet: display.quiet, color: display.color) }
  var namedFiles: [NamedFile] { [.written(path, by: "-o")] }

  func write(_ text: String) throws {
    try console.write(text.utf8, to: path, option: "-o")
  }
}

/// The destination and the format of results.
struct OutputOptions: ResultOptions {
  @Option(
    help: ArgumentHelp(
      "Format of the results.",
      discussion: """
        Default: by the extension of the -o file (.csv, .json, .ndjson or .jsonl, .arrow, .arrows), else table on a \
        terminal and csv in a pipe. ndjson: a JSON object per row; arrow: Arrow IPC, a file as FILE.arrow, else a stream.
        """)
  )
  var format: ReportFormat?

  @Option(
    help: ArgumentHelp(
      "Decimal mark of numbers in CSV; with comma, semicolons separate fields. Promille reads both.",
      valueName: "mark"))
  var decimal = DecimalMark.point

  @Option(
    name: [.customShort("o"), .customLong("output")],
    help: ArgumentHelp("Write the results to FILE; no partial file is left.", valueName: "file"),
    completion: .file())
  var path: String?

  @OptionGroup var display: DisplayOptions

  func validate() throws {
    try require(
      decimal == .point || resolvedFormat.isCSV,
      "--decimal is for CSV; add --format csv, or leave it out.")
    try require(
      !resolvedFormat.isArrow || path != nil || isatty(STDOUT_FILENO) == 0,
      "--format arrow is not for a terminal; add -o FILE, or use a pipe.")
  }

  /// - Parameter details: Whether a terminal shows all of it.
  func print(_ report: Report, details: Bool = false, followedBy rest: [String] = []) throws {
    if resolvedFormat.isArrow {
      return try console.write(report.arrow(as: resolvedFormat), to: path, option: "-o")
    }
    let terminal = path == nil ? OutputTerminal.style(display.color) : .plain
    var report = report
    report.isDetailed = details
    let text = report.rendered(as: resolvedFormat, on: terminal) + rest.joined()
    try console.write(text.utf8, to: path, option: "-o")
  }

  /// The format that was asked for, or the one that fits the destination.
  var resolvedFormat: ReportFormat {
    switch format ?? usualFormat {
    case .csv where decimal == .comma: .csvWithDecimalComma
    // What reads a file of this name expects a file, not a stream.
    case .arrow where path.map(OutputName.ending(of:)) == "arrow": .arrowFile
    case let format: format
    }
  }

  private var usualFormat: ReportFormat {
    guard let path else {
      // Whoever asks for a decimal mark wants CSV.
      return isatty(STDOUT_FILENO) == 1 && decimal == .point ? .table : .csv
    }
    return ReportFormat(endingOf: path) ?? .csv
  }

  var unusedDetails: UnusedOptions? {
    UnusedOptions(
      ["--details"], if: resolvedFormat != .table,
      "because only a table has details here; add --format table, or leave it out")
  }
}

extension ReportFormat: ExpressibleByArgument {
  /// The format that the name of a file implies; nil if none.
  init?(endingOf path: String) {
    switch OutputName.ending(of: path) {
    case "csv": self = .csv
    case "json": self = .json
    case "ndjson", "jsonl": self = .ndjson
    case "arrow", "arrows": self = .arrow
    default: return nil
    }
  }

  public init?(argument: String) {
    guard let format = Self.allCases.first(where: { $0.rawValue == argument }) else { return nil }
    self = format
  }
}

extension ReportFormat {
  /// The ending of names of files that hold it.
  var ending: String { self == .csvWithDecimalComma ? ".csv" : ".\(rawValue)" }
}

extension DecimalMark: ExpressibleByArgument {}

/// Endings of file names, so that none is written whose name would lie.
enum OutputName {
  /// Endings of rows that commands write with `-o`.
  static let ofResults = [".csv", ".json", ".ndjson", ".jsonl", ".arrow", ".arrows"]

  /// Endings that programs believe: what is behind them is not written with `-o`, or by some commands only.
  private static let believed: Set<String> = [
    "xlsx", "xls", "xlsm", "ods", "numbers", "parquet", "feather", "orc", "avro", "html", "htm",
    "xhtml", "md",
    "svg", "png", "jpg", "jpeg", "gif", "webp", "pdf", "eps", "ps", "tex", "docx", "doc", "odt",
    "rtf", "pptx",
    "sqlite", "sqlite3", "db", "duckdb", "mat", "rds", "rda", "rdata", "sav", "dta", "sas7bdat",
    "xpt", "npy", "npz",
    "pkl", "pickle", "h5", "hdf5", "xml", "yaml", "yml", "toml", "tsv", "tab", "zip", "gz", "zst",
    "bz2", "xz", "7z",
    "tar",
  ]

  /// The ending of a name in small letters, without its point; empty for none.
  static func ending(of path: String) -> String {
    let name = path.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
    guard let point = name.lastIndex(of: "."), point > name.startIndex else { return "" }
    return name[name.index(after: point)...].lowercased()
  }

  /// Whether a name promises what is not among the endings that are written.
  static func lies(_ path: String, whereWritten endings: [String]) -> Bool {
    let ending = ending(of: path)
    return believed.contains(ending) && !endings.contains(".\(ending)")
  }
}

extension ResultOptions {
  /// Refuses a name whose ending is that of something else than is written.
  func requireWritable(_ endings: [String]) throws {
    guard let path, OutputName.lies(path, whereWritten: endings) else { return }
    throw ValidationError(
      "-o is \(path), but .\(OutputName.ending(of: path)) is not written here; choose a name that ends in "
        + endings.joined(separator: ", ") + ".")
  }
}

/// Options of how messages and tables look on a terminal.
struct DisplayOptions: DeliveryOptions {
  @Flag(name: .shortAndLong, help: "No warnings on standard error.")
  var quiet = false

  @Option(
    help: "Colours: auto uses them on a terminal unless NO_COLOR is set.")
  var color = ColorChoice.auto
}

/// The destination of a command with a single format.
struct FileOptions: ResultOptions {
  @Option(
    name: [.customShort("o"), .customLong("output")],
    help: ArgumentHelp("Write to FILE; no partial file is left.", valueName: "file"),
    completion: .file())
  var path: String?

  @OptionGroup var display: DisplayOptions

  // A study may become a folder, or a database.
  var namedFiles: [NamedFile] { [.folder(path, by: "-o")] }

  /// Refuses a name that implies another format than the one written.
  func requireName(of format: ReportFormat) throws {
    try requireWritable([format.ending])
    guard let path, let implied = ReportFormat(endingOf: path), implied != format,
      !(implied.isArrow && format.isArrow)
    else {
      return
    }
    throw ValidationError(
      "-o is \(path), but what is written is \(format.rawValue); choose another name.")
  }
}

/// The destination of a command whose only result is a page or a figure.
struct PageOptions: ResultOptions {
  @Option(
    name: [.customShort("o"), .customLong("output")],
    help: ArgumentHelp(
      "Write to FILE; no partial file is left. - is standard output.", valueName: "file"),
    completion: .file())
  var file: String

  @OptionGroup var display: DisplayOptions

  var path: String? { file == "-" ? nil : file }

  /// Empty for standard output.
  var ending: String { URL(filePath: path ?? "").pathExtension.lowercased() }
}

/// Whether everything is shown, not the answer alone.
struct DetailsOption: DeliveryOptions {
  @Flag(help: "Show everything behind the answer: all tables, remarks, assumptions and columns.")
  var details = false
}

/// The number of threads; no result depends on it.
struct JobsOption: DeliveryOptions {
  @Option(
    help: "Number of threads; results are identical for any number. (default: one per processor)")
  var jobs: Int?

  func validate() throws {
    try require("--jobs", jobs, in: 1...1024)
  }

  var count: Int { jobs ?? ProcessInfo.processInfo.activeProcessorCount }
}
