extension String {
  /// The text broken at spaces into lines of at most `width` characters, all but the first indented
  /// by two; a longer word keeps a line of its own.
  func wrapped(to width: Int) -> String {
    var lines: [String] = []
    for word in split(separator: " ", omittingEmptySubsequences: false) {
      if let last = lines.last, last.count + 1 + word.count <= width {
        lines[lines.count - 1] = "\(last) \(word)"
      } else {
        lines.append(lines.isEmpty ? String(word) : "  \(word)")
      }
    }
    return lines.joined(separator: "\n")
  }
}
