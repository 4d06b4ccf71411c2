package import StudyData

/// Reads CSV (RFC 4180) record by record over raw bytes, strictly.
///
/// Fields may be quoted, a quote inside is doubled, and a quoted field may hold line ends. Lines end
/// in LF or CR LF. Blank lines are skipped, also those that hold only separators, which spreadsheets
/// leave behind. What is not CSV is thrown, and the record after it can still be read.
///
/// Nothing is copied and nothing allocated per record: a row is a list of offsets that is filled
/// anew. Of a file only a block is in memory at a time; a record that the block cuts short is read
/// again once the next one is there.
package final class CSVReader {
  package let row: CSVRow

  /// What the text was converted from, and where that began; nil for UTF-8.
  package var conversion: (encoding: TextEncoding, place: Place)? { blocks.conversion }

  private let blocks: TextBlocks
  private var text: UnsafeRawPointer
  private var end: Int
  private var isWhole: Bool
  private let separator: UInt8
  private var stops: StopCursor
  private var position = 0
  private var line = 1

  /// Begins to read a file.
  ///
  /// - Parameter given: What separates its fields; nil if the header is to tell.
  package init(_ file: InputFile, separator given: CSVSeparator? = nil) throws(CSVProblem) {
    blocks = TextBlocks(file)
    var found: CSVSeparator?
    repeat {
      try blocks.advance(to: 0, line: 1)
      (text, end) = blocks.text
      found =
        given
        ?? CSVSeparator(
          ofHeaderIn: UnsafeRawBufferPointer(start: text, count: end), isWhole: blocks.isAtEnd)
    } while found == nil
    separator = (found ?? .comma).rawValue
    isWhole = blocks.isAtEnd
    stops = StopCursor(in: text, from: 0, to: end, separator: separator)
    row = CSVRow(in: text, separator: separator, origin: file.origin)
  }

  package func next() throws(CSVProblem) -> Bool {
    while true {
      guard position < end else {
        if try readOn(from: position) { continue }
        return false
      }
      let begin = (position, line)
      let problem = readRecord()
      // A record that has its line end is complete, and whoever waits for it need not wait for more.
      let isComplete = problem == nil && byte(position - 1) == ASCII.lineFeed
      if !isComplete, position >= end, !isWhole {
        line = begin.1
        if try readOn(from: begin.0) { continue }
      }
      if let problem {
        try skipLine()
        throw problem
      }
      if byte(begin.0) > ASCII.semicolon || !row.isBlank { return true }
    }
  }

  /// Has more of the file in memory, from an offset on; false if there is no more. After a problem there
  /// is none.
  private func readOn(from start: Int) throws(CSVProblem) -> Bool {
    guard !isWhole else { return false }
    position = end
    isWhole = true
    try blocks.advance(to: start, line: line)
    (text, end) = blocks.text
    isWhole = blocks.isAtEnd
    position = 0
    stops = StopCursor(in: text, from: 0, to: end, separator: separator)
    return true
  }

  /// Reads a record up to its end, or to what is no CSV: that is given.
  @inline(__always)
  private func readRecord() -> CSVProblem? {
    // The cursor is in registers while it is in nobody else's hands.
    var stops = stops
    defer { self.stops = stops }
    let (text, end, separator) = (text, end, separator)
    var fields = row.begin(in: text, at: position, line: line)
    var (start, count, isOneLine) = (position, 0, true)
    stops.beginRecord()
    while true {
      var stop = stops.next()
      var field = CSVRow.Field(start: text + start, count: stop &- start, form: .text)
      if stop == start, stop < end, byte(stop) == ASCII.quote {
        let before = line
        guard let close = endOfQuote(&stops) else {
          return problem(.unterminatedQuote, at: start, goingOnAt: end)
        }
        isOneLine = isOneLine && line == before
        field = CSVRow.Field(start: text + start + 1, count: close - start - 1, form: .quoted)
        stop = stops.next()
        guard stop == close + 1 else { return problem(.textAfterQuote, at: close + 1) }
      }
      if count == fields.count { fields = row.grow() }
      fields[count] = field
      count &+= 1
      start = stop &+ 1
      guard stop < end else {
        position = stop
        break
      }
      let last = byte(stop)
      if last == separator { continue }
      if last == ASCII.lineFeed {
        position = start
        break
      }
      guard last == ASCII.carriageReturn else { return problem(.strayQuote, at: stop) }
      guard start == end || byte(start) == ASCII.lineFeed else {
        return problem(.loneCarriageReturn, at: stop)
      }
      position = min(stops.next() + 1, end)
      break
    }
    line += 1
    row.end(count, isASCII: isOneLine && stops.isASCII)
    return nil
  }

  @inline(__always)
  private func byte(_ offset: Int) -> UInt8 { (text + offset).load(as: UInt8.self) }

  /// Goes behind the quote that closes a field, and says where it is; nil if there is none.
  private func endOfQuote(_ stops: inout StopCursor) -> Int? {
    while true {
      let stop = stops.next()
      guard stop < end else { return nil }
      if byte(stop) == ASCII.lineFeed { line += 1 }
      guard byte(stop) == ASCII.quote else { continue }
      guard stop + 1 < end, byte(stop + 1) == ASCII.quote else { return stop }
      _ = stops.next()
    }
  }

  /// What is no CSV, at an offset behind which the next line is looked for.
  private func problem(
    _ kind: FileProblem, at offset: Int, goingOnAt next: Int? = nil
  ) -> CSVProblem {
    position = next ?? offset
    return CSVProblem(kind: kind, place: row.place(at: offset))
  }

  private func skipLine() throws(CSVProblem) {
    while true {
      while position < end, byte(position) != ASCII.lineFeed { position += 1 }
      guard position == end, try readOn(from: position) else { break }
    }
    position = min(position + 1, end)
    line += 1
    stops = StopCursor(in: text, from: position, to: end, separator: separator)
  }
}

/// What is no CSV, and where.
package struct CSVProblem: Error, Equatable {
  let kind: FileProblem
  package let place: Place

  package var code: DiagnosticCode { kind.code }
  package var message: String { kind.message }
  package var remedy: String { kind.remedy }

  /// What refuses the whole file.
  package func refusal(of path: String) -> StudyError { kind.refusal(of: path, at: place) }
}
