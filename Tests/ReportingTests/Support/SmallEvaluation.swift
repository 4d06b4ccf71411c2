import AlcoholKinetics
import Estimation
import StudyData
import TestSupport
import Validation

/// Studies that are quickly evaluated.
enum SmallEvaluation {
  /// People with these names, each with one drink and twelve readings.
  static func study(_ names: [String], occasion: String? = nil) throws -> Study {
    Study(
      name: "small", title: "A small study",
      series: try names.enumerated().map { index, name in
        try series(name, occasion: occasion, seed: UInt64(index))
      })
  }

  static func evaluation(
    _ names: [String], detailing most: Int = .max
  ) throws -> StudyEvaluation {
    try StudyEvaluation(
      of: try study(names), fitOptions: FitOptions(fixed: [.r: 0.65]),
      predictionOptions: PredictionOptions(threshold: 0.1),
      bootstrap: Bootstrap(seed: 1, replicates: 50), detailing: most)
  }

  private static func series(_ name: String, occasion: String?, seed: UInt64) throws -> Series {
    let subject = Subject(id: name, sex: .male, age: 30, height: 1.8, weight: 80)
    let drinks = [Drink(time: 0, ethanol: .mass(40))]
    let curve = Trajectory(
      try Regimen(drinks, bodyWeight: subject.weight),
      try KineticParameters(ka: 3, beta: 0.16, r: 0.65))
    var generator = SeededGenerator(seed: seed)
    let readings = (1...12).map { index in
      let time = Hours(minutes: 30 * Double(index))
      let noise = generator.uniform(-0.03...0.03)
      return Reading(
        time: time, value: max(0, curve.concentration(at: time).value + noise),
        unit: .bloodGramsPerKilogram)
    }
    return Series(subject: subject, occasion: occasion, drinks: drinks, readings: readings)
  }
}
