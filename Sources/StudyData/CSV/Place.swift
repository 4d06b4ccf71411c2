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
  package func advanced(over text: Slice<UnsafeRawBufferPointer>) -> Place {
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
