/// All coordinates of a point of a fit: as many as there are, then zeros.
///
/// Points are made, moved and compared by the hundred in each fit; so they are values without memory of their
/// own.
package typealias Coordinates = SIMD8<Double>

extension Coordinates {
  init(_ coordinates: [Double]) {
    self = .zero
    for (index, value) in coordinates.enumerated() { self[index] = value }
  }

  /// The first of them, all that there are.
  func array(_ count: Int) -> [Double] { (0..<count).map { self[$0] } }

  /// The same with one of them elsewhere.
  func moved(_ index: Int, to coordinate: Double) -> Self {
    var moved = self
    moved[index] = coordinate
    return moved
  }
}

/// One descent among many.
package struct DescentRequest: Hashable, Sendable {
  /// A coordinate for each parameter; put on its bound if it is beyond.
  package var start: Coordinates
  /// Coordinates that stay where the start has them.
  package var held: CoordinateSet = []
}

extension [DescentRequest] {
  /// Answers them one after the other, and those that are added meanwhile.
  ///
  /// - Parameter take: Takes in an answer, by the place of its request; it may add further ones.
  mutating func answerEach<Answer>(
    _ answer: (DescentRequest) throws(SeriesFailure) -> Answer,
    take: (Int, Answer, inout [DescentRequest]) throws(SeriesFailure) -> Void
  ) throws(SeriesFailure) {
    var next = 0
    while next < count {
      try take(next, try answer(self[next]), &self)
      next += 1
    }
  }
}

/// Where a descent of many ended: a ``Minimum`` without memory of its own.
struct DescentEnd: Hashable {
  var coordinates: Coordinates
  var objective: Double
  var exit: DescentExit
  var iterations: Int
  var isStationary: Bool
  var atBound: CoordinateSet
}

extension DescentEnd {
  /// Where a descent that was not made yet stands.
  init(of request: DescentRequest) {
    self.init(
      coordinates: request.start, objective: .nan, exit: .evaluationFailed, iterations: 0,
      isStationary: false, atBound: [])
  }

  init(_ minimum: Minimum) {
    self.init(
      coordinates: Coordinates(minimum.coordinates), objective: minimum.objective,
      exit: minimum.exit, iterations: minimum.iterations, isStationary: minimum.isStationary,
      atBound: minimum.atBound)
  }
}

extension Minimum {
  /// What a lane found.
  init(_ end: DescentEnd, count: Int) {
    self.init(
      coordinates: end.coordinates.array(count), objective: end.objective, exit: end.exit,
      iterations: end.iterations, isStationary: end.isStationary, atBound: end.atBound,
      method: "lanes")
  }
}

/// Some of the coordinates of a problem, of which there are 64 at most.
package struct CoordinateSet: OptionSet, Hashable, Sendable {
  package let rawValue: UInt64

  package init(rawValue: UInt64) { self.rawValue = rawValue }
  /// One coordinate, by its index.
  package init(_ index: Int) { rawValue = 1 << UInt64(index) }
  /// Some coordinates, by their indices.
  package init(_ indices: some Sequence<Int>) {
    rawValue = indices.reduce(0) { $0 | 1 << UInt64($1) }
  }

  /// Whether a coordinate is one of them.
  package func contains(_ index: Int) -> Bool { rawValue >> UInt64(index) & 1 == 1 }
}

/// Where a descent begins, which decides by which method it is tried first and how far it goes.
package enum StartKind: CaseIterable, Sendable {
  /// At a start of a search.
  case initial
  /// Next to a minimum.
  case warm
  /// Next to a minimum from which standard deviations follow, and with them the next one.
  case reweighting
  /// Next to a minimum of which only the sum of squares matters, as along a profile.
  case profile
  /// At a point from which another minimum than the nearest known one may be reached, if there is one; the last
  /// digits do not matter.
  case probe
}
