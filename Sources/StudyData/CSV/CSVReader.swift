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
  private var bytes: UnsafeRawBufferPointer
  /// Whether nothing follows the bytes.
  private var isWhole: Bool
  private let separator: UInt8
  private let stops: StopBytes
  private var position = 0
  private var line = 1
  private let fields = CSVRow.Fields()

  /// The record read last.
  private(set) var row: CSVRow

  /// Begins to read UTF-8 text that is all in memory.
  init(_ bytes: UnsafeRawBufferPointer, separator: CSVSeparator) {
    blocks = nil
    self.bytes = bytes
    isWhole = true
    self.separator = separator.rawValue
    stops = StopBytes(separator: separator.rawValue)
    row = CSVRow(in: bytes, separator: self.separator, fields)
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
    isWhole = blocks.isAtEnd
    self.separator = known.rawValue
    stops = StopBytes(separator: known.rawValue)
    row = CSVRow(in: bytes, separator: self.separator, fields)
  }

  /// Reads the next record into `row`; false at the end.
  mutating func next() throws(CSVProblem) -> Bool {
    while true {
      guard position < bytes.count else {
        if try readOn() { continue }
        return false
      }
      let begin = (position, line)
      row.begin(in: bytes, at: position, line: line)
      if readPlainRecord() {
        if bytes[begin.0] <= ASCII.semicolon, row.isBlank { continue }
        return true
      }
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

  /// Reads a record as most are: all of it in memory, without a quote or a carriage return; false, with
  /// nothing changed, if it is not so.
  @inline(__always)
  private mutating func readPlainRecord() -> Bool {
    let (text, room) = (bytes, row.room)
    var (start, offset, count) = (position, position, 0)
    var isASCII = true
    while offset + 8 <= text.count {
      let word = text.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      isASCII = isASCII && word & StopBytes.highs == 0
      var found = stops.matches(in: UInt64(littleEndian: word))
      while found != 0 {
        let stop = offset + found.trailingZeroBitCount / 8
        let byte = text[stop]
        guard byte == separator || byte == ASCII.lineFeed, count < room.count else { return false }
        room[count] = CSVRow.Field(start: start, end: stop, isQuoted: false)
        count += 1
        start = stop + 1
        if byte == ASCII.lineFeed {
          row.end(count, isASCII: isASCII)
          position = start
          line += 1
          return true
        }
        found &= found &- 1
      }
      offset += 8
    }
    return false
  }

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
    row.append(field, fields)
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

/// What makes a record of a CSV file unreadable, and where.
struct CSVProblem: Error, Equatable {
  /// The kinds of trouble.
  enum Kind: Equatable {
    /// A quoted field that the file ends in.
    case unterminatedQuote
    /// Text between a field's closing quote and the next separator.
    case textAfterQuote
    /// A quote inside a field that does not begin with one.
    case strayQuote
    /// A carriage return that no line feed follows.
    case loneCarriageReturn
    /// A record that is longer than any table's.
    case endlessRecord
    /// Bytes that are not UTF-8, with what they are; nothing after them is read.
    case noText(String)
    /// A file that cannot be read on, with the reason.
    case unreadable(String)
  }

  var kind: Kind
  var place: Place
}

extension CSVProblem {
  var code: DiagnosticCode {
    switch kind {
    case .unterminatedQuote, .textAfterQuote, .strayQuote, .endlessRecord: .quote
    case .loneCarriageReturn: .lineEnd
    case .noText: .encoding
    case .unreadable: .fileUnreadable
    }
  }

  var message: String {
    switch kind {
    case .unterminatedQuote: "the quote that opens here is never closed"
    case .textAfterQuote: "text follows the quote that closes a field"
    case .strayQuote: "a quote stands inside a field that does not begin with one"
    case .loneCarriageReturn: "a carriage return stands alone"
    case .endlessRecord: "the row that begins here does not end within 16 MiB"
    case .noText(let found): found
    case .unreadable(let reason): "the rest of the file cannot be read: \(reason)"
    }
  }

  var remedy: String {
    switch kind {
    case .unterminatedQuote: "close the field with a quote"
    case .textAfterQuote, .strayQuote:
      "put quotes around the whole field and double those inside it"
    case .loneCarriageReturn: "end lines with LF or CR LF"
    case .endlessRecord: "look for a quote that is not closed"
    case .noText: "save the file as UTF-8 text"
    case .unreadable: "make it a readable file"
    }
  }
}
