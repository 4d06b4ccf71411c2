import StudyData
import StudyFiles

/// Data that the cells of all sheets share: strings, formats and the epoch of dates.
struct WorkbookContext {
  var strings: [String] = []
  /// The formats of cells by their index; nil for numbers and texts.
  var styles: [SheetCellFormat?] = []
  var epoch = SheetDate.Epoch.year1900
}

/// Reads the cells of a sheet.
final class Worksheet: XMLPart {
  /// The limits of Excel.
  private static let lastRow = 1_048_576
  private static let lastColumn = 16_384
  /// The maximum number of cells of all sheets together, up to the last of each row: a million rows of eight.
  static let maximumCells = 1 << 23

  private(set) var rows: [[SheetCell]] = []
  private(set) var log: FindingLog
  private(set) var isCollecting = false
  /// The number of cells that this sheet and the following ones may still have.
  private(set) var remainingCells: Int

  private let context: WorkbookContext
  private var isInData = false
  private var isHidden = false
  /// The number of hidden rows with cells, with the first and the last of them.
  private var hidden: (count: Int, first: Int, last: Int)?
  /// The row and column of the cell that is being read, from 1.
  private var row = 0
  private var column = 0
  private var type = "n"
  private var shown: SheetCellFormat?
  private var hasFormula = false
  private var isPhonetic = false
  private var value: String?

  init(_ context: WorkbookContext, log: FindingLog, remainingCells: Int) {
    self.context = context
    self.log = log
    self.remainingCells = remainingCells
  }

  func start(_ element: String, _ attributes: XMLAttributes) throws(WorkbookProblem) {
    guard isInData else {
      isInData = element == "sheetData"
      return
    }
    switch element {
    case "row":
      row = attributes["r"].flatMap(Int.init) ?? row + 1
      column = 0
      guard 1...Self.lastRow ~= row else { throw Self.invalidPosition }
      isHidden = attributes["hidden"] == "1"
    case "c": try startCell(attributes)
    case "f": hasFormula = true
    case "v": isCollecting = true
    // A phonetic guide is not part of the text.
    case "rPh": isPhonetic = true
    case "t": isCollecting = !isPhonetic
    default: break
    }
  }

  func end(_ element: String, _ text: String) throws(WorkbookProblem) {
    guard isInData else { return }
    switch element {
    case "v", "t":
      // A text may consist of several runs with different fonts.
      if isCollecting { value = (value ?? "") + text }
      isCollecting = false
    case "rPh": isPhonetic = false
    case "c": try endCell()
    case "sheetData":
      isInData = false
      while rows.last?.isEmpty == true { rows.removeLast() }
      reportHiddenRows()
    default: break
    }
  }

  private static let invalidPosition = WorkbookProblem(
    "a cell of the workbook is at a place that no sheet has")

  private func startCell(_ attributes: XMLAttributes) throws(WorkbookProblem) {
    guard row > 0 else { throw Self.invalidPosition }
    if let reference = attributes["r"] {
      guard let referenced = Self.column(of: reference) else { throw Self.invalidPosition }
      column = referenced
    } else {
      column += 1
    }
    guard 1...Self.lastColumn ~= column else { throw Self.invalidPosition }
    type = attributes["t"] ?? "n"
    let style = attributes["s"].flatMap(Int.init) ?? 0
    shown = context.styles.indices.contains(style) ? context.styles[style] : nil
    value = nil
    hasFormula = false
  }

  /// Returns the column of a reference such as `AB12`, from 1.
  private static func column(of reference: String) -> Int? {
    var column = 0
    for byte in reference.utf8.prefix(4) {
      let letter = byte & 0xDF
      guard 0x41...0x5A ~= letter else { break }
      column = column * 26 + Int(letter - 0x40)
    }
    return column > 0 ? column : nil
  }

  private func endCell() throws(WorkbookProblem) {
    let cell = try cell()
    if cell == .empty { return }
    // A row element inside a cell, which no valid sheet has, resets the column to 0.
    guard column > 0 else { throw Self.invalidPosition }
    let newRows = max(0, row - rows.count)
    let missing = max(0, column - (newRows > 0 ? 0 : rows[row - 1].count))
    remainingCells -= newRows + missing
    guard remainingCells >= 0 else {
      throw WorkbookProblem(
        "the sheets have more than \(Self.maximumCells) cells",
        remedy: "delete what is far below or to the right of the tables, or save them as CSV")
    }
    rows += Array(repeating: [], count: newRows)
    if missing > 0 { rows[row - 1] += Array(repeating: .empty, count: missing) }
    rows[row - 1][column - 1] = cell
    if isHidden, hidden?.last != row {
      hidden = ((hidden?.count ?? 0) + 1, hidden?.first ?? row, row)
    }
  }

  private func reportHiddenRows() {
    guard let hidden else { return }
    log.add(
      .hiddenRows, at: Place(line: hidden.first, column: 1),
      "\(hidden.count == 1 ? "a row is" : "\(hidden.count) rows are") hidden, and read like the others",
      remedy: "delete rows that do not belong to the study, and show the others")
  }

  private func cell() throws(WorkbookProblem) -> SheetCell {
    guard let value, !value.isEmpty else {
      // The result of a formula may be an empty text.
      guard hasFormula, type != "str" else { return .empty }
      report(
        "holds a formula without its result",
        remedy: "open the workbook in the spreadsheet program and save it, which stores the results"
      )
      // The cell has a value, which is unknown.
      return .unknown
    }
    switch type {
    case "s":
      guard let index = Int(value.trimmed), context.strings.indices.contains(index) else {
        throw WorkbookProblem("a cell of the workbook refers to a text that it does not have")
      }
      return Self.words(context.strings[index])
    case "str", "inlineStr", "d": return Self.words(value.withoutEscapes)
    case "b": return .boolean(value.trimmed == "1" || value.trimmed == "true")
    case "e":
      report(
        "holds the error \(value.quoted)", remedy: "correct the formula, or leave the cell empty")
      return .error(value)
    default: return number(value.trimmed)
    }
  }

  private static func words(_ text: String) -> SheetCell { text.isEmpty ? .empty : .text(text) }

  private func number(_ text: String) -> SheetCell {
    if text.isEmpty { return .empty }
    var text = text
    let number = text.withUTF8 { try? DecimalNumber.parse(UnsafeRawBufferPointer($0)) }
    guard let number else { return .text(text) }
    return switch shown {
    case nil: .number(number)
    case .percentage: .percentage(number)
    case .date(let shown): .date(SheetDate(serial: number, epoch: context.epoch, shown: shown))
    }
  }

  private func report(_ problem: String, remedy: String) {
    let name = Sheet.cellName(row: row - 1, column: column - 1)
    let position = Place(line: row, column: column)
    log.add(.cellValue, at: position, "cell \(name) \(problem)", remedy: remedy)
  }
}

/// Reads the strings that cells of all sheets refer to.
final class SharedStrings: XMLPart {
  private static let maximumCount = 1 << 22

  private(set) var strings: [String] = []
  private(set) var isCollecting = false
  private var text = ""
  private var isPhonetic = false

  func start(_ element: String, _ attributes: XMLAttributes) throws(WorkbookProblem) {
    switch element {
    case "si": text = ""
    case "rPh": isPhonetic = true
    case "t": isCollecting = !isPhonetic
    default: break
    }
  }

  func end(_ element: String, _ text: String) throws(WorkbookProblem) {
    switch element {
    case "t":
      if isCollecting { self.text += text }
      isCollecting = false
    case "rPh": isPhonetic = false
    case "si":
      guard strings.count < Self.maximumCount else {
        throw WorkbookProblem("the workbook has more than \(Self.maximumCount) texts")
      }
      strings.append(self.text.withoutEscapes)
    default: break
    }
  }
}

/// Reads the formats of cells.
final class Styles: XMLPart {
  private(set) var shown: [SheetCellFormat?] = []
  private var custom: [Int: SheetCellFormat?] = [:]
  private var isInCellFormats = false

  func start(_ element: String, _ attributes: XMLAttributes) throws(WorkbookProblem) {
    switch element {
    case "numFmt":
      guard let number = attributes["numFmtId"].flatMap(Int.init) else { return }
      custom[number] = .some(attributes["formatCode"].flatMap { SheetCellFormat(code: $0) })
    case "cellXfs": isInCellFormats = true
    case "xf" where isInCellFormats:
      let format = attributes["numFmtId"].flatMap(Int.init) ?? 0
      shown.append(custom[format] ?? SheetCellFormat(builtIn: format))
    default: break
    }
  }

  func end(_ element: String, _ text: String) throws(WorkbookProblem) {
    if element == "cellXfs" { isInCellFormats = false }
  }
}

extension String {
  /// The text with escapes such as `_x000D_` replaced by their characters.
  fileprivate var withoutEscapes: String {
    guard contains("_x") else { return self }
    return replacing(/_x([0-9A-Fa-f]{4})_/) { match in
      UInt32(match.1, radix: 16).flatMap(Unicode.Scalar.init).map { String(Character($0)) }
        ?? String(match.0)
    }
  }
}
