/// The bytes that the readers of CSV, numbers and JSON look for.
package enum ASCII {
  package static let tab = UInt8(ascii: "\t")
  package static let lineFeed = UInt8(ascii: "\n")
  package static let carriageReturn = UInt8(ascii: "\r")
  package static let space = UInt8(ascii: " ")
  static let slash = UInt8(ascii: "/")
  package static let quote = UInt8(ascii: "\"")
  package static let plus = UInt8(ascii: "+")
  package static let comma = UInt8(ascii: ",")
  package static let minus = UInt8(ascii: "-")
  package static let point = UInt8(ascii: ".")
  package static let zero = UInt8(ascii: "0")
  package static let lessThan = UInt8(ascii: "<")
  package static let semicolon = UInt8(ascii: ";")

  package static func isBlank(_ byte: UInt8) -> Bool {
    byte == space || byte == tab
  }

  package static func isDigit(_ byte: UInt8) -> Bool {
    byte &- zero < 10
  }
}

/// A line and a column in a file that is understood; kept for every reading, so kept small.
package struct Place: Hashable {
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

extension Character {
  /// Whether it is one of 0 to 9.
  package var isASCIIDigit: Bool { ("0"..."9").contains(self) }
}
