extension StringProtocol {
  /// The text as a message may show it: control and other invisible characters escaped, the rest
  /// cut off.
  func excerpt(limit: Int = 40) -> String {
    var shown = ""
    for scalar in unicodeScalars.prefix(limit) {
      if scalar.isPrintable {
        shown.unicodeScalars.append(scalar)
      } else {
        shown += scalar.escaped
      }
    }
    return unicodeScalars.dropFirst(limit).isEmpty ? shown : shown + "..."
  }

  /// The excerpt in quotes.
  package var quoted: String { "\"\(excerpt())\"" }
}

extension Unicode.Scalar {
  fileprivate var isPrintable: Bool {
    switch properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator,
      .paragraphSeparator:
      false
    case .spaceSeparator:
      self == " "
    default:
      true
    }
  }

  fileprivate var escaped: String {
    switch self {
    case "\n": "\\n"
    case "\r": "\\r"
    case "\t": "\\t"
    default: "\\u{\(String(value, radix: 16))}"
    }
  }
}
