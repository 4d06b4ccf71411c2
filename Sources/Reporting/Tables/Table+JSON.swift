extension Table {
  /// The rows as objects with the columns' names as keys; missing values are null.
  public var json: JSONValue {
    let names = headers.map(\.name)
    return .array(rows.map { JSONValue(names, $0) })
  }
}

extension Table {
  /// The rows as such objects, one per line.
  var jsonLines: String {
    let names = headers.map(\.name)
    return rows.map { JSONValue(names, $0).line + "\n" }.joined()
  }
}

extension JSONValue {
  /// A row as an object; cells without a name are left out.
  init(_ names: [String?], _ row: [Cell]) {
    self = .object(
      zip(names, row).compactMap { name, cell in name.map { ($0, JSONValue(cell)) } })
  }

  init(_ cell: Cell) {
    switch cell {
    case .text(let text): self = .string(text)
    case .integer(let integer): self = .integer(integer)
    case .real(let number): self = .number(number)
    case .missing: self = .null
    }
  }
}
