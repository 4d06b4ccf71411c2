/// What a cell holds, taken apart into a number and the unit behind it.
struct SheetCellText {
  /// The number; nil if there is none.
  let number: Double?
  /// What follows it, in small letters; nil if nothing does.
  let unit: String?

  init(_ cell: String, mayHaveDecimalComma: Bool = false) {
    let text = cell.trimmed
    if let number = Self.number(text, mayHaveDecimalComma) {
      (self.number, unit) = (number, nil)
      return
    }
    let digits = text.prefix { $0.isASCIIDigit || ".,+-".contains($0) }
    let rest = text.dropFirst(digits.count).trimmed.lowercased()
    number = rest.isEmpty ? nil : Self.number(String(digits), mayHaveDecimalComma)
    unit = number == nil ? nil : rest
  }

  static func number(_ text: String, _ mayHaveComma: Bool = false) -> Double? {
    var text = text
    return text.withUTF8 {
      try? DecimalNumber.parse(UnsafeRawBufferPointer($0), mayHaveComma: mayHaveComma)
    }
  }

  private static let missing: Set = [
    "", ".", "NA", "N/A", "n/a", "na", "N.A.", "n.a.", "-", "--", "–", "—", "#N/A", "k.A.", "k. A.",
    "missing", "NULL", "null",
  ]

  /// Whether a cell says that there is nothing: as in study files, and as people write it.
  static func isMissing(_ cell: String) -> Bool {
    missing.contains(cell)
  }

  private static let belowLimit: Set = [
    "<lod", "< lod", "<loq", "< loq", "<lloq", "< lloq", "lod", "blq", "bloq", "blod", "bql",
    "below lod", "<ng", "< ng",
  ]

  /// Whether a reading is said to be below the limit of detection, which stands elsewhere.
  static func isBelowLimit(_ cell: String) -> Bool { belowLimit.contains(cell.lowercased()) }

  /// The centimetres of `5'7"`, `5 ft 7 in` or `5 ft`; nil for any other text.
  static func feet(_ text: String) -> Double? {
    var rest = text.lowercased().trimmed
    for (word, sign) in [
      ("feet", "'"), ("foot", "'"), ("ft", "'"), ("inches", "\""), ("inch", "\""), ("in", "\""),
      ("′", "'"), ("’", "'"), ("″", "\""), ("”", "\""), ("''", "\""),
    ] {
      rest = rest.replacing(word, with: sign)
    }
    rest = rest.filter { !$0.isWhitespace }
    guard let mark = rest.firstIndex(of: "'"), let feet = number(String(rest[..<mark])),
      0..<9 ~= feet
    else { return nil }
    var tail = String(rest[rest.index(after: mark)...])
    if tail.hasSuffix("\"") { tail.removeLast() }
    guard let inches = tail.isEmpty ? 0 : number(tail), 0..<12 ~= inches else { return nil }
    return (feet * 12 + inches) * ColumnMeaning.inchInCentimetres
  }
}
