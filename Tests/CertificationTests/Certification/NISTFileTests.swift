import Foundation
import TestSupport
import Testing

@testable import Certification

/// What is built in is, number by number, what stands in NIST's own files.
@Suite(.enabled(if: PackageFolder.hasShared("nist-strd"), "NIST's files are not there"))
struct NISTFileTests {
  private func lines(of problem: NISTProblem) throws -> [String] {
    let path = PackageFolder.shared("nist-strd/\(problem.name).dat")
    return try String(contentsOfFile: path, encoding: .utf8).split(
      separator: "\n", omittingEmptySubsequences: false
    ).map { words(of: $0).joined(separator: " ") }
  }

  private func words(of line: some StringProtocol) -> [String] {
    line.split(whereSeparator: \.isWhitespace).map { String($0) }
  }

  /// The observations begin on line 61 of every file.
  @Test(arguments: NISTProblem.all)
  func observationsAreTheSame(_ problem: NISTProblem) throws {
    let observations = try lines(of: problem)[60...].filter { !$0.isEmpty }
    #expect(problem.observations.map { String($0) } == observations)
  }

  /// Starts and certified values begin on line 41 of every file.
  @Test(arguments: NISTProblem.all)
  func certifiedValuesAreTheSame(_ problem: NISTProblem) throws {
    for (j, line) in try lines(of: problem)[40...].prefix(problem.parameters.count).enumerated() {
      let numbers = line.split(separator: "=").last.map { words(of: $0).compactMap { Double($0) } }
      #expect(line.hasPrefix("b\(j + 1) "))
      #expect(
        numbers == [
          problem.starts[0][j], problem.starts[1][j], problem.parameters[j],
          problem.standardDeviations[j],
        ])
    }
  }

  @Test(arguments: NISTProblem.all)
  func restIsTheSame(_ problem: NISTProblem) throws {
    let lines = try lines(of: problem)
    func number(after title: String) throws -> Double? {
      let line = try #require(lines.first { $0.hasPrefix(title) })
      return Double(line.dropFirst(title.count + 1))
    }
    #expect(lines.contains("Dataset Name: \(problem.name) (\(problem.name).dat)"))
    #expect(try number(after: "Residual Sum of Squares:") == problem.rss)
    #expect(try number(after: "Residual Standard Deviation:") == problem.residualSD)
    // A slip of the file: it has 15 observations and 4 parameters.
    let degreesOfFreedom = problem.name == "Rat43" ? 9 : problem.degreesOfFreedom
    #expect(try number(after: "Degrees of Freedom:") == Double(degreesOfFreedom))
    let difficulty = problem.difficulty.rawValue.capitalized
    #expect(lines.contains("\(difficulty) Level of Difficulty"))
    #expect(lines.joined(separator: " ").contains(problem.formula))
  }
}
