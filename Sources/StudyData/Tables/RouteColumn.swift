import AlcoholKinetics

/// The column that says which way a dose takes into the blood: `oral` or `iv`.
struct RouteColumn {
  static let name = "route"

  private let column: Column

  /// Finds the column; nil if there is none.
  init?(header: Header) {
    guard let column = header.column(Self.name) else { return nil }
    self.column = column
  }

  /// The route of a row, oral if it is not said; nil, reported, if it is none.
  func route(in row: CSVRow, log: inout FindingLog) -> Route? {
    guard !row.isMissing(column.index) else { return .oral }
    if let route = Route(rawValue: row.text(of: column.index).lowercased()) { return route }
    row.note(
      .route, in: column, "which is neither oral nor iv",
      remedy: "write oral for a drink, iv for an injection or infusion", log: &log)
    return nil
  }
}
