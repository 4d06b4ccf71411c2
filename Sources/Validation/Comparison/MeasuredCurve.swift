import AlcoholKinetics
import StudyData

/// The readings of a series that the study does not exclude, at face value.
struct MeasuredCurve {
  /// Times in h, ascending.
  let times: [Double]
  /// Concentrations in g/kg.
  let concentrations: [Double]

  init(_ readings: [Reading], factors: ConversionFactors) {
    let used = readings.filter { !$0.isExcluded }
    times = used.map(\.time.value)
    concentrations = used.map { $0.bloodConcentration(using: factors).value }
  }

  /// How many concentrations are above a limit.
  func count(above limit: GramsPerKilogram) -> Int {
    concentrations.count { $0 > limit.value }
  }
}
