import AlcoholKinetics
import Testing

@Suite struct TimeGridTests {
  @Test func timesAreEquallySpaced() throws {
    let grid = try TimeGrid(start: 2, everyMinutes: 15, count: 5)
    #expect((0..<5).map { grid.time($0).value } == [2, 2.25, 2.5, 2.75, 3])
  }

  @Test func gridDefaultsToWholeMinutes() throws {
    let grid = try TimeGrid(count: 10_080)
    #expect(grid.start == 0)
    #expect((0..<10_080).allSatisfy { grid.time($0) == Hours(minutes: Double($0)) })
  }

  @Test func refusesImpossibleGrids() {
    #expect(throws: Problem.self) { try TimeGrid(count: -1) }
    #expect(throws: Problem.self) { try TimeGrid(everyMinutes: 0, count: 1) }
    #expect(throws: Problem.self) { try TimeGrid(everyMinutes: -.infinity, count: 1) }
    #expect(throws: Problem.self) { try TimeGrid(start: Hours(.nan), count: 1) }
    #expect(throws: Problem.self) { try TimeGrid(everyMinutes: 1e308, count: .max) }
  }
}
