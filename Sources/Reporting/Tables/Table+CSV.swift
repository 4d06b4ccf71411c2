extension Table {
  /// The table as CSV (RFC 4180, with line feeds): all columns, all digits, missing values empty.
  public var csv: String {
    let shown = headers.indices.filter { headers[$0].name != nil }
    let head = shown.map { headers[$0].name ?? "" }.csvLine
    return rows.reduce(into: head) { text, row in
      text += shown.map { row[$0].exactText ?? "" }.csvLine
    }
  }
}

extension [String] {
  /// The texts as a line of CSV.
  var csvLine: String {
    map(\.csvField).joined(separator: ",") + "\n"
  }
}

extension String {
  /// The text as a field, quoted where it must be.
  ///
  /// By scalars: a quote with a combining mark on it is one character, but still a quote to whoever
  /// reads the file.
  var csvField: String {
    guard utf8.contains(where: Self.needsQuotes) else { return self }
    var field = "\"".unicodeScalars
    for scalar in unicodeScalars {
      field.append(scalar)
      if scalar == "\"" { field.append(scalar) }
    }
    field.append("\"")
    return String(field)
  }

  private static func needsQuotes(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "\"") || byte == UInt8(ascii: ",") || byte == UInt8(ascii: "\n")
      || byte == UInt8(ascii: "\r")
  }
}
