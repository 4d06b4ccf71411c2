import AlcoholKinetics
import Foundation

/// What happens at a time.
protocol Timed {
  /// When it happens, or begins.
  var time: Hours { get }
}

extension Drink: Timed {}
extension Reading: Timed {}

/// Drinks or readings of a series with the places they were read from.
struct Timeline<Value: Timed> {
  private(set) var values: [Value] = []
  private(set) var places: [Place] = []
  /// The UUIDs of the first values, nil where none is given; empty if none is given at all.
  private(set) var uuids: [UUID?] = []
  /// The first place that breaks the order of time.
  private(set) var disorder: Place?

  /// Takes memory for so many at once.
  mutating func reserveCapacity(_ count: Int) {
    values.reserveCapacity(count)
    places.reserveCapacity(count)
  }

  /// Adds what the file says next.
  mutating func append(_ value: Value, at place: Place) {
    if disorder == nil, let last = values.last, value.time < last.time { disorder = place }
    values.append(value)
    places.append(place)
  }

  /// Gives the last value its UUID.
  mutating func identifyLast(as uuid: UUID) {
    uuids.append(uuid, at: values.count - 1)
  }

  /// Whether two things happen at a time, once everything is in order.
  var hasEqualTimes: Bool {
    zip(values, values.dropFirst()).contains { $0.time == $1.time }
  }

  /// Puts everything in order of time; what happens at equal times stays in the file's order.
  mutating func sort() {
    guard disorder != nil else { return }
    let order = values.indices.sorted { (values[$0].time, $0) < (values[$1].time, $1) }
    values = order.map { values[$0] }
    places = order.map { places[$0] }
    guard !uuids.isEmpty else { return }
    uuids.pad(to: values.count)
    uuids = order.map { uuids[$0] }
  }
}
