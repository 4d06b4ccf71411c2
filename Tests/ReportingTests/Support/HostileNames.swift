/// Names of subjects, occasions and studies that break outputs, by accident or on purpose.
enum HostileNames {
  static let all = [
    "20%", "5% group", "<script>alert(1)</script>", "</title><b>", "it's \"quoted\"",
    "back\\slash\\",
    "`touch x`", "$(touch x)", "$\\frac{1}{0}$", "new\nline", "re\rturn", "crlf\r\n", "tab\t",
    "par\u{2029}", "\u{202E}turned round", "\u{2066}isolated", "bell\u{7}", "esc\u{1B}[31mred",
    "\u{1B}]0;title\u{7}", "\u{9B}31m", "\u{0}", "\u{FEFF}", "\u{200B}hidden", "\u{E0041}tagged",
    String(repeating: "long", count: 5000), "\u{1F469}\u{200D}\u{1F467}", "=1+1", "+1", "-1",
    "@SUM(A1)",
    "nan", "../../etc/passwd", "a|b", "*b*", "_i_", "[x](javascript:alert(1))", "![x](y)", "&lt;",
    "&#60;script>", "1. one", "- point", "    code", "~~gone~~", "# heading", "'\u{301}",
    "\u{FFFE}",
  ]

  /// Whether nothing in a text commands a terminal, or hides or turns round what stands beside it.
  static func isHarmless(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { scalar in
      if scalar == "\n" || scalar == "\u{200D}" || scalar == "\u{200C}" { return true }
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator: return false
      default: return !scalar.properties.isNoncharacterCodePoint
      }
    }
  }
}
