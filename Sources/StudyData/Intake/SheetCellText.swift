/// What cells of sheets say that hold no quantity.
enum SheetCellText {
  /// The number in a cell that has nothing else.
  static func number(_ text: String, _ mayHaveComma: Bool = false) -> Double? {
    WrittenQuantity.number(text, mayHaveComma ? .always : .ifCertain)
  }

  private static let missing: Set = [
    "", ".", "NA", "N/A", "n/a", "na", "N.A.", "n.a.", "-", "--", "–", "—", "#N/A", "k.A.", "k. A.",
    "missing", "NULL", "null",
  ]

  /// Whether a cell says that there is nothing: as in study files, and as people write it.
  static func isMissing(_ cell: String) -> Bool {
    missing.contains(cell)
  }

  private static let withoutResult: Set = [
    "qns", "quantity not sufficient", "insufficient", "insufficient sample", "no result",
    "no sample", "not done", "not measured", "not tested", "rejected", "hemolyzed", "haemolysed",
    "clotted", "zu wenig material", "kein material", "nicht gemessen", "kein ergebnis",
  ]

  /// Whether a laboratory says that it has no result.
  static func isWithoutResult(_ cell: String) -> Bool {
    cell.utf8.count <= 40 && withoutResult.contains(cell.lowercased())
  }

  private static let belowLimit: Set = [
    "<lod", "< lod", "<loq", "< loq", "<lloq", "< lloq", "lod", "blq", "bloq", "blod", "bql",
    "below lod", "<ng", "< ng", "nd", "n.d.", "n. d.", "not detected", "none detected", "neg", "neg.",
    "negative", "negativ", "nicht nachweisbar", "n.n.", "nn", "n. n.", "unter nachweisgrenze",
    "non détecté", "négatif", "no detectado", "negativo", "ej påvisad", "ej detekterad", "nezjištěno",
    "below limit", "below detection", "below detection limit", "bdl", "trace", "u. nwg", "<nwg", "< nwg",
  ]

  /// Whether a reading is said to be below the limit of detection, which stands elsewhere.
  static func isBelowLimit(_ cell: String) -> Bool { belowLimit.contains(cell.lowercased()) }
}
