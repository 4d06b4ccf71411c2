extension Table {
  /// The table as CSV (RFC 4180, with line feeds): all columns, all digits, missing values empty.
  public var csv: String {
    let lines =
      [headers.compactMap(\.name)]
      + rows.map { row in
        zip(headers, row).filter { $0.0.name != nil }.map { $0.1.exactText ?? "" }
      }
    return lines.map { $0.map(\.csvField).joined(separator: ",") + "\n" }.joined()
  }
}

extension String {
  /// The text as a field, quoted where it must be.
  ///
  /// By scalars: a quote with a combining mark on it is one character, but still a quote to whoever
  /// reads the file.
  fileprivate var csvField: String {
    guard unicodeScalars.contains(where: { "\",\r\n".unicodeScalars.contains($0) }) else {
      return self
    }
    var field = "\"".unicodeScalars
    for scalar in unicodeScalars {
      field.append(scalar)
      if scalar == "\"" { field.append(scalar) }
    }
    field.append("\"")
    return String(field)
  }
}
