extension [String: String] {
  /// The columns that are not as expected: numbers may differ by rounding, all else not at all.
  func columns(unlike expected: [String: String]) -> [String] {
    Set(keys).union(expected.keys).filter { column in
      guard let found = self[column], let wanted = expected[column] else { return true }
      return found != wanted && !Self.isClose(Double(found), Double(wanted))
    }.sorted()
  }

  private static func isClose(_ found: Double?, _ wanted: Double?) -> Bool {
    guard let found, let wanted else { return false }
    return abs(found - wanted) <= 1e-12 * abs(wanted)
  }

  /// The columns that are not empty.
  var filledColumns: [String] {
    filter { !$0.value.isEmpty }.keys.sorted()
  }
}
