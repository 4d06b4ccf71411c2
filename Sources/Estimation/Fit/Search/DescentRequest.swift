/// One descent among many.
package struct DescentRequest: Hashable, Sendable {
  /// A coordinate for each parameter; put on its bound if it is beyond.
  package var start: [Double]
  /// Coordinates that stay where the start has them.
  package var held: CoordinateSet = []
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

/// How far from a minimum a descent begins, which decides by which method it is tried first.
package enum Reach: CaseIterable, Sendable {
  /// At a start of a search.
  case far
  /// Next to a minimum.
  case near
  /// Next to a minimum of which only the sum of squares matters, as along a profile.
  case along
  /// At a point from which another minimum than the nearest known one may be reached, if there is one; the last
  /// digits do not matter.
  case probing
}
