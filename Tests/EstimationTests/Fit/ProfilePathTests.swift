import Testing

@testable import Estimation

/// Where a profile begins at a new point.
@Suite struct ProfilePathTests {
  private func point(_ coordinate: Double, _ others: [Double]) -> ProfilePoint {
    ProfilePoint(coordinate: coordinate, others: others, value: 0)
  }

  private func path(_ points: [ProfilePoint]) -> ProfilePath {
    var path = ProfilePath(from: points[0])
    for point in points.dropFirst() { path.insert(point) }
    return path
  }

  @Test func pointsAreInOrder() {
    let path = path([point(0, [10]), point(2, [12]), point(-1, [9]), point(1, [11])])
    #expect(path.points.map(\.coordinate) == [-1, 0, 1, 2])
    #expect(path.points.map(\.others) == [[9], [10], [11], [12]])
  }

  @Test func ofOneCoordinateTheLowestPointIsKept() {
    var path = path([point(0, [10]), point(1, [11]), point(1, [50]), point(0, [60])])
    #expect(path.points.map(\.others) == [[10], [11]])
    path.insert(ProfilePoint(coordinate: 1, others: [12], value: -1))
    path.insert(ProfilePoint(coordinate: 1, others: [13], value: 0))
    #expect(path.points.map(\.others) == [[10], [12]])
    #expect(path.point(at: 1)?.others == [12])
    #expect(path.point(at: 0.5) == nil)
    #expect(path.point(at: 2) == nil)
  }

  @Test func pointsAreRemovedOnOneSide() {
    var path = path([point(-1, [9]), point(0, [10]), point(1, [11]), point(2, [12])])
    path.removeAll(from: 1, sign: 1)
    #expect(path.points.map(\.coordinate) == [-1, 0])
    path.removeAll(from: -0.5, sign: -1)
    #expect(path.points.map(\.coordinate) == [0])
  }

  @Test func betweenPointsBothAreStarts() {
    let path = path([point(0, [10, 1]), point(1, [12, 3]), point(3, [20, 7])])
    #expect(path.starts(at: 0.25) == [[10, 1], [12, 3]])
    #expect(path.starts(at: 2) == [[12, 3], [20, 7]])
  }

  @Test func beyondTheLastPointItIsAStartAndTwiceTheWayOn() {
    let path = path([point(0, [10, 1]), point(1, [12, 3]), point(3, [20, 7])])
    // From 1 to 3 the others go by 8 and 4; to 4 it is half of that way, and twice it is all.
    #expect(path.starts(at: 4) == [[20, 7], [28, 11]])
    #expect(path.starts(at: -0.5) == [[10, 1], [8, -1]])
  }

  @Test func onePointIsTheOnlyStart() {
    let path = path([point(0, [10, 1])])
    #expect(path.starts(at: 4) == [[10, 1]])
    #expect(path.starts(at: -4) == [[10, 1]])
  }

  @Test func withoutOtherCoordinatesThereIsOneEmptyStart() {
    #expect(path([point(0, []), point(1, [])]).starts(at: 2) == [[]])
  }

  @Test func aPointMovesToTheProfileOfAnotherCoordinate() {
    let point = ProfilePoint(coordinate: 5, others: [1, 9], value: 3)
    #expect(point.coordinates(holding: 1) == [1, 5, 9])
    let moved = point.moved(from: 1, to: 2)
    #expect(moved.coordinate == 9)
    #expect(moved.others == [1, 5])
    #expect(moved.value == 3)
    #expect(moved.coordinates(holding: 2) == [1, 5, 9])
  }
}
