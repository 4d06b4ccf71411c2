import Testing

@testable import Estimation

/// The starts of descents at a new point of a profile.
@Suite struct ProfilePathTests {
  /// A point of the profile of the first coordinate.
  private func point(_ coordinates: Double..., value: Double = 0) -> ProfilePoint {
    ProfilePoint(coordinates: Coordinates(coordinates), value: value)
  }

  private func path(_ points: [ProfilePoint], tangent: [Double] = []) -> ProfilePath {
    var path = ProfilePath(of: 0, from: points[0], tangent: Coordinates(tangent))
    for point in points.dropFirst() { path.insert(point) }
    return path
  }

  private func arrays(_ starts: [Coordinates], _ count: Int = 3) -> [[Double]] {
    starts.map { $0.array(count) }
  }

  @Test func pointsAreInOrder() {
    let path = path([point(0, 10), point(2, 12), point(-1, 9), point(1, 11)])
    #expect(
      path.points.map { $0.coordinates.array(2) } == [[-1, 9], [0, 10], [1, 11], [2, 12]])
  }

  @Test func lowestPointOfACoordinateIsKept() {
    var path = path([point(0, 10), point(1, 11), point(1, 50), point(0, 60)])
    #expect(path.points.map { $0.coordinates[1] } == [10, 11])
    path.insert(point(1, 12, value: -1))
    path.insert(point(1, 13))
    #expect(path.points.map { $0.coordinates[1] } == [10, 12])
    #expect(path.point(at: 1)?.coordinates[1] == 12)
    #expect(path.point(at: 0.5) == nil)
    #expect(path.point(at: 2) == nil)
  }

  @Test func pointsAreRemovedOnOneSide() {
    var path = path([point(-1, 9), point(0, 10), point(1, 11), point(2, 12)])
    path.removeAll(beyond: 1, sign: 1)
    #expect(path.points.map { $0.coordinates[0] } == [-1, 0, 1])
    path.removeAll(beyond: -0.5, sign: -1)
    #expect(path.points.map { $0.coordinates[0] } == [0, 1])
  }

  @Test func startsBetweenPointsInterpolateThenUseNeighbours() {
    let path = path([point(0, 10, 1), point(1, 12, 3), point(3, 20, 7)])
    #expect(
      arrays(path.starts(at: 0.25, sign: 1)) == [
        [0.25, 10.5, 1.5], [0.25, 10, 1], [0.25, 12, 3],
      ])
    // Below the estimate the two farther in are those above: from 3 through 1.
    #expect(
      arrays(path.starts(at: 0.25, sign: -1)) == [
        [0.25, 10.5, 1.5], [0.25, 10, 1], [0.25, 12, 3], [0.25, 9, 1.5],
      ])
    #expect(
      arrays(path.starts(at: 2, sign: 1)) == [[2, 16, 5], [2, 12, 3], [2, 20, 7], [2, 14, 5]])
    // Next to a point that is known, its neighbours.
    #expect(arrays(path.starts(at: 1, sign: 1)).dropFirst() == [[1, 10, 1], [1, 20, 7]])
  }

  @Test func startsBeyondTheLastPointExtrapolate() {
    let path = path([point(0, 10, 1), point(1, 12, 3), point(3, 20, 7)])
    // From 1 to 3 the others go by 8 and 4; to 4 it is half of that way, and twice it is all.
    #expect(arrays(path.starts(at: 4, sign: 1)) == [[4, 24, 9], [4, 28, 11], [4, 20, 7]])
    #expect(
      arrays(path.starts(at: -0.5, sign: -1)) == [[-0.5, 9, 0], [-0.5, 8, -1], [-0.5, 10, 1]])
  }

  @Test func startsFromOnePointFollowTheTangent() {
    #expect(arrays(path([point(0, 10, 1)]).starts(at: 4, sign: 1)) == [[4, 10, 1]])
    let path = path([point(0, 10, 1)], tangent: [1, 2, -1])
    #expect(arrays(path.starts(at: 4, sign: 1)) == [[4, 18, -3]])
    #expect(arrays(path.starts(at: -4, sign: -1)) == [[-4, 2, 5]])
  }
}

extension ProfilePath {
  /// All of them, in order.
  fileprivate func starts(at coordinate: Double, sign: Double) -> [Coordinates] {
    var starts: [Coordinates] = []
    eachStart(at: coordinate, sign: sign) { starts.append($0) }
    return starts
  }
}
