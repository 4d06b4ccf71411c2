public import Foundation

/// The UUIDs that a study's files give to the drinks and readings of a series.
///
/// They stand beside the records, so that the many studies without any pay nothing for them.
public struct GivenUUIDs: Hashable, Sendable {
  /// Those of the drinks, in their order, nil where none is given. Drinks beyond the last have none.
  public var drinks: [UUID?]
  /// Those of the readings, in the same way.
  public var readings: [UUID?]

  /// Names them; none, unless something is said.
  public init(drinks: [UUID?] = [], readings: [UUID?] = []) {
    self.drinks = drinks
    self.readings = readings
    // Records beyond the last have none: there is one way only to say so.
    while case .some(nil) = self.drinks.last { self.drinks.removeLast() }
    while case .some(nil) = self.readings.last { self.readings.removeLast() }
  }

  /// Whether any is given.
  public var isEmpty: Bool { !hasDrinks && !hasReadings }

  /// Whether a drink has one.
  var hasDrinks: Bool { drinks.contains { $0 != nil } }

  /// Whether a reading has one.
  var hasReadings: Bool { readings.contains { $0 != nil } }

  /// That of a drink, by its index in the series.
  public func drink(_ index: Int) -> UUID? { drinks.indices.contains(index) ? drinks[index] : nil }

  /// That of a reading, by its index in the series.
  public func reading(_ index: Int) -> UUID? {
    readings.indices.contains(index) ? readings[index] : nil
  }
}

extension [UUID?] {
  /// Gives the record of an index beyond the last its UUID; those between have none.
  package mutating func append(_ uuid: UUID, at index: Int) {
    pad(to: index)
    append(uuid)
  }

  /// Makes up for records without a UUID.
  package mutating func pad(to count: Int) {
    while self.count < count { append(nil) }
  }
}
