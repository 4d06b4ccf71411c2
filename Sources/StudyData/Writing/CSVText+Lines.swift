extension CSVText {
  /// Begins with a line.
  init(header: [String]) {
    self.init()
    appendRow(header)
  }
}
