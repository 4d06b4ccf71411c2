/// The text of a file, of which only as much is in memory as is being read.
///
/// It is read in blocks, checked to be text, and given up once it has been used. A class because it
/// owns the memory, which readers point into.
final class TextBlocks {
  /// The longest record that is taken in; more is most likely a quote that nobody closed.
  private static let longestRecord = 1 << 24

  /// Whether the text reaches to the end of the file.
  private(set) var isAtEnd = false

  private let file: InputFile
  /// The offset in the file of what is read next.
  private var offset = 0
  private var memory: UnsafeMutableRawPointer
  private var capacity: Int
  /// How much of the memory is filled, and how much of that is known to be text.
  private var (filled, checked) = (0, 0)

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

  /// Gives up the text before a record and reads on behind what is left.
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
    } while offset < UTF8Text.markLength && !isAtEnd
    do throws(UTF8Text.Problem) {
      if checked == 0, offset == filled {
        drop(try UTF8Text.lengthOfMark(in: UnsafeRawBufferPointer(start: memory, count: filled)))
      }
      let rest = UnsafeRawBufferPointer(start: memory + checked, count: filled - checked)
      let begin = place.advanced(over: UnsafeRawBufferPointer(start: memory, count: checked))
      checked += try UTF8Text.checkedLength(of: rest, from: begin, isWhole: isAtEnd)
    } catch {
      throw CSVProblem(kind: .noText(error.message), place: error.place)
    }
  }

  private func readBlock(at place: Place) throws(CSVProblem) {
    makeRoom()
    let room = UnsafeMutableRawBufferPointer(start: memory + filled, count: file.blockSize)
    do throws(OpenFile.Failure) {
      let count = try file.read(into: room, at: offset)
      offset += count
      filled += count
      isAtEnd = count == 0
    } catch {
      throw CSVProblem(kind: .unreadable(error.reason), place: place)
    }
  }

  private func drop(_ count: Int) {
    filled -= count
    if count > 0 { memory.copyMemory(from: memory + count, byteCount: filled) }
  }

  /// Room for a text, and behind it for the rest of a word that begins in it.
  private static func room(for capacity: Int) -> UnsafeMutableRawPointer {
    .allocate(byteCount: capacity + FieldWord.capacity, alignment: 16)
  }

  private func makeRoom() {
    guard capacity - filled < file.blockSize else { return }
    capacity *= 2
    let larger = Self.room(for: capacity)
    larger.copyMemory(from: memory, byteCount: filled)
    memory.deallocate()
    memory = larger
  }
}

/// A line and a column in a file that is understood; kept for every reading, so kept small.
package struct Place: Hashable {
  /// Where a text begins.
  package static let start = Place(line: 1, column: 1)

  private var packedLine: UInt32
  private var packedColumn: UInt32

  package init(line: Int, column: Int) {
    packedLine = UInt32(clamping: line)
    packedColumn = UInt32(clamping: column)
  }

  package var line: Int { Int(packedLine) }
  package var column: Int { Int(packedColumn) }

  /// The place after some more text.
  package func advanced(over text: some Sequence<UInt8>) -> Place {
    var (line, column) = (line, column)
    for byte in text {
      if byte == ASCII.lineFeed {
        line += 1
        column = 1
      } else if byte & 0xC0 != 0x80 {  // Bytes that continue a character are no columns.
        column += 1
      }
    }
    return Place(line: line, column: column)
  }
}

extension SourceLocation {
  /// The place in a file.
  init(file: String, place: Place) {
    self.init(file: file, line: place.line, column: place.column)
  }
}
