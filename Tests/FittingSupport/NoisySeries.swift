package import AlcoholKinetics
package import StudyData
import TestSupport

/// Simulated series with noise.
package enum NoisySeries {
  /// One drink of 50 g, and readings with a normal error but for its tails.
  ///
  /// - Parameters:
  ///   - sd: Of the error, in g/kg.
  ///   - first: The first reading, in minutes.
  ///   - limit: What is below reads zero.
  package static func series(
    seed: UInt64, sd: Double = 0.02, ka: PerHour = 4, first: Double = 15, count: Int = 20,
    limit: Double? = nil
  ) throws -> Series {
    let drinks = [Drink(time: 0, ethanol: .mass(50))]
    let curve = Trajectory(
      try Regimen(drinks, bodyWeight: SimulatedSeries.man.weight),
      try KineticParameters(ka: ka, beta: 0.15, r: 0.65))
    var generator = SeededGenerator(seed: seed)
    let readings = (0..<count).map { index in
      let time = Hours(minutes: first + 20 * Double(index))
      let value = max(0, curve.concentration(at: time).value + sd * generator.nearlyNormal())
      return Reading(
        time: time, value: value < limit ?? 0 ? 0 : value, unit: .bloodGramsPerKilogram,
        limitOfDetection: limit)
    }
    return Series(
      subject: Subject(id: "noisy-\(seed)", sex: .male, age: 30, height: 1.8, weight: 80),
      drinks: drinks, readings: readings)
  }
}
