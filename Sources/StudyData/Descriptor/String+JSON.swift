extension String {
  /// The text as a JSON string, quotes included (RFC 8259).
  ///
  /// What a terminal would obey or a reader could not see is written by its code, which is the same
  /// string to whoever reads the JSON.
  package var jsonLiteral: String {
    var literal = "\""
    for scalar in unicodeScalars {
      switch scalar {
      case "\"": literal += "\\\""
      case "\\": literal += "\\\\"
      case "\n": literal += "\\n"
      case "\r": literal += "\\r"
      case "\t": literal += "\\t"
      case _ where scalar.isShown: literal.unicodeScalars.append(scalar)
      default: for unit in String(scalar).utf16 { literal += unit.jsonEscape }
      }
    }
    return literal + "\""
  }
}

extension UInt16 {
  fileprivate var jsonEscape: String {
    let code = String(self, radix: 16)
    return "\\u" + String(repeating: "0", count: 4 - code.count) + code
  }
}
