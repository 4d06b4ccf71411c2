package import StudyData

/// A table in a file, read record by record: CSV (RFC 4180), strictly, or an Arrow stream.
///
/// Fields may be quoted, a quote inside is doubled, and a quoted field may hold line ends. Lines end
/// in LF or CR LF. Blank lines are skipped, also those that hold only separators, which spreadsheets
/// leave behind. A record that is no CSV is thrown, and the one after it can still be read.
///
/// Nothing is copied and nothing allocated per record: a row is a list of offsets that is filled
/// anew. Of a file only a block is in memory at a time, checked to be text and converted to UTF-8 if it
/// is in another encoding; a record that the block cuts short is read again once the next one is there.
package final class CSVTable {
  /// The longest record that is taken in; more is most likely a quote that nobody closed.
  private static let longestRecord = 1 << 24

  package let row: CSVRow
  /// The encoding that the text was converted from, and where that began; nil for UTF-8.
  package private(set) var conversion: (encoding: TextEncoding, place: Place)?
  /// Whether ``row`` is one that has as many fields as the header.
  private(set) var hasRow = false
  /// Rows of a table of events that are left out.
  var comments: CommentRows?

  private let file: InputFile?
  private var arrow: ArrowRows?
  private var separator: UInt8?
  private var width = 0
  private var isConversionNoted = false
  private var hasBegun = false

  /// The text in memory, of which so much is filled, and so much of that known to be text.
  private var memory: UnsafeMutableRawPointer
  private var capacity = 0
  private var filled = 0
  private var end = 0
  /// Whether the text reaches to the end of the file.
  private var isAtEnd = false
  private var offset = 0
  private var converter: TextConverter?
  /// Whether all text so far is ASCII, so that it could be in any encoding.
  private var isASCII = true

  private var stops: StopCursor
  private var position = 0
  private var line = 1

  /// Begins to read a file; without one there is no row. Without a separator the header tells it.
  package init(_ file: InputFile?, called path: String? = nil, separator: CSVSeparator? = nil) {
    self.file = file
    self.separator = separator?.rawValue
    row = CSVRow(of: path ?? file?.path ?? "", origin: file?.origin)
    memory = Self.room(for: 0)
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
    noteConversion()
    width = row.count
    return Header(row, map: file.columns)
  }

  /// Goes to the next row as wide as the header, reporting the others and records that are no CSV.
  func next() {
    while true {
      do throws(CSVProblem) {
        hasRow = try nextRecord()
        if !hasRow { return noteConversion() }
        if comments?.take(row) ?? false { continue }
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

  /// Says, once, that the file was not UTF-8: before its rows if its first block shows it, else after them.
  private func noteConversion() {
    guard let conversion, !isConversionNoted else { return }
    isConversionNoted = true
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
      let (start, first) = (position, line)
      let problem = readRecord()
      // A record that has its line end is complete, and whoever waits for it need not wait for more.
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
    makeRoom(for: 2 * file.blockSize)
    var found: CSVSeparator?
    repeat {
      try advance(to: 0, line: 1)
      if separator != nil { break }
      found = CSVSeparator(
        ofHeaderIn: UnsafeRawBufferPointer(start: memory, count: end), isWhole: isAtEnd)
    } while found == nil
    let separator = separator ?? (found ?? .comma).rawValue
    self.separator = separator
    row.mayHaveCommas = separator != ASCII.comma
    lookForStops(from: 0)
  }

  private func lookForStops(from start: Int) {
    stops = StopCursor(in: memory, from: start, to: end, separator: separator ?? ASCII.comma)
  }

  /// Has more of the file in memory, from an offset on; false at the end, and after a problem.
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
    lookForStops(from: 0)
    return true
  }

  /// Reads a record up to its end, or to what is no CSV: that is given.
  @inline(__always)
  private func readRecord() -> CSVProblem? {
    // The cursor is in registers while it is in nobody else's hands.
    var stops = stops
    defer { self.stops = stops }
    let (text, end, separator) = (UnsafeRawPointer(memory), end, separator ?? ASCII.comma)
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
  private func byte(_ offset: Int) -> UInt8 { (memory + offset).load(as: UInt8.self) }

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

  /// A place that is no CSV; behind `next` the next line is looked for.
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
    lookForStops(from: position)
  }

  // MARK: Blocks

  /// Gives up the text before a record that begins in a line, and reads on behind the remainder.
  private func advance(to start: Int, line: Int) throws(CSVProblem) {
    drop(start)
    end -= start
    let place = Place(line: line, column: 1)
    guard filled < Self.longestRecord else { throw CSVProblem(kind: .endlessRecord, place: place) }
    repeat {
      try readBlock(at: place)
    } while offset < TextEncoding.beginning && !isAtEnd
    if end == 0, offset == filled { try convertBeginning() }
    let begin = place.advanced(over: UnsafeRawBufferPointer(start: memory, count: end))
    do throws(UTF8Text.Problem) {
      end += try UTF8Text.checkedLength(
        of: unchecked, from: begin, isWhole: isAtEnd, isASCII: &isASCII)
    } catch {
      // Letters that are UTF-8 came before, or the file ends within one: it is UTF-8, and damaged.
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
    if let encoding = TextEncoding(beginning: UnsafeRawBufferPointer(start: memory, count: filled))
    {
      guard convertRest(from: encoding, after: .start) else { throw notConvertible(at: .start) }
    }
    let text = UnsafeRawBufferPointer(start: memory, count: filled)
    if text.starts(with: [0xEF, 0xBB, 0xBF]) {
      drop(3)
      end = max(0, end - 3)
      isASCII = false  // The mark says what it is.
    }
  }

  /// Converts the unchecked text, and all that is read from now on; false if it is not in the encoding.
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
    makeRoom(for: text.count)
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
    makeRoom(for: file.blockSize)
    let room = UnsafeMutableRawBufferPointer(start: memory + filled, count: file.blockSize)
    let count: Int
    do throws(InputFile.ReadFailure) {
      count = try file.read(into: room, at: offset)
    } catch {
      throw CSVProblem(kind: .unreadable(error.reason), place: place)
    }
    offset += count
    isAtEnd = count == 0
    guard converter != nil else {
      filled += count
      return
    }
    let bytes = UnsafeRawBufferPointer(rebasing: room[..<count])
    guard let text = converter?.convert(bytes, isWhole: isAtEnd) else {
      throw notConvertible(at: place)
    }
    append(text)
  }

  private func drop(_ count: Int) {
    filled -= count
    if count > 0 { memory.copyMemory(from: memory + count, byteCount: filled) }
  }

  /// Room for a text, and behind it for the rest of a word that begins in it.
  private static func room(for capacity: Int) -> UnsafeMutableRawPointer {
    .allocate(byteCount: capacity + FieldWord.capacity, alignment: 16)
  }

  private func makeRoom(for count: Int) {
    guard capacity - filled < count else { return }
    capacity = max(2 * capacity, filled + count)
    let larger = Self.room(for: capacity)
    larger.copyMemory(from: memory, byteCount: filled)
    memory.deallocate()
    memory = larger
  }
}

/// A place that is no CSV.
package struct CSVProblem: Error, Equatable {
  let kind: FileProblem
  package let place: Place

  package var code: DiagnosticCode { kind.code }
  package var message: String { kind.message }
  package var remedy: String { kind.remedy }

  /// The refusal of the whole file.
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

  /// Whether a number is followed by a field of digits only, as `0,45` is where commas separate.
  private var hasSplitNumber: Bool {
    (1..<count).contains { index in
      let (whole, fraction) = (content(of: index - 1), content(of: index))
      return !fraction.isEmpty && fraction.allSatisfy(ASCII.isDigit)
        && (try? DecimalNumber.parse(whole)) != nil
    }
  }
}
