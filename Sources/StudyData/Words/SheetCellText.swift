/// What cells of sheets say that hold no quantity.
package enum SheetCellText {
  /// The number in a cell that has nothing else.
  package static func number(_ text: String, _ mayHaveComma: Bool = false) -> Double? {
    WrittenQuantity.number(text, mayHaveComma ? .always : .ifCertain)
  }

  // Every cell is looked at.
  private static let missing = Set(Vocabulary.words("cell", "missing"))

  /// Whether a cell says that there is nothing: as in study files, and as people write it.
  package static func isMissing(_ cell: String) -> Bool { missing.contains(cell) }

  /// Whether a laboratory says that it has no result.
  package static func isWithoutResult(_ cell: String) -> Bool {
    cell.utf8.count <= 40 && Vocabulary.has(cell.lowercased(), "cell", "without result")
  }

  /// Whether a reading is said to be below the limit of detection, which stands elsewhere.
  package static func isBelowLimit(_ cell: String) -> Bool {
    Vocabulary.has(cell.lowercased(), "cell", "below limit")
  }
}
