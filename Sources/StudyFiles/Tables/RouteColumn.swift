import AlcoholKinetics
import StudyData

/// The column that says which way a dose takes into the blood: `oral` or `iv`.
struct RouteColumn {
  static let name = "route"
  /// The name in tables of numbers, with 1 for an injection or infusion and 0 for a drink.
  static let numericName = "iv"

  private let column: Column

  init?(header: Header, orNumeric: Bool = false) {
    let names = orNumeric ? [Self.name, Self.numericName] : [Self.name]
    guard let column = header.column(anyOf: names) else { return nil }
    self.column = column
  }

  func isStated(in row: CSVRow) -> Bool { !row.isMissing(column.index) }

  /// The route of a row, oral if it is not said; nil, reported, if it is none.
  func route(in row: CSVRow, log: inout FindingLog) -> Route? {
    guard let text = row.filled(column)?.lowercased() else { return .oral }
    if column.key == Self.numericName {
      if text == "0" { return .oral }
      if text == "1" { return .intravenous }
      row.note(
        .route, in: column, "which is neither 0 nor 1",
        remedy: "write 0 for a drink, 1 for an injection or infusion", log: &log)
      return nil
    }
    if let route = Route(rawValue: text) { return route }
    row.note(
      .route, in: column, "which is neither oral nor iv",
      remedy: "write oral for a drink, iv for an injection or infusion", log: &log)
    return nil
  }
}
