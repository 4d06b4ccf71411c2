package import AlcoholKinetics
package import StudyData

/// A series whose readings are the model's own values, so that the truth is known.
package enum SimulatedSeries {
  /// Three drinks, the second over half an hour, and a reading every 10 minutes for 9 hours.
  package static let drinks = [
    Drink(time: 0, ethanol: .mass(20)),
    Drink(time: 0.75, duration: 0.5, ethanol: .mass(25)),
    Drink(time: 1.5, ethanol: .mass(15)),
  ]

  package static let man = Subject(id: "man", sex: .male, age: 30, height: 1.8, weight: 80)

  package static func series(
    ka: PerHour = 4, beta: GramsPerKilogramHour = 0.15, r: RFactor = 0.65,
    drinks: [Drink] = drinks, everyMinutes step: Double = 10, count: Int = 54
  ) throws -> Series {
    let curve = Trajectory(
      try Regimen(drinks, bodyWeight: man.weight), try KineticParameters(ka: ka, beta: beta, r: r))
    let readings = (1...count).map { index in
      let time = Hours(minutes: Double(index) * step)
      return Reading(
        time: time, value: curve.concentration(at: time).value, unit: .bloodGramsPerKilogram)
    }
    return Series(subject: man, drinks: drinks, readings: readings)
  }
}
