extension CSVText {
  /// Begins with a line.
  init(header: [String]) {
    self.init()
    appendLine(header)
  }

  /// Writes a line of words.
  mutating func appendLine(_ fields: [String]) {
    for (index, field) in fields.enumerated() {
      append(field)
      end(isLastOfRow: index == fields.count - 1)
    }
  }
}
