/// Reads CSV (RFC 4180) record by record over raw bytes, strictly.
///
/// Fields may be quoted, a quote inside is doubled, and a quoted field may hold line ends. Lines end
/// in LF or CR LF. Blank lines are skipped, also those that hold only separators, which spreadsheets
/// leave behind. What is not CSV is thrown, and the record after it can still be read.
///
/// Nothing is copied and nothing allocated per record: a row is a list of offsets that is filled
/// anew. Of a file only a block is in memory at a time; a record that the block cuts short is read
/// again once the next one is there.
struct CSVReader {
  private let blocks: TextBlocks?
  private var bytes: UnsafeRawBufferPointer {
    didSet { endOfLines = Self.endOfLines(in: bytes) }
  }
  /// Where the last line ends that is whole.
  private var endOfLines: Int
  /// Whether nothing follows the bytes.
  private var isWhole: Bool
  private var separator: UInt8
  private var stops: StopBytes
  private var position = 0
  private var line = 1
  /// Where the record begins, or what follows if it has been skipped.
  private var begin = (position: 0, line: 1)

  /// The record read last.
  private(set) var row: CSVRow

  /// Begins to read UTF-8 text that is all in memory.
  init(_ bytes: UnsafeRawBufferPointer, separator: CSVSeparator) {
    blocks = nil
    self.bytes = bytes
    endOfLines = Self.endOfLines(in: bytes)
    isWhole = true
    self.separator = separator.rawValue
    stops = StopBytes(separator: separator.rawValue)
    row = CSVRow(in: bytes, separator: self.separator)
  }

  /// Begins to read a file, whose header tells what separates its fields.
  init(_ file: InputFile) throws(CSVProblem) {
    let blocks = TextBlocks(file)
    var separator: CSVSeparator?
    repeat {
      try blocks.advance(to: 0, line: 1)
      separator = CSVSeparator(ofHeaderIn: blocks.text, isWhole: blocks.isAtEnd)
    } while separator == nil
    let known = separator ?? .comma
    self.blocks = blocks
    bytes = blocks.text
    endOfLines = Self.endOfLines(in: bytes)
    isWhole = blocks.isAtEnd
    self.separator = known.rawValue
    stops = StopBytes(separator: known.rawValue)
    row = CSVRow(in: bytes, separator: self.separator)
  }

  /// Reads the next record into `row`; false at the end.
  mutating func next() throws(CSVProblem) -> Bool {
    while true {
      guard position < bytes.count else {
        if try readOn() { continue }
        return false
      }
      begin = (position, line)
      row.begin(in: bytes, at: position, line: line)
      var problem: CSVProblem?
      do throws(CSVProblem) {
        try readRecord()
      } catch {
        problem = error
      }
      // A record that has its line end is complete, and whoever waits for it need not wait for more.
      let isComplete = problem == nil && bytes[position - 1] == ASCII.lineFeed
      if position >= bytes.count, !isWhole, !isComplete {
        (position, line) = begin
        if try readOn() { continue }
      }
      if let problem {
        try skipLine()
        throw problem
      }
      if !row.isBlank { return true }
    }
  }

  /// Lets somebody else read whole rows that follow the record, as far as they are in memory.
  ///
  /// - Parameter read: Gets what follows and the line it begins in; says how much it has read.
  mutating func readOn(_ read: (inout PlainFields, Int) -> PlainSpan) {
    var fields = fields(from: position)
    let span = read(&fields, line)
    position += span.bytes
    line += span.rows
  }

  /// The rows from the record on, as far as they are in memory.
  var fields: PlainFields { fields(from: begin.position) }

  /// Leaves out rows that somebody else has read, from the record on.
  mutating func skip(_ span: PlainSpan) {
    begin = (begin.position + span.bytes, begin.line + span.rows)
    (position, line) = begin
  }

  private static func endOfLines(in text: UnsafeRawBufferPointer) -> Int {
    text.lastIndex(of: ASCII.lineFeed).map { $0 + 1 } ?? 0
  }

  private func fields(from start: Int) -> PlainFields {
    PlainFields(
      UnsafeRawBufferPointer(rebasing: bytes[start..<max(start, endOfLines)]),
      separator: separator)
  }

  /// Has more of the file in memory; false if there is no more. After a problem there is none.
  private mutating func readOn() throws(CSVProblem) -> Bool {
    guard let blocks, !isWhole else { return false }
    let start = position
    position = bytes.count
    isWhole = true
    try blocks.advance(to: start, line: line)
    bytes = blocks.text
    isWhole = blocks.isAtEnd
    position = 0
    return true
  }

  @inline(__always)
  private mutating func readRecord() throws(CSVProblem) {
    repeat {
      if position < bytes.count, bytes[position] == ASCII.quote {
        try readQuotedField()
      } else {
        try readPlainField()
      }
    } while skipSeparator()
    skipLineEnd()
  }

  @inline(__always)
  private mutating func readPlainField() throws(CSVProblem) {
    let start = position
    position = stops.next(in: bytes, from: start)
    let field = CSVRow.Field(start: start, end: position, isQuoted: false)
    try endField(field, else: .strayQuote)
  }

  private mutating func readQuotedField() throws(CSVProblem) {
    let start = position + 1
    position = start
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      if byte == ASCII.lineFeed { line += 1 }
      guard byte == ASCII.quote else { continue }
      if position < bytes.count, bytes[position] == ASCII.quote {
        position += 1
        continue
      }
      let field = CSVRow.Field(start: start, end: position - 1, isQuoted: true)
      return try endField(field, else: .textAfterQuote)
    }
    throw CSVProblem(kind: .unterminatedQuote, place: row.place(at: start - 1))
  }

  @inline(__always)
  private mutating func endField(
    _ field: CSVRow.Field, else kind: CSVProblem.Kind
  ) throws(CSVProblem) {
    guard isAtFieldEnd else { throw problem(kind) }
    row.append(field)
  }

  /// A field ends before a separator, a line end or the end of the text, and nowhere else.
  @inline(__always)
  private var isAtFieldEnd: Bool {
    guard position < bytes.count else { return true }
    let byte = bytes[position]
    if byte == separator || byte == ASCII.lineFeed { return true }
    let next = position + 1
    return byte == ASCII.carriageReturn
      && (next == bytes.count || bytes[next] == ASCII.lineFeed)
  }

  private func problem(_ kind: CSVProblem.Kind) -> CSVProblem {
    let isReturn = bytes[position] == ASCII.carriageReturn
    return CSVProblem(
      kind: isReturn ? .loneCarriageReturn : kind, place: row.place(at: position))
  }

  @inline(__always)
  private mutating func skipSeparator() -> Bool {
    guard position < bytes.count, bytes[position] == separator else { return false }
    position += 1
    return true
  }

  private mutating func skipLineEnd() {
    if position < bytes.count, bytes[position] == ASCII.carriageReturn { position += 1 }
    if position < bytes.count { position += 1 }
    line += 1
  }

  private mutating func skipLine() throws(CSVProblem) {
    while true {
      while position < bytes.count, bytes[position] != ASCII.lineFeed { position += 1 }
      guard position == bytes.count, try readOn() else { break }
    }
    skipLineEnd()
  }
}
