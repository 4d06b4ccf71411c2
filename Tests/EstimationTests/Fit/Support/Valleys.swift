@testable import Estimation

/// A made-up objective of two coordinates whose profile of the first is known.
///
/// For each value of the first coordinate the measure has a minimum over the second in one or two
/// valleys. A descent ends in the valley it begins in, or stays where it is if it begins outside.
struct Valleys: ProfiledObjective {
  /// A minimum over the second coordinate.
  struct Valley: Sendable {
    /// Where it is, by the first coordinate.
    let place: @Sendable (Double) -> Double
    /// The measure there.
    let value: @Sendable (Double) -> Double
    /// Which starts lead to it, by the first coordinate.
    let basin: @Sendable (Double) -> ClosedRange<Double>
  }

  let valleys: [Valley]
  /// The measure where no valley is.
  let plateau: Double

  let center = [0.0, 0.0]
  let bottom = 0.0
  let threshold = 4.0

  func range(of index: Int) -> ClosedRange<Double> { -10...10 }

  func isCutShort(_ point: ProfilePoint, holding index: Int) -> Bool { false }

  func minimum(
    holding index: Int, at coordinate: Double, from others: [Double]
  ) -> ProfilePoint {
    guard let valley = valleys.first(where: { $0.basin(coordinate).contains(others[0]) }) else {
      return ProfilePoint(coordinate: coordinate, others: others, value: plateau, isLost: true)
    }
    return ProfilePoint(
      coordinate: coordinate, others: [valley.place(coordinate)], value: valley.value(coordinate))
  }
}
