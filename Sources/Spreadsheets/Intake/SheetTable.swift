import Foundation
import StudyData
import StudyFiles

/// A table as people keep it in a spreadsheet: rows of text, the header somewhere near the top.
///
/// A workbook of another format becomes one of these: a number is written as a plain decimal, a date as
/// `2026-11-21`, a time as `19:30:00`, both as `2026-11-21 19:30:00`.
package struct SheetTable: Sendable {
  /// A row with its number, from 1, as the spreadsheet shows it.
  package struct Row: Sendable {
    package let number: Int
    package var cells: [String]

    package init(number: Int, cells: [String]) {
      self.number = number
      self.cells = cells
    }
  }

  /// What findings call it: the path of its file, and the name of the sheet in brackets if there are several.
  package let file: String
  package var rows: [Row]
  /// Whether a comma may be the decimal point.
  package let mayHaveDecimalComma: Bool
  /// How decimal commas are read in it: where commas part the fields, only what cannot be anything else is one.
  var decimalComma: WrittenQuantity.DecimalComma { mayHaveDecimalComma ? .always : .ifCertain }
  private(set) var findings: [Diagnostic] = []
  let name: String?
  /// Whether all of it is about one person, who has a sheet.
  var isOfOnePerson = false
  /// The number of the row that each column was, if the table was turned round.
  var turnedLines: [Int]?
  /// What columns were called before the table was turned round.
  var formerHeaders: [String] = []

  package init(
    file: String, rows: [Row], mayHaveDecimalComma: Bool = false, name: String? = nil
  ) {
    self.file = file
    self.rows = rows
    self.mayHaveDecimalComma = mayHaveDecimalComma
    self.name = name
  }

  init(_ sheet: Sheet) {
    self.init(
      file: sheet.place,
      rows: sheet.textRows.enumerated().map { Row(number: $0 + 1, cells: $1) }, name: sheet.name)
    findings = sheet.findings
  }

  /// Reads all of a CSV file.
  init(
    reading file: InputFile, separator: CSVSeparator? = nil
  ) throws(StudyError) {
    var rows: [Row] = []
    do throws(CSVProblem) {
      let reader = try CSVReader(file, separator: separator)
      while try reader.next() {
        rows.append(Row(number: reader.row.firstLine, cells: reader.row.texts))
      }
      self.init(file: file.path, rows: rows, mayHaveDecimalComma: reader.row.mayHaveCommas)
      if let (encoding, place) = reader.conversion {
        findings.append(FindingLog(file: file.path).conversion(from: encoding, at: place))
      }
    } catch {
      throw StudyError(
        .badData, error.code, in: file.path, at: error.place, message: error.message,
        remedy: error.remedy)
    }
  }

  /// The place of a cell, by the number of its row and the index of its column.
  func location(_ row: Int, _ column: Int) -> SourceLocation {
    SourceLocation(file: file, line: row, column: column + 1)
  }

  /// Whether what columns are called stands in the first column, one below the other.
  var liesOnItsSide: Bool {
    let words = rows.prefix(30).compactMap { row in
      row.cells.first.flatMap { HeaderText($0).reading?.word }
    }
    return Set(words).count > 2
  }

  /// The names in the first row of a CSV file; nil if it has none that can be read.
  static func header(of file: InputFile) -> [String]? {
    do throws(CSVProblem) {
      let reader = try CSVReader(file)
      return try reader.next() ? reader.row.texts : nil
    } catch {
      return nil
    }
  }
}

extension SheetTable.Row {
  /// The text in a column, without blanks around it; nothing if the row ends before it.
  func text(_ index: Int) -> String { cells.indices.contains(index) ? cells[index].trimmed : "" }
}
