public import AlcoholKinetics
import StudyData

/// The records that an import includes.
public struct ImportSelection: Hashable, Sendable {
  /// The types; nil for all. Subjects are always taken.
  public var types: Set<RecordType>?
  /// The kinds of vital signs, as `HeartRate`; nil for all.
  public var kinds: Set<String>?
  /// The subjects by name; nil for all.
  public var subjects: Set<String>?
  /// The range of times on the clock of a series.
  public var times: ClosedRange<Hours>?
  /// The range of days, as `2024-05-01`, for records that have a date.
  public var days: ClosedRange<String>?

  /// Selects records; everything, unless something is said.
  public init(
    types: Set<RecordType>? = nil,
    kinds: Set<String>? = nil,
    subjects: Set<String>? = nil,
    times: ClosedRange<Hours>? = nil,
    days: ClosedRange<String>? = nil
  ) {
    self.types = types
    self.kinds = kinds
    self.subjects = subjects
    self.times = times
    self.days = days
  }

  @_spi(StudyDay) public func takes(_ type: RecordType) -> Bool { types?.contains(type) ?? true }

  @_spi(StudyDay) public func takes(subject: String) -> Bool { subjects?.contains(subject) ?? true }

  func part(of series: Series) -> Series {
    guard let times else { return series }
    var part = series
    let drinks = series.drinks.indices.filter { times.contains(series.drinks[$0].time) }
    let readings = series.readings.indices.filter { times.contains(series.readings[$0].time) }
    part.drinks = drinks.map { series.drinks[$0] }
    part.readings = readings.map { series.readings[$0] }
    part.sources = series.sources.reordered(by: readings)
    guard !series.uuids.isEmpty else { return part }
    part.uuids = GivenUUIDs(
      drinks: drinks.map(series.uuids.drink), readings: readings.map(series.uuids.reading))
    return part
  }

  @_spi(StudyDay) public func takes(day: String) -> Bool { days?.contains(day) ?? true }
}
