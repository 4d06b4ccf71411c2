/// What an import can bring.
public enum RecordType: String, CaseIterable, Hashable, Sendable {
  /// People and their measures.
  case subjects
  /// Drinks.
  case drinks
  /// Readings.
  case readings
  /// Vital signs.
  case vitals
}
