import GSL
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite struct InitialValueProblemTests {
  /// The sum of the errors of steps with a relative error of 1e-13.
  private static let accuracy = 1e-12

  @Test(arguments: [0.01, 1.0, 30])
  func followsADecay(to end: Double) throws {
    let found = try InitialValueProblem.solve(from: 0, to: end, [1]) { _, state, slope in
      slope[0] = -state[0]
    }
    #expect(abs(found[0] - exp(-end)) <= Self.accuracy)
  }

  @Test func followsAnOscillationThatDependsOnTime() throws {
    // y'' = -y + t, y(1) = 1, y'(1) = 1 + 1: y = t + sin(t - 1).
    let found = try InitialValueProblem.solve(from: 1, to: 11, [1, 2]) { time, state, slope in
      slope[0] = state[1]
      slope[1] = time - state[0]
    }
    #expect(abs(found[0] - (11 + sin(10))) <= 11 * Self.accuracy)
    #expect(abs(found[1] - (1 + cos(10))) <= 11 * Self.accuracy)
  }

  @Test func stateIsUnchangedOverAnEmptyInterval() throws {
    let found = try InitialValueProblem.solve(from: 2, to: 2, [3]) { _, _, slope in slope[0] = 1 }
    #expect(found == [3])
  }

  @Test(arguments: [(1.0, 0.0), (.nan, 1), (0, .infinity)])
  func refusesImpossibleTimes(start: Double, end: Double) {
    let error = #expect(throws: GSLError.self) {
      try InitialValueProblem.solve(from: start, to: end, [1]) { _, _, slope in slope[0] = 0 }
    }
    #expect(error?.name == "GSL_EINVAL")
  }

  @Test func refusesAnEmptyStateAndNegativeTolerances() {
    #expect(throws: GSLError.self) {
      try InitialValueProblem.solve(from: 0, to: 1, []) { _, _, _ in }
    }
    let error = #expect(throws: GSLError.self) {
      try InitialValueProblem.solve(from: 0, to: 1, [1], relativeTolerance: -1) { _, _, slope in
        slope[0] = 0
      }
    }
    #expect(error?.name == "GSL_EBADTOL")
  }

  /// A state that runs to infinity within the time is no result.
  @Test func divergingStateIsAnError() {
    #expect(throws: GSLError.self) {
      try InitialValueProblem.solve(from: 0, to: 2, [1]) { _, state, slope in
        slope[0] = state[0] * state[0]
      }
    }
  }
}
