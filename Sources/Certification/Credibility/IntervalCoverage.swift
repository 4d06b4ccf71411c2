public import AlcoholKinetics
import Estimation

/// How often the intervals of one parameter hold the truth, in a cohort that is made up.
public struct IntervalCoverage: Codable, Hashable, Sendable {
  /// The design of the cohort.
  public let design: String
  public let parameter: FitParameter
  /// How often intervals are to hold the truth.
  public let level: Double
  /// How many intervals there are; one without an end on one side is counted, one without any is not.
  public private(set) var intervals = 0
  /// How many of them hold the truth.
  public private(set) var covered = 0

  /// Counts for every parameter that was estimated.
  ///
  /// - Parameter fits: Those of the people, in the same order.
  static func all(
    _ design: String, _ people: [SimulatedPerson], _ fits: [StudyFit], level: Double
  ) -> [IntervalCoverage] {
    let estimated = fits.lazy.compactMap { try? $0.result.get() }.first?.estimates.keys.sorted()
    return (estimated ?? []).map { parameter in
      var coverage = IntervalCoverage(design: design, parameter: parameter, level: level)
      for (person, fit) in zip(people, fits) {
        guard let estimate = (try? fit.result.get())?.estimates[parameter],
          let truth = person.parameters[parameter]
        else { continue }
        coverage.count(estimate, truth)
      }
      return coverage
    }
  }

  private mutating func count(_ estimate: ParameterEstimate, _ truth: Double) {
    guard estimate.low != nil || estimate.high != nil else { return }
    intervals += 1
    if estimate.low ?? truth <= truth, truth <= estimate.high ?? truth { covered += 1 }
  }
}
