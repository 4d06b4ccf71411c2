extension String {
  /// The text as a terminal may show it: what would break a line or be taken for a command is
  /// written as an escape.
  var printable: String {
    var shown = String.UnicodeScalarView()
    for scalar in unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator:
        shown.append(contentsOf: "\\u{\(String(scalar.value, radix: 16))}".unicodeScalars)
      default:
        shown.append(scalar)
      }
    }
    return String(shown)
  }
}
