import AlcoholKinetics
import Testing

@Suite struct CurveBufferTests {
  @Test func curvesFillTheBufferInOrder() throws {
    let cases = try RandomCase.cases(7)
    let grid = try TimeGrid(everyMinutes: 7, count: 61)
    var buffer = try CurveBuffer(grid: grid, curveCount: cases.count)
    #expect(buffer.values.count == 7 * 61)
    // Twice, since what was there before must not shine through.
    for order in [cases.reversed(), cases] {
      buffer.fill { (order[$0].regimen, order[$0].parameters) }
    }
    for (index, drinking) in cases.enumerated() {
      let alone = CurveEngine(grid).concentrations(of: drinking.regimen, drinking.parameters)
      #expect(Array(buffer[index]) == alone)
    }
  }

  @Test func emptyBufferHasNoValues() throws {
    let grid = try TimeGrid(count: 0)
    var buffer = try CurveBuffer(grid: grid, curveCount: 3)
    let drinking = try RandomCase(seed: 1)
    buffer.fill { _ in (drinking.regimen, drinking.parameters) }
    #expect(buffer[2].isEmpty)
    #expect(try CurveBuffer(grid: try TimeGrid(count: 9), curveCount: 0).values.isEmpty)
  }

  @Test(arguments: [-1, Int.max, Int.max / 8])
  func refusesCurvesOfAnotherSize(curveCount: Int) throws {
    let grid = try TimeGrid(count: 60)
    #expect(throws: Problem.self) { try CurveBuffer(grid: grid, curveCount: curveCount) }
  }
}
