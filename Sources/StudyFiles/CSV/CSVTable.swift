package import StudyData

/// Reads a table record by record: strict CSV (RFC 4180), or an Arrow stream.
///
/// Fields may be quoted; quotes inside are doubled, and a quoted field may contain line ends. Lines end in LF or CR LF.
/// Blank lines are skipped, including those with only separators, which spreadsheets leave behind. After an error in a
/// record, reading can continue with the next one.
///
/// Nothing is copied or allocated per record: the row is reused. One block of the file is in memory at a time, validated
/// as text and converted to UTF-8 if necessary; a record cut at the end of a block is parsed again with the next block.
package final class CSVTable {
  /// The maximum size of a record; a longer one is most likely an unclosed quote.
  private static let longestRecord = 1 << 24

  package let row: CSVRow
  /// The original encoding, and the place where conversion began; nil for UTF-8.
  package private(set) var conversion: (encoding: TextEncoding, place: Place)?
  /// Whether ``row`` holds a row with as many fields as the header.
  private(set) var hasRow = false
  /// The comment rows of a table of events, which are skipped.
  var comments: CommentRows?

  private let file: InputFile?
  private var arrow: ArrowRows?
  private var separator: UInt8?
  private var width = 0
  private var isConversionReported = false
  private var hasBegun = false

  /// The buffer: `filled` bytes are read, and the first `end` of them validated as text.
  private var memory: UnsafeMutableRawPointer
  private var capacity = 0
  private var filled = 0
  private var end = 0
  /// Whether the buffer extends to the end of the file.
  private var isAtEnd = false
  private var offset = 0
  private var converter: TextConverter?
  /// Whether all text so far is ASCII, and so compatible with any encoding.
  private var isASCII = true

  private var stops: StopCursor
  private var position = 0
  private var line = 1

  /// Begins to read a file; without a file there are no rows. Without a separator it is detected in the header.
  package init(_ file: InputFile?, called path: String? = nil, separator: CSVSeparator? = nil) {
    self.file = file
    self.separator = separator?.rawValue
    row = CSVRow(of: path ?? file?.path ?? "", origin: file?.origin)
    memory = Self.allocate(0)
    stops = StopCursor(in: memory, from: 0, to: 0, separator: ASCII.comma)
  }

  deinit { memory.deallocate() }

  // MARK: Rows

  /// Reads the header; nil, with the reason in the log, if there is none that can be read.
  func readHeader() -> Header? {
    guard let file else { return nil }
    do throws(CSVProblem) {
      guard try nextRecord() else {
        row.log.add(
          .emptyFile, at: nil, "the file is empty",
          remedy: "begin it with a header that names the columns")
        return nil
      }
    } catch {
      add(error)
      return nil
    }
    reportConversion()
    width = row.count
    return Header(row, map: file.columns)
  }

  /// Advances to the next row as wide as the header; reports other rows and invalid records.
  func next() {
    while true {
      do throws(CSVProblem) {
        hasRow = try nextRecord()
        if !hasRow { return reportConversion() }
        if comments?.countIfComment(row) ?? false { continue }
        if row.count == width { return }
        row.reportCount(width)
      } catch {
        add(error)
      }
    }
  }

  func add(_ problem: CSVProblem) {
    row.log.add(problem.code, at: problem.place, problem.message, remedy: problem.remedy)
  }

  /// Reports once that the file was not UTF-8: before its rows if the first block shows it, otherwise after them.
  private func reportConversion() {
    guard let conversion, !isConversionReported else { return }
    isConversionReported = true
    row.log.add(row.log.conversion(from: conversion.encoding, at: conversion.place))
  }

  // MARK: Records

  package func nextRecord() throws(CSVProblem) -> Bool {
    if !hasBegun { try begin() }
    if let arrow { return try arrow.next(row) }
    while true {
      guard position < end else {
        if try readOn(from: position) { continue }
        return false
      }
      let start = position
      let first = line
      let problem = readRecord()
      // A record with its line end is complete: with standard input, waiting for more would delay it.
      let isComplete = problem == nil && byte(position - 1) == ASCII.lineFeed
      if !isComplete, position >= end, !isAtEnd {
        line = first
        if try readOn(from: start) { continue }
      }
      if let problem {
        try skipLine()
        throw problem
      }
      if byte(start) > ASCII.semicolon || !row.isBlank { return true }
    }
  }

  private func begin() throws(CSVProblem) {
    hasBegun = true
    guard let file else {
      isAtEnd = true
      return
    }
    guard !file.isArrow else {
      arrow = try ArrowRows(file)
      return
    }
    reserve(2 * file.blockSize)
    var detected: CSVSeparator?
    repeat {
      try advance(to: 0, line: 1)
      if separator != nil { break }
      detected = CSVSeparator(
        ofHeaderIn: UnsafeRawBufferPointer(start: memory, count: end), isWhole: isAtEnd)
    } while detected == nil
    let separator = separator ?? (detected ?? .comma).rawValue
    self.separator = separator
    row.mayHaveCommas = separator != ASCII.comma
    resetStops(from: 0)
  }

  private func resetStops(from start: Int) {
    stops = StopCursor(in: memory, from: start, to: end, separator: separator ?? ASCII.comma)
  }

  /// Reads more of the file, keeping the text from an offset on; false at the end, and after an error.
  private func readOn(from start: Int) throws(CSVProblem) -> Bool {
    guard !isAtEnd else { return false }
    do throws(CSVProblem) {
      try advance(to: start, line: line)
    } catch {
      isAtEnd = true
      position = end
      throw error
    }
    position = 0
    resetStops(from: 0)
    return true
  }

  /// Parses a record; returns the error if it is invalid, otherwise nil.
  @inline(__always)
  private func readRecord() -> CSVProblem? {
    // A local copy of the cursor is kept in registers.
    var stops = stops
    defer { self.stops = stops }
    let text = UnsafeRawPointer(memory)
    let end = end
    let separator = separator ?? ASCII.comma
    var fields = row.begin(in: text, at: position, line: line)
    var start = position
    var count = 0
    var isOneLine = true
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
  private func byte(_ offset: Int) -> UInt8 { (memory + offset).load(as: UInt8.self) }

  /// Advances past the closing quote of a field and returns its offset; nil if there is none.
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

  /// Returns an error at an offset, and sets the position from which the next line is searched.
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
    resetStops(from: position)
  }

  // MARK: Blocks

  /// Discards the text before a record and reads the next block after the remainder.
  private func advance(to start: Int, line: Int) throws(CSVProblem) {
    drop(start)
    end -= start
    let start = Place(line: line, column: 1)
    guard filled < Self.longestRecord else { throw CSVProblem(kind: .endlessRecord, place: start) }
    repeat {
      try readBlock(at: start)
    } while offset < TextEncoding.beginning && !isAtEnd
    if end == 0, offset == filled { try convertBeginning() }
    let begin = start.advanced(over: UnsafeRawBufferPointer(start: memory, count: end))
    do throws(UTF8Text.Problem) {
      end += try UTF8Text.checkedLength(
        of: unchecked, from: begin, isWhole: isAtEnd, isASCII: &isASCII)
    } catch {
      // If valid UTF-8 beyond ASCII came before, or the file ends within a character, it is damaged UTF-8.
      guard converter == nil, isASCII, !(isAtEnd && unchecked.endsWithinScalar),
        convertRest(from: .windows1252, after: begin)
      else { throw CSVProblem(kind: .noText(error.message), place: error.place) }
    }
  }

  private var unchecked: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: memory + end, count: filled - end)
  }

  /// Drops a byte order mark, and converts the first block if it is UTF-16.
  private func convertBeginning() throws(CSVProblem) {
    let beginning = UnsafeRawBufferPointer(start: memory, count: filled)
    if let problem = FileProblem.otherKind(beginning: beginning) {
      throw CSVProblem(kind: problem, place: .start)
    }
    if let encoding = TextEncoding(beginning: beginning) {
      guard convertRest(from: encoding, after: .start) else { throw notConvertible(at: .start) }
    }
    let text = UnsafeRawBufferPointer(start: memory, count: filled)
    if text.starts(with: [0xEF, 0xBB, 0xBF]) {
      drop(3)
      end = max(0, end - 3)
      isASCII = false  // The mark determines the encoding.
    }
  }

  /// Converts the unchecked text and all further blocks; false if the text is not in the encoding.
  private func convertRest(from encoding: TextEncoding, after start: Place) -> Bool {
    let ascii = unchecked.prefix { 1..<0x80 ~= $0 }
    var converter = TextConverter(encoding)
    guard let text = converter.convert(unchecked, isWhole: isAtEnd) else { return false }
    self.converter = converter
    conversion = (encoding, encoding == .windows1252 ? start.advanced(over: ascii) : .start)
    filled = end
    append(text)
    end = filled
    return true
  }

  private func append(_ text: [UInt8]) {
    reserve(text.count)
    text.withUnsafeBytes { text in
      if let start = text.baseAddress {
        (memory + filled).copyMemory(from: start, byteCount: text.count)
      }
    }
    filled += text.count
  }

  private func notConvertible(at place: Place) -> CSVProblem {
    let name = converter?.encoding.name ?? TextEncoding.utf16(isBigEndian: false).name
    return CSVProblem(
      kind: .noText("the file begins as \(name), but goes on otherwise"), place: place)
  }

  private func readBlock(at place: Place) throws(CSVProblem) {
    guard let file else { return }
    reserve(file.blockSize)
    let block = UnsafeMutableRawBufferPointer(start: memory + filled, count: file.blockSize)
    let count: Int
    do throws(InputFile.ReadFailure) {
      count = try file.read(into: block, at: offset)
    } catch {
      throw CSVProblem(kind: .unreadable(error.reason), place: place)
    }
    offset += count
    isAtEnd = count == 0
    guard converter != nil else {
      filled += count
      return
    }
    let bytes = UnsafeRawBufferPointer(rebasing: block[..<count])
    guard let text = converter?.convert(bytes, isWhole: isAtEnd) else {
      throw notConvertible(at: place)
    }
    append(text)
  }

  private func drop(_ count: Int) {
    filled -= count
    if count > 0 { memory.copyMemory(from: memory + count, byteCount: filled) }
  }

  /// Allocates a buffer with padding, so that a whole word can be read at its last byte.
  private static func allocate(_ capacity: Int) -> UnsafeMutableRawPointer {
    .allocate(byteCount: capacity + FieldWord.capacity, alignment: 16)
  }

  private func reserve(_ count: Int) {
    guard capacity - filled < count else { return }
    capacity = max(2 * capacity, filled + count)
    let larger = Self.allocate(capacity)
    larger.copyMemory(from: memory, byteCount: filled)
    memory.deallocate()
    memory = larger
  }
}

/// An error in a CSV file, with its place.
package struct CSVProblem: Error, Equatable {
  let kind: FileProblem
  package let place: Place

  package var code: DiagnosticCode { kind.code }
  package var message: String { kind.message }
  package var remedy: String { kind.remedy }

  /// Returns the error that rejects the whole file.
  package func refusal(of path: String) -> StudyError { kind.refusal(of: path, at: place) }
}

extension CSVRow {
  /// Reports that the row has another number of fields than the header.
  @inline(never)
  fileprivate func reportCount(_ expected: Int) {
    let looksLikeComma = count > expected && hasSplitNumber
    let location = SourceLocation(file: log.file, line: firstLine)
    log.add(
      Diagnostic(
        .csv, at: location,
        message: "the row has \(count) fields and the header \(expected)",
        remedy: looksLikeComma
          ? "write numbers with a decimal point; a decimal comma seems to split a number"
          : "give every row one field per column, empty where a value is missing"))
  }

  /// Whether a number is followed by a field of digits only, as when `0,45` is split at the comma.
  private var hasSplitNumber: Bool {
    (1..<count).contains { index in
      let whole = content(of: index - 1)
      let fraction = content(of: index)
      return !fraction.isEmpty && fraction.allSatisfy(ASCII.isDigit)
        && (try? DecimalNumber.parse(whole)) != nil
    }
  }
}
