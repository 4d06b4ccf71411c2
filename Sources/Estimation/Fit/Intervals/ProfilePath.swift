/// A point of a profile: one coordinate held, the others at their best.
struct ProfilePoint {
  let coordinates: Coordinates
  /// The measure there.
  let value: Double
  /// Whether the curve is the same all around, as where it is zero at every reading: a descent that
  /// begins there has nowhere to go.
  var isLost = false
}

/// The points of a profile that are known, in order, and where to begin at a new one.
struct ProfilePath {
  /// The coordinate that is held.
  let index: Int
  /// Ascending by that coordinate, and never none.
  private(set) var points: [ProfilePoint] = []
  /// As many as most profiles have.
  private static let usualCount = 16
  /// How far all coordinates go where the one that is held goes by 1, next to the first point.
  private let tangent: Coordinates

  init(of index: Int, from point: ProfilePoint, tangent: Coordinates = .zero) {
    self.index = index
    self.tangent = tangent
    points.reserveCapacity(Self.usualCount)
    points.append(point)
  }

  /// The point at a coordinate, if it is known.
  func point(at coordinate: Double) -> ProfilePoint? {
    let position = position(of: coordinate)
    guard position < points.count, place(position) == coordinate else { return nil }
    return points[position]
  }

  /// The point at which some coordinate is nearest to a value.
  func nearest(to value: Double, in coordinate: Int) -> ProfilePoint {
    points.dropFirst().reduce(points[0]) { nearest, point in
      let distance = abs(point.coordinates[coordinate] - value)
      return distance < abs(nearest.coordinates[coordinate] - value) ? point : nearest
    }
  }

  /// Adds a point, unless one that is as low is known at its coordinate.
  mutating func insert(_ point: ProfilePoint) {
    let position = position(of: point.coordinates[index])
    guard position < points.count, place(position) == point.coordinates[index] else {
      points.append(point)
      for place in (position..<points.count - 1).reversed() { points.swapAt(place, place + 1) }
      return
    }
    if point.value < points[position].value { points[position] = point }
  }

  /// Removes the points beyond a coordinate to one side.
  mutating func removeAll(beyond coordinate: Double, sign: Double) {
    points.removeAll { sign * ($0.coordinates[index] - coordinate) > 0 }
  }

  /// Where to begin at a coordinate, never nowhere, the likeliest place first.
  ///
  /// Between two points: what lies between them, what either has, since other branches may be met there, and
  /// the way on from the two that lie farther in. Beyond all points: the way on from the last one, once and
  /// twice, since a branch that is about to take over lies ahead, and the others as they are there. Beside one
  /// point only: along the tangent.
  ///
  /// - Parameters:
  ///   - sign: On which side of the estimate: 1 above, -1 below.
  ///   - most: How many are wanted.
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
    let way = (coordinate - last[index]) / (last[index] - previous[index]) * (last - previous)
    body((last + way).moved(index, to: coordinate))
    if most > 1 { body((last + 2 * way).moved(index, to: coordinate)) }
    if most > 2 { body(last.moved(index, to: coordinate)) }
  }

  private func start(
    at coordinate: Double, onTheLineFrom first: Int, through second: Int
  ) -> Coordinates {
    let (first, second) = (points[first].coordinates, points[second].coordinates)
    let share = (coordinate - first[index]) / (second[index] - first[index])
    return (first + share * (second - first)).moved(index, to: coordinate)
  }

  /// The positions of the points next to a coordinate, if there is one on either side.
  private func neighbours(of coordinate: Double) -> (before: Int, after: Int)? {
    let position = position(of: coordinate)
    let isKnown = position < points.count && place(position) == coordinate
    let after = position + (isKnown ? 1 : 0)
    guard position > 0, after < points.count else { return nil }
    return (position - 1, after)
  }

  private func place(_ position: Int) -> Double { points[position].coordinates[index] }

  private func position(of coordinate: Double) -> Int {
    points.firstIndex { $0.coordinates[index] >= coordinate } ?? points.count
  }
}
