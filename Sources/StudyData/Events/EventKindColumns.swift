/// The columns that say what the row of a table of events is about.
struct EventKindColumns {
  /// What a row is about.
  enum Kind: Equatable {
    case drink
    /// A reading, which the study may ask to leave out.
    case reading(isExcluded: Bool)
    /// Something else, which has no effect.
    case other
  }

  /// Their names, and those of what would change what a row means.
  static let names: Set = ["evid", "mdv", "addl", "ii", "ss", "cmt"]

  private let event: Column?
  private let missing: Column?
  /// Columns that nothing reads; whatever is in them but 0 would be lost.
  private let unread: [Column]

  init(header: Header) {
    event = header.column("evid")
    missing = header.column("mdv")
    unread = ["addl", "ii", "ss"].compactMap(header.column)
  }

  /// What a row is about; nil, reported, where that cannot be told or is not known here.
  func kind(of row: CSVRow, isDose: Bool, log: inout FindingLog) -> Kind? {
    for column in unread {
      let cell = row.number(in: column, log: &log)
      guard cell == .missing || cell.value == 0 else {
        Self.refuse(column, in: row, remedy: "give every drink a row of its own", log: &log)
        return nil
      }
    }
    guard let isMissing = flag(missing, in: row, log: &log) else { return nil }
    let observation = Kind.reading(isExcluded: isMissing)
    guard let event, !row.isMissing(event.index) else { return isDose ? .drink : observation }
    switch row.number(in: event, log: &log).value {
    case 0: return observation
    case 1: return .drink
    case 2: return .other
    default:
      Self.refuse(
        event, in: row,
        remedy: "write 0 for a reading, 1 for a drink, 2 for neither; for several occasions of a "
          + "subject, use a column OCC", log: &log)
      return nil
    }
  }

  /// Whether a field that is 0 or 1 is 1; nil, reported, if it is something else.
  private func flag(_ column: Column?, in row: CSVRow, log: inout FindingLog) -> Bool? {
    guard let column, !row.isMissing(column.index) else { return false }
    switch row.number(in: column, log: &log).value {
    case 0: return false
    case 1: return true
    default:
      Self.refuse(column, in: row, remedy: "write 0 or 1", log: &log)
      return nil
    }
  }

  /// Reports a field that says of a row what is not known here.
  static func refuse(
    _ column: Column, in row: CSVRow, remedy: String, log: inout FindingLog
  ) {
    row.note(.event, in: column, "which is not supported", remedy: remedy, log: &log)
  }
}
