extension UnsafeRawBufferPointer {
  /// The text without no-break spaces (U+00A0, U+202F) at its ends, nor the blanks between them.
  var withoutNoBreakSpacesAround: UnsafeRawBufferPointer {
    // Nearly all fields begin and end in ASCII.
    guard let first, let last, first >= 0x80 || last >= 0x80 else { return self }
    let scalars = String(decoding: self, as: UTF8.self).unicodeScalars
    let isSpace = { (scalar: Unicode.Scalar) in
      ["\u{A0}", "\u{202F}", " ", "\t"].contains(scalar)
    }
    let before = scalars.prefix(while: isSpace)
    guard before.endIndex < scalars.endIndex else { return self }
    let after = scalars.reversed().prefix(while: isSpace)
    let start = before.reduce(0) { $0 + UTF8.width($1) }
    let end = count - after.reduce(0) { $0 + UTF8.width($1) }
    return UnsafeRawBufferPointer(rebasing: self[start..<end])
  }
}
