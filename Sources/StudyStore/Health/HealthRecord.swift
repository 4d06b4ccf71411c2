/// A record of Apple Health: what was measured, when, and by what.
struct HealthRecord {
  /// The type without Apple's prefix, as `HeartRate`.
  var type: String
  var value: Double
  var unit: String
  var start: HealthTime
  var end: HealthTime
  var source: String

  /// What records are the same by, whatever their value.
  func identity(of subject: String, ordinal: Int) -> RecordUUID {
    RecordUUID(of: ["health", type, subject, start.utc, end.utc, source, "\(ordinal)"])
  }
}
