import StudyData

/// Where the rows of a table that was made from a sheet stand in that sheet.
package final class SheetOrigin {
  /// The number of the row in the sheet, by the line of the table, the header first.
  private var rows: [Int]
  /// The number of the column in the sheet, from 1, by line; the sheet's own for all but wide tables.
  private var columns: [[Int]]
  let titles: [String?]

  package init(headerRow: Int, titles: [String?]) {
    rows = [headerRow]
    columns = [[]]
    self.titles = titles
  }

  package func append(row: Int, columns: [Int]) {
    rows.append(row)
    self.columns.append(columns)
  }

  func row(ofLine line: Int) -> Int { rows.indices.contains(line - 1) ? rows[line - 1] : line }

  func place(ofLine line: Int, field: Int) -> Place {
    let columns = rows.indices.contains(line - 1) ? columns[line - 1] : []
    let column = columns.indices.contains(field) ? columns[field] : 1
    return Place(line: row(ofLine: line), column: max(1, column))
  }
}
