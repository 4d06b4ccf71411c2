import StudyData

/// The text of a file, of which only as much is in memory as is being read.
///
/// It is read in blocks, checked to be text, converted to UTF-8 if it is in another encoding, and given up
/// once it has been used. A class because it owns the memory, which readers point into.
final class TextBlocks {
  /// The longest record that is taken in; more is most likely a quote that nobody closed.
  private static let longestRecord = 1 << 24

  /// Whether the text reaches to the end of the file.
  private(set) var isAtEnd = false
  /// What the text was converted from, and where that began; nil for UTF-8.
  private(set) var conversion: (encoding: TextEncoding, place: Place)?

  private let file: InputFile
  private var offset = 0
  private var memory: UnsafeMutableRawPointer
  private var capacity: Int
  /// How much of the memory is filled, and how much of that is known to be text.
  private var (filled, checked) = (0, 0)
  private var converter: TextConverter?
  /// Whether all text so far is ASCII, so that it could be in any encoding.
  private var isASCII = true

  init(_ file: InputFile) {
    self.file = file
    capacity = 2 * file.blockSize
    memory = Self.room(for: capacity)
  }

  deinit {
    memory.deallocate()
  }

  /// Where the text in memory begins, and how long it is; good until more is read.
  var text: (start: UnsafeRawPointer, count: Int) { (UnsafeRawPointer(memory), checked) }

  /// Gives up the text before a record and reads on behind the remainder.
  ///
  /// - Parameters:
  ///   - start: Where the record begins that is not complete yet.
  ///   - line: The line it begins in.
  func advance(to start: Int, line: Int) throws(CSVProblem) {
    drop(start)
    checked -= start
    let place = Place(line: line, column: 1)
    guard filled < Self.longestRecord else {
      throw CSVProblem(kind: .endlessRecord, place: place)
    }
    repeat {
      try readBlock(at: place)
    } while offset < TextEncoding.beginning && !isAtEnd
    if checked == 0, offset == filled { try begin() }
    let begin = place.advanced(over: UnsafeRawBufferPointer(start: memory, count: checked))
    do throws(UTF8Text.Problem) {
      checked += try UTF8Text.checkedLength(
        of: unchecked, from: begin, isWhole: isAtEnd, isASCII: &isASCII)
    } catch {
      // Letters that are UTF-8 came before, or the file ends within one: it is UTF-8, and damaged.
      guard converter == nil, isASCII, !(isAtEnd && unchecked.endsWithinScalar),
        convertRest(from: .windows1252, after: begin)
      else { throw CSVProblem(kind: .noText(error.message), place: error.place) }
    }
  }

  private var unchecked: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: memory + checked, count: filled - checked)
  }

  /// Drops a byte order mark, and converts the first block if it is UTF-16.
  private func begin() throws(CSVProblem) {
    let bytes = UnsafeRawBufferPointer(start: memory, count: filled)
    if let encoding = TextEncoding(beginning: bytes) {
      guard convertRest(from: encoding, after: .start) else { throw notConvertible(at: .start) }
    }
    let text = UnsafeRawBufferPointer(start: memory, count: filled)
    if text.starts(with: [0xEF, 0xBB, 0xBF]) {
      drop(3)
      checked = max(0, checked - 3)
      isASCII = false  // The mark says what it is.
    }
  }

  /// Converts what is in memory and not checked, and from now on all that is read; false, and nothing is
  /// changed, if it is not in the encoding.
  private func convertRest(from encoding: TextEncoding, after start: Place) -> Bool {
    let ascii = unchecked.prefix { 1..<0x80 ~= $0 }
    var converter = TextConverter(encoding)
    guard let text = converter.convert(unchecked, isWhole: isAtEnd) else { return false }
    self.converter = converter
    conversion = (encoding, encoding == .windows1252 ? start.advanced(over: ascii) : .start)
    filled = checked
    append(text)
    checked = filled
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
    makeRoom(for: file.blockSize)
    let room = UnsafeMutableRawBufferPointer(start: memory + filled, count: file.blockSize)
    let count: Int
    do throws(OpenFile.Failure) {
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
