extension Table {
  /// The rows as objects with the columns' names as keys; missing values are null.
  public var json: JSONValue {
    .array(
      rows.map { row in
        .object(
          zip(headers, row).compactMap { header, cell in
            header.name.map { ($0, JSONValue(cell)) }
          })
      })
  }
}

extension JSONValue {
  fileprivate init(_ cell: Cell) {
    switch cell {
    case .text(let text): self = .string(text)
    case .integer(let integer): self = .integer(integer)
    case .real(let number): self = .number(number)
    case .missing: self = .null
    }
  }
}
