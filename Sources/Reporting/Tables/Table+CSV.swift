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
  fileprivate var csvField: String {
    let needsQuotes = unicodeScalars.contains { "\",\r\n".unicodeScalars.contains($0) }
    guard needsQuotes else { return self }
    return "\"" + split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"")
      + "\""
  }
}
