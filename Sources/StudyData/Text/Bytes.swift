/// The bytes that readers compare with; inlinable for other modules.
package enum ASCII {
  @inlinable package static var tab: UInt8 { UInt8(ascii: "\t") }
  @inlinable package static var lineFeed: UInt8 { UInt8(ascii: "\n") }
  @inlinable package static var carriageReturn: UInt8 { UInt8(ascii: "\r") }
  @inlinable package static var space: UInt8 { UInt8(ascii: " ") }
  @inlinable package static var slash: UInt8 { UInt8(ascii: "/") }
  @inlinable package static var quote: UInt8 { UInt8(ascii: "\"") }
  @inlinable package static var plus: UInt8 { UInt8(ascii: "+") }
  @inlinable package static var comma: UInt8 { UInt8(ascii: ",") }
  @inlinable package static var minus: UInt8 { UInt8(ascii: "-") }
  @inlinable package static var point: UInt8 { UInt8(ascii: ".") }
  @inlinable package static var zero: UInt8 { UInt8(ascii: "0") }
  @inlinable package static var lessThan: UInt8 { UInt8(ascii: "<") }
  @inlinable package static var semicolon: UInt8 { UInt8(ascii: ";") }

  @inlinable
  package static func isBlank(_ byte: UInt8) -> Bool { byte == space || byte == tab }

  @inlinable
  package static func isDigit(_ byte: UInt8) -> Bool { byte &- zero < 10 }
}

/// A line and a column in a file that is understood; kept for every reading, so kept small.
package struct Place: Hashable, Sendable {
  package static let start = Place(line: 1, column: 1)

  @usableFromInline var packedLine: UInt32
  @usableFromInline var packedColumn: UInt32

  @inlinable
  package init(line: Int, column: Int) {
    packedLine = UInt32(clamping: line)
    packedColumn = UInt32(clamping: column)
  }

  @inlinable package var line: Int { Int(packedLine) }
  @inlinable package var column: Int { Int(packedColumn) }

  package func advanced(over text: some Sequence<UInt8>) -> Place {
    var line = line
    var column = column
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

extension Character {
  /// Whether it is one of 0 to 9.
  package var isASCIIDigit: Bool { ("0"..."9").contains(self) }
}
