import AlcoholKinetics
import ArgumentParser
import Reporting

/// The water content of blood, for methods built on body water.
struct BloodWaterOption: ParsableArguments {
  @Option(
    name: .customLong("blood-water"),
    help: """
      B, the water content of blood, for methods from body water: 0.80 goes with concentrations in \
      g/kg, 0.844 = 0.80 x 1.055 with g/L; the default is the thesis', which takes it for g/kg. r is \
      5 % smaller with 0.844.
      """)
  var content = BloodWater.perLitre.content

  func validate() throws {
    guard content > 0, content.isFinite else {
      throw ValidationError("--blood-water is \(content); it must be a positive number.")
    }
  }

  var bloodWater: BloodWater { BloodWater(content: content) }

  /// The option as results carry it.
  var values: [(name: String, value: JSONValue)] { [("blood_water", .number(content))] }
}
