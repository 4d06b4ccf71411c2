/// The bytes that the readers of CSV, numbers and JSON look for.
enum ASCII {
  static let tab = UInt8(ascii: "\t")
  static let lineFeed = UInt8(ascii: "\n")
  static let carriageReturn = UInt8(ascii: "\r")
  static let space = UInt8(ascii: " ")
  static let quote = UInt8(ascii: "\"")
  static let plus = UInt8(ascii: "+")
  static let comma = UInt8(ascii: ",")
  static let minus = UInt8(ascii: "-")
  static let point = UInt8(ascii: ".")
  static let zero = UInt8(ascii: "0")
  static let lessThan = UInt8(ascii: "<")
  static let semicolon = UInt8(ascii: ";")

  static func isBlank(_ byte: UInt8) -> Bool {
    byte == space || byte == tab
  }

  static func isPrintable(_ byte: UInt8) -> Bool {
    byte &- space < 0x5F
  }

  static func isDigit(_ byte: UInt8) -> Bool {
    byte &- zero < 10
  }
}
