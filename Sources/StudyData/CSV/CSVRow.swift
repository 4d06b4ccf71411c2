/// One record of a CSV file: where its fields lie in the bytes being read.
///
/// It points into the reader's bytes and is good until the reader moves on.
struct CSVRow {
  /// Where a field's content lies, without its quotes.
  struct Field {
    var start: Int
    var end: Int
    var isQuoted: Bool
  }

  private var bytes: UnsafeRawBufferPointer
  private var start = 0
  private var line = 1
  /// The fields; what lies beyond `count` is left from longer records.
  private var fields: [Field] = []
  /// The number of fields.
  private(set) var count = 0
  /// Whether numbers may have a decimal comma, as they may where something else separates fields.
  let mayHaveCommas: Bool

  init(in bytes: UnsafeRawBufferPointer, separator: UInt8) {
    self.bytes = bytes
    mayHaveCommas = separator != ASCII.comma
  }

  /// Forgets the fields and begins a record.
  mutating func begin(in bytes: UnsafeRawBufferPointer, at start: Int, line: Int) {
    self.bytes = bytes
    self.start = start
    self.line = line
    count = 0
  }

  /// Adds a field.
  mutating func append(_ field: Field) {
    if count < fields.count {
      fields[count] = field
    } else {
      fields.append(field)
    }
    count += 1
  }

  /// A field's content without the blanks around it; doubled quotes are still doubled.
  func content(of index: Int) -> UnsafeRawBufferPointer {
    var (start, end) = (fields[index].start, fields[index].end)
    while start < end, ASCII.isBlank(bytes[start]) { start += 1 }
    while start < end, ASCII.isBlank(bytes[end - 1]) { end -= 1 }
    return UnsafeRawBufferPointer(rebasing: bytes[start..<end])
  }

  /// A field's content as text.
  func text(of index: Int) -> String {
    let content = content(of: index)
    guard fields[index].isQuoted, content.contains(ASCII.quote) else {
      return String(decoding: content, as: UTF8.self)
    }
    // Inside quotes every quote is one of a pair: keep the first of each.
    var keepsQuote = false
    let unescaped = content.filter { byte in
      keepsQuote = byte == ASCII.quote && !keepsQuote
      return byte != ASCII.quote || keepsQuote
    }
    return String(decoding: unescaped, as: UTF8.self)
  }

  /// Whether a field stands in quotes.
  func isQuoted(_ index: Int) -> Bool { fields[index].isQuoted }

  /// The number that a text in a field of the row stands for, no-break spaces around it apart.
  func parse(_ text: UnsafeRawBufferPointer) throws(DecimalNumber.Problem) -> Double {
    try DecimalNumber.parse(text.withoutNoBreakSpacesAround, mayHaveComma: mayHaveCommas)
  }

  /// Whether a field is empty, `.` or `NA`.
  func isMissing(_ index: Int) -> Bool {
    content(of: index).meansMissing
  }

  /// Whether the line holds nothing but blanks and separators.
  var isBlank: Bool {
    (0..<count).allSatisfy { !fields[$0].isQuoted && content(of: $0).isEmpty }
  }

  /// Where a field begins, its opening quote included.
  func place(of index: Int) -> Place {
    place(at: beginning(of: index))
  }

  /// Where all fields begin, counted in one go: headers may be wide.
  var places: [Place] {
    var (offset, place) = (start, Place(line: line, column: 1))
    return (0..<count).map { index in
      let beginning = beginning(of: index)
      place = place.advanced(over: bytes[offset..<beginning])
      offset = beginning
      return place
    }
  }

  /// The line the record begins in.
  var firstLine: Int { line }

  /// The place of a byte of the record.
  func place(at offset: Int) -> Place {
    Place(line: line, column: 1).advanced(over: bytes[start..<offset])
  }

  private func beginning(of index: Int) -> Int {
    fields[index].isQuoted ? fields[index].start - 1 : fields[index].start
  }
}

extension UnsafeRawBufferPointer {
  /// Whether a field's content says that there is none: nothing, `.` or `NA`.
  var meansMissing: Bool {
    switch count {
    case 0: true
    case 1: self[0] == ASCII.point
    case 2: self[0] == UInt8(ascii: "N") && self[1] == UInt8(ascii: "A")
    default: false
    }
  }
}
