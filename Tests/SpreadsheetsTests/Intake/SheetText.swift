import StudyFiles

@testable import Spreadsheets
@testable import StudyData

/// A sheet in memory, as a spreadsheet would hand it over.
struct SheetText {
  /// The findings about a sheet, readable or not, without those of missing ages.
  static func findings(_ text: String, map: String? = nil) -> [Diagnostic] {
    do {
      return try study(text, map: map).allDiagnostics.filter { $0.code != .measureColumnMissing }
    } catch let error as StudyError {
      return error.diagnostics
    } catch {
      return []
    }
  }

  /// The study in a sheet: lines, with fields between bars.
  static func study(_ text: String, map: String? = nil) throws -> Study {
    try opened(text, map: map).folder.study()
  }

  /// The meanings of the columns, by their headers.
  static func taken(_ text: String, map: String? = nil) throws -> [String: String] {
    let taken = try opened(text, map: map).taken
    return Dictionary(taken.map { ($0.column, $0.takenAs) }) { first, _ in first }
  }

  /// Why, by header.
  static func notes(_ text: String, map: String? = nil) throws -> [String: String] {
    let taken = try opened(text, map: map).taken
    return Dictionary(taken.map { ($0.column, $0.note) }) { first, _ in first }
  }

  static func opened(_ text: String, map: String? = nil) throws -> SheetStudy {
    let map = try map.map { try ColumnMap($0) }
    guard
      let sheet = try SheetStudy([table(text)], path: "sheet", map: map ?? .empty)
    else { throw NoStudy() }
    return sheet
  }

  static func table(_ text: String) -> SheetTable {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    return SheetTable(
      file: "sheet",
      rows: lines.enumerated().map { index, line in
        SheetTable.Row(
          number: index + 1,
          cells: line.split(separator: "|", omittingEmptySubsequences: false).map(String.init))
      })
  }

  struct NoStudy: Error {}
}
