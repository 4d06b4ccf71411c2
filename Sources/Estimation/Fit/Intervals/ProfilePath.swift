import AlcoholKinetics

/// The points of a profile that are known, in order, and where to begin at a new one.
struct ProfilePath {
  /// Ascending by coordinate, and never none.
  private(set) var points: [ProfilePoint]

  init(from point: ProfilePoint) {
    points = [point]
  }

  /// The point at a coordinate, if it is known.
  func point(at coordinate: Double) -> ProfilePoint? {
    let position = position(of: coordinate)
    guard position < points.count, points[position].coordinate == coordinate else { return nil }
    return points[position]
  }

  /// Adds a point, unless one that is as low is known at its coordinate.
  mutating func insert(_ point: ProfilePoint) {
    let position = position(of: point.coordinate)
    guard let known = self.point(at: point.coordinate) else {
      points.insert(point, at: position)
      return
    }
    if point.value < known.value { points[position] = point }
  }

  /// Removes the points from a coordinate on to one side; others remain on the other.
  mutating func removeAll(from coordinate: Double, sign: Double) {
    points.removeAll { sign * ($0.coordinate - coordinate) >= 0 }
  }

  /// Starts for the other coordinates, never none.
  ///
  /// Between two points: what they have, so that a branch met beyond is followed back to where it
  /// becomes the lowest. Beyond the last point: what that has, and twice the way on from it, since
  /// a branch that is about to take over lies ahead.
  func starts(at coordinate: Double) -> [[Double]] {
    let position = position(of: coordinate)
    if position > 0, position < points.count {
      return [points[position - 1].others, points[position].others]
    }
    let last = position == 0 ? points[0] : points[points.count - 1]
    guard points.count > 1, !last.others.isEmpty else { return [last.others] }
    let previous = position == 0 ? points[1] : points[points.count - 2]
    let way = (coordinate - last.coordinate) / (last.coordinate - previous.coordinate)
    return [0, 2 * way].map { share in
      zip(last.others, previous.others).map { $0 + share * ($0 - $1) }
    }
  }

  private func position(of coordinate: Double) -> Int {
    points.firstIndex { $0.coordinate >= coordinate } ?? points.count
  }
}
