public import Foundation

/// A vital sign as a row of `vitals.csv` has it.
public struct VitalEntry: Hashable, Sendable {
  /// Whose it is.
  public var subject: String
  /// What was measured, as `HeartRate`.
  public var kind: String
  /// When it began: a day as `2024-05-01`, or a moment with its offset from UTC, as
  /// `2024-05-01 20:15:00 +0200`.
  public var start: String
  /// When it ended, in the same way; nil if it had no duration.
  public var end: String?
  /// The number, in `unit`.
  public var value: Double
  /// The unit; nil for the one that the kind is kept in.
  public var unit: String?
  /// What measured it.
  public var source: String?
  /// The UUID, where one is given.
  public var uuid: UUID?
  /// Where it was read.
  public var location: SourceLocation

  /// Describes a vital sign.
  public init(
    subject: String, kind: String, start: String, end: String? = nil, value: Double,
    unit: String? = nil, source: String? = nil, uuid: UUID? = nil,
    location: SourceLocation = SourceLocation(file: VitalFile.name)
  ) {
    self.subject = subject
    self.kind = kind
    self.start = start
    self.end = end
    self.value = value
    self.unit = unit
    self.source = source
    self.uuid = uuid
    self.location = location
  }
}
