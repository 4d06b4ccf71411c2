/// A point of a profile: one coordinate held, the others at their best.
struct ProfilePoint {
  let coordinates: Coordinates
  /// The profiled objective there.
  let value: Double
  /// True if the gradient is zero without a minimum, as where the curve is zero at every reading: a descent from there
  /// cannot move.
  var isStuck = false
}

/// The visited points of a profile, in order, and the starts that they suggest for new ones.
struct ProfilePath {
  /// The coordinate that is held.
  let index: Int
  /// The visited points, ascending by that coordinate; never empty.
  private(set) var points: [ProfilePoint] = []
  /// The number of points of most profiles.
  private static let usualCount = 16
  /// The derivatives of all coordinates by the one that is held, next to the first point.
  private let tangent: Coordinates

  init(of index: Int, from point: ProfilePoint, tangent: Coordinates = .zero) {
    self.index = index
    self.tangent = tangent
    points.reserveCapacity(Self.usualCount)
    points.append(point)
  }

  /// Returns the visited point at a coordinate; nil if there is none.
  func point(at coordinate: Double) -> ProfilePoint? {
    let position = position(of: coordinate)
    guard position < points.count, heldValue(at: position) == coordinate else { return nil }
    return points[position]
  }

  /// Returns the visited point at which some coordinate is nearest to a value.
  func nearest(to value: Double, in coordinate: Int) -> ProfilePoint {
    points.dropFirst().reduce(points[0]) { nearest, point in
      let distance = abs(point.coordinates[coordinate] - value)
      return distance < abs(nearest.coordinates[coordinate] - value) ? point : nearest
    }
  }

  /// Adds a point, unless one as low was visited at the same coordinate.
  mutating func insert(_ point: ProfilePoint) {
    let position = position(of: point.coordinates[index])
    guard position < points.count, heldValue(at: position) == point.coordinates[index] else {
      points.append(point)
      for slot in (position..<points.count - 1).reversed() { points.swapAt(slot, slot + 1) }
      return
    }
    if point.value < points[position].value { points[position] = point }
  }

  /// Removes the points beyond a coordinate to one side.
  mutating func removeAll(beyond coordinate: Double, sign: Double) {
    points.removeAll { sign * ($0.coordinates[index] - coordinate) > 0 }
  }

  /// Passes starts for a new point to a closure, the most promising first; there is at least one.
  ///
  /// Between two points: the linear interpolation, then either neighbour, since another branch may be lower, then the
  /// extrapolation from the two points farther in. Beyond all points: the extrapolation from the last two over one and
  /// two steps, since a branch that takes over lies ahead, then the last point. With a single point: along the tangent.
  ///
  /// - Parameters:
  ///   - coordinate: The value at which the coordinate is held.
  ///   - sign: The side of the estimate: 1 above, -1 below.
  ///   - most: The largest number of starts.
  func eachStart(
    at coordinate: Double, sign: Double, most: Int = .max, _ body: (Coordinates) -> Void
  ) {
    guard let (before, after) = neighbours(of: coordinate) else {
      return eachStartBeyond(coordinate, most, body)
    }
    body(start(at: coordinate, onTheLineFrom: before, through: after))
    if most > 1 { body(points[before].coordinates.moved(index, to: coordinate)) }
    if most > 2 { body(points[after].coordinates.moved(index, to: coordinate)) }
    let inner = sign > 0 ? before : after
    let farther = sign > 0 ? before - 1 : after + 1
    guard most > 3, points.indices.contains(farther) else { return }
    body(start(at: coordinate, onTheLineFrom: farther, through: inner))
  }

  private func eachStartBeyond(
    _ coordinate: Double, _ most: Int, _ body: (Coordinates) -> Void
  ) {
    let isFirst = position(of: coordinate) == 0
    let last = (isFirst ? points[0] : points[points.count - 1]).coordinates
    guard points.count > 1 else {
      return body((last + (coordinate - last[index]) * tangent).moved(index, to: coordinate))
    }
    let previous = (isFirst ? points[1] : points[points.count - 2]).coordinates
    let step = (coordinate - last[index]) / (last[index] - previous[index]) * (last - previous)
    body((last + step).moved(index, to: coordinate))
    if most > 1 { body((last + 2 * step).moved(index, to: coordinate)) }
    if most > 2 { body(last.moved(index, to: coordinate)) }
  }

  private func start(
    at coordinate: Double, onTheLineFrom first: Int, through second: Int
  ) -> Coordinates {
    let first = points[first].coordinates
    let second = points[second].coordinates
    let share = (coordinate - first[index]) / (second[index] - first[index])
    return (first + share * (second - first)).moved(index, to: coordinate)
  }

  /// Returns the positions of the points next to a coordinate; nil unless there is one on either side.
  private func neighbours(of coordinate: Double) -> (before: Int, after: Int)? {
    let position = position(of: coordinate)
    let isVisited = position < points.count && heldValue(at: position) == coordinate
    let after = position + (isVisited ? 1 : 0)
    guard position > 0, after < points.count else { return nil }
    return (position - 1, after)
  }

  private func heldValue(at position: Int) -> Double { points[position].coordinates[index] }

  private func position(of coordinate: Double) -> Int {
    points.firstIndex { $0.coordinates[index] >= coordinate } ?? points.count
  }
}
