@testable import Estimation

/// A made-up objective of two coordinates whose profile of the first is known.
///
/// For each value of the first coordinate the measure has a minimum over the second in one or two
/// valleys. A descent ends in the valley it begins in, or stays where it is if it begins outside.
struct Valleys: ProfiledObjective {
  /// A minimum over the second coordinate.
  struct Valley: Sendable {
    /// The position of the valley, by the first coordinate.
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

  func follow(
    _ requests: inout [DescentRequest], _ startKind: StartKind,
    take: (Int, ProfilePoint, inout [DescentRequest]) throws(SeriesFailure) -> Void
  ) throws(SeriesFailure) {
    try requests.answerEach({ point($0) }, take: take)
  }

  private func point(_ request: DescentRequest) -> ProfilePoint {
    let (x, start) = (request.start[0], request.start)
    guard let valley = valleys.first(where: { $0.basin(x).contains(request.start[1]) }) else {
      return ProfilePoint(coordinates: start, value: plateau, isLost: true)
    }
    return ProfilePoint(coordinates: start.moved(1, to: valley.place(x)), value: valley.value(x))
  }
}

extension ProfileLikelihood {
  /// The ends of the interval as coordinates, of this profile alone.
  mutating func interval(standardError: Double?) throws(SeriesFailure) -> ParameterInterval {
    var profiles = [self]
    try Self.findEnds(of: &profiles, in: [0], standardErrors: [standardError])
    self = profiles[0]
    return interval
  }
}
