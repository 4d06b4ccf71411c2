/// The coordinates of a point of a fit, padded with zeros.
///
/// Points are created, moved and compared by the hundred in each fit, so they do not allocate.
package typealias Coordinates = SIMD8<Double>

extension Coordinates {
  init(_ coordinates: [Double]) {
    self = .zero
    for (index, value) in coordinates.enumerated() { self[index] = value }
  }

  /// Returns the first coordinates as an array.
  func array(_ count: Int) -> [Double] { (0..<count).map { self[$0] } }

  /// Returns a copy with one coordinate replaced.
  func moved(_ index: Int, to coordinate: Double) -> Self {
    var moved = self
    moved[index] = coordinate
    return moved
  }
}

/// The start of one descent of a batch.
package struct DescentRequest: Hashable, Sendable {
  /// The start, a coordinate for each free parameter; clamped to the bounds.
  package var start: Coordinates
  /// The coordinates that stay at their values of the start.
  package var held: CoordinateSet = []
}

extension [DescentRequest] {
  /// Computes a result for each request in order, including those that are added meanwhile.
  ///
  /// - Parameters:
  ///   - answer: Computes the result of a request.
  ///   - receive: Receives the index of a request and its result; it may add further requests.
  mutating func answerEach<Answer>(
    _ answer: (DescentRequest) throws(SeriesFailure) -> Answer,
    receive: (Int, Answer, inout [DescentRequest]) throws(SeriesFailure) -> Void
  ) throws(SeriesFailure) {
    var next = 0
    while next < count {
      try receive(next, try answer(self[next]), &self)
      next += 1
    }
  }
}

/// The end of one descent of a batch: a ``Minimum`` that does not allocate.
struct DescentEnd: Hashable {
  var coordinates: Coordinates
  var objective: Double
  var exit: DescentExit
  var iterations: Int
  var isStationary: Bool
  var atBound: CoordinateSet
}

extension DescentEnd {
  /// The state of a descent before it was made.
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
  /// Converts the end of a descent in lanes.
  init(_ end: DescentEnd, count: Int) {
    self.init(
      coordinates: end.coordinates.array(count), objective: end.objective, exit: end.exit,
      iterations: end.iterations, isStationary: end.isStationary, atBound: end.atBound,
      method: "lanes")
  }
}

/// A set of coordinates of a problem, by index; at most 64.
package struct CoordinateSet: OptionSet, Hashable, Sendable {
  package let rawValue: UInt64

  package init(rawValue: UInt64) { self.rawValue = rawValue }
  /// The set of one coordinate, by its index.
  package init(_ index: Int) { rawValue = 1 << UInt64(index) }
  /// The set of coordinates with the given indices.
  package init(_ indices: some Sequence<Int>) {
    rawValue = indices.reduce(0) { $0 | 1 << UInt64($1) }
  }

  /// Returns true if a coordinate is in the set.
  package func contains(_ index: Int) -> Bool { rawValue >> UInt64(index) & 1 == 1 }
}

/// The kind of start of a descent, which determines its method and tolerances.
package enum StartKind: CaseIterable, Sendable {
  /// A start of a search, possibly far from the minimum.
  case initial
  /// A point next to a minimum.
  case warm
  /// A point next to a minimum in a round of iterative reweighting.
  case reweighting
  /// A point next to a minimum along a profile, where only the sum of squares matters.
  case profile
  /// A point from which a better minimum may be reached; the last digits do not matter.
  case probe
}
