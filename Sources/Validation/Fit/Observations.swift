import AlcoholKinetics
import GSL
import StudyData

/// The usable readings of a series as the solver wants them.
struct Observations {
  /// Times in h, ascending.
  let times: [Double]
  /// Concentrations in g/kg.
  let concentrations: [Double]

  init(_ readings: [Reading], factors: ConversionFactors) {
    let used = readings.filter { !$0.isExcluded }
    times = used.map(\.time.value)
    concentrations = used.map { $0.bloodConcentration(using: factors).value }
  }

  var count: Int { times.count }

  var largest: Double { concentrations.max() ?? 0 }

  /// The residual sum of squares of a curve that is zero throughout, in (g/kg)^2.
  var sumOfSquares: Double { concentrations.reduce(0) { $0 + $1 * $1 } }

  /// How many concentrations are above a limit.
  func count(above limit: GramsPerKilogram) -> Int {
    concentrations.count { $0 > limit.value }
  }

  /// Lends the least-squares problem of fitting these observations; it must not outlive the call.
  func withProblem<Result>(
    _ regimen: Regimen,
    _ layout: ParameterLayout,
    _ body: (LeastSquaresProblem) throws(SeriesFailure) -> Result
  ) throws(SeriesFailure) -> Result {
    try times.withUnsafeBufferPointer { times throws(SeriesFailure) in
      try concentrations.withUnsafeBufferPointer { measured throws(SeriesFailure) in
        let problem = CurveProblem(
          regimen: regimen, times: times, measured: measured, layout: layout)
        return try withUnsafePointer(to: problem) { pointer throws(SeriesFailure) in
          try body(CurveProblem.leastSquares(pointer))
        }
      }
    }
  }
}
