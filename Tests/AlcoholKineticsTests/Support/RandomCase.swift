import AlcoholKinetics
import TestSupport

/// A random regimen and random parameters, from light to absurdly heavy drinking.
struct RandomCase: CustomStringConvertible, Sendable {
  let seed: UInt64
  let regimen: Regimen
  let parameters: KineticParameters

  init(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    self.seed = seed
    regimen = try Regimen(
      (0..<Int.random(in: 1...5, using: &random)).map { _ in
        try Dose(
          start: Hours(random.uniform(0...5)),
          duration: Bool.random(using: &random) ? 0 : Hours(random.logUniform(0.01...3)),
          amount: GramsPerKilogram(random.logUniform(0.01...1)))
      })
    parameters = try KineticParameters(
      ka: PerHour(random.logUniform(0.2...60)),
      beta: GramsPerKilogramHour(random.logUniform(0.03...0.6)),
      r: RFactor(random.uniform(0.4...0.9)),
      lag: Hours(Bool.random(using: &random) ? 0 : random.uniform(0...0.5)),
      absorbedFraction: random.uniform(0.5...1))
  }

  var trajectory: Trajectory { Trajectory(regimen, parameters) }

  /// Times over the whole curve and a little beyond, at no round number.
  func times(count: Int = 60) -> [Hours] {
    let end = (trajectory.timeToThreshold(0)?.value ?? 5) + 1
    return (0..<count).map { Hours((Double($0) + 0.123) / Double(count) * end) }
  }

  /// The parameters with some replaced.
  func parameters(
    ka: Double? = nil, beta: Double? = nil, r: Double? = nil, lag: Double? = nil
  ) throws -> KineticParameters {
    try KineticParameters(
      ka: PerHour(ka ?? parameters.ka.value),
      beta: GramsPerKilogramHour(beta ?? parameters.beta.value),
      r: RFactor(r ?? parameters.r.value),
      lag: Hours(lag ?? parameters.lag.value),
      absorbedFraction: parameters.absorbedFraction)
  }

  var description: String { "seed \(seed)" }

  static func cases(_ count: Int, from first: UInt64 = 1) throws -> [RandomCase] {
    try (0..<UInt64(count)).map { try RandomCase(seed: first + $0) }
  }
}
