extension String {
  /// The text as a JSON string, quotes included (RFC 8259).
  package var jsonLiteral: String {
    var literal = "\""
    for scalar in unicodeScalars {
      switch scalar {
      case "\"": literal += "\\\""
      case "\\": literal += "\\\\"
      case "\n": literal += "\\n"
      case "\r": literal += "\\r"
      case "\t": literal += "\\t"
      case ..<" ":
        let code = String(scalar.value, radix: 16)
        literal += "\\u" + String(repeating: "0", count: 4 - code.count) + code
      default: literal.unicodeScalars.append(scalar)
      }
    }
    return literal + "\""
  }
}
