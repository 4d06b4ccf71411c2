/// The formats that results are printed in.
public enum ReportFormat: String, CaseIterable, Sendable {
  /// An aligned table with rounded numbers, for people.
  case table
  /// Comma-separated values with all digits.
  case csv
  /// A JSON document with the results and their provenance.
  case json
  /// The rows that CSV carries as JSON objects, one per line.
  case ndjson

  /// Whether each row is written by itself, so that nothing needs to be known of the others.
  public var isByRow: Bool { self == .csv || self == .ndjson }
}
