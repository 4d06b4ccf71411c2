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

  /// Two drinks, the second taken within 20 min of when the curve of the first comes to zero, and readings every
  /// quarter of an hour with an error of 0.02 g/kg.
  package static func touchingZero(seed: UInt64) throws -> Series {
    var generator = SeededGenerator(seed: seed)
    let parameters = try KineticParameters(
      ka: PerHour(generator.uniform(2...5)),
      beta: GramsPerKilogramHour(generator.uniform(0.13...0.21)),
      r: RFactor(generator.uniform(0.6...0.75)))
    let first = Drink(time: 0, ethanol: .mass(Grams(generator.uniform(12...25))))
    let weight = SimulatedSeries.man.weight
    let empty = Trajectory(try Regimen([first], bodyWeight: weight), parameters)
      .timeToThreshold(0.001)
    let second = Drink(
      time: (empty ?? 1) + Hours(generator.uniform(-0.3...0.3)),
      ethanol: .mass(Grams(generator.uniform(12...35))))
    let curve = Trajectory(try Regimen([first, second], bodyWeight: weight), parameters)
    let end = curve.timeToThreshold(0.001) ?? second.time
    let readings = (1...Int(4 * (end.value + 0.5))).map { index in
      let time = Hours(0.25 * Double(index))
      let value = max(0, curve.concentration(at: time).value + 0.02 * generator.nearlyNormal())
      return Reading(time: time, value: value, unit: .bloodGramsPerKilogram)
    }
    return Series(
      subject: Subject(id: "touching-\(seed)", sex: .male, age: 30, height: 1.8, weight: weight),
      drinks: [first, second], readings: readings)
  }
}
