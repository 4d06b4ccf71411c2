import StudyData

extension Table {
  /// Whether there is anything in it to show on a terminal.
  var isForPeople: Bool {
    !rows.isEmpty && headers.contains { $0.heading != nil }
  }

  /// The table as people read it: aligned, rounded, and without columns that are empty throughout.
  public var text: String {
    let shown = shownColumns
    let head = shown.map { headers[$0].heading ?? "" }
    let body = rows.map { row in shown.map { displayed(row[$0], $0) } }
    let isRightAligned = shown.map { isNumeric($0) }
    let widths = head.indices.map { column in
      ([head] + body).map(\.[column].count).max() ?? 0
    }
    let line = { (cells: [String]) in
      zip(cells.indices, cells)
        .map { pad($1, to: widths[$0], isRightAligned: isRightAligned[$0]) }
        .joined(separator: "  ")
        .trimmingTrailingSpaces
    }
    let rule = line(widths.map { String(repeating: "-", count: $0) })
    return ([line(head), rule] + body.map(line)).joined(separator: "\n") + "\n"
  }

  /// The columns that people are shown: those with a heading, unless they are empty throughout.
  var shownColumns: [Int] {
    headers.indices.filter { index in
      headers[index].heading != nil && (rows.isEmpty || rows.contains { $0[index] != .missing })
    }
  }

  /// Whether a column has no words in it.
  func isNumeric(_ column: Int) -> Bool {
    !rows.contains { if case .text = $0[column] { true } else { false } }
  }

  /// A cell as people are shown it.
  func displayed(_ cell: Cell, _ column: Int) -> String {
    switch cell {
    case .real(let number): headers[column].style.format(number)
    case .missing: "-"
    case .text(let text): text.printable
    case .integer(let integer): String(integer)
    }
  }

  private func pad(_ text: String, to width: Int, isRightAligned: Bool) -> String {
    let space = String(repeating: " ", count: max(0, width - text.count))
    return isRightAligned ? space + text : text + space
  }
}

extension String {
  fileprivate var trimmingTrailingSpaces: String {
    guard let last = lastIndex(where: { $0 != " " }) else { return "" }
    return String(self[...last])
  }
}
