/// The formats that results are printed in.
public enum ReportFormat: String, CaseIterable, Sendable {
  /// An aligned table with rounded numbers, for people.
  case table
  /// Comma-separated values with all digits.
  case csv
  /// A JSON document with the results and their provenance.
  case json
}
