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
    guard isStated(in: row) else { return .oral }
    let (oral, intravenous) = column.key == Self.numericName ? ("0", "1") : ("oral", "iv")
    return row.meaning(
      in: column, of: [oral: Route.oral, intravenous: .intravenous], .word,
      "which is neither \(oral) nor \(intravenous)",
      remedy: "write \(oral) for a drink, \(intravenous) for an injection or infusion", log: &log)
  }
}
