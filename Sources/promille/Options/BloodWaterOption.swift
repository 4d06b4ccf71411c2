import AlcoholKinetics
import ArgumentParser
import Reporting

/// The water content of blood, for methods built on body water.
struct BloodWaterOption: ParsableArguments {
  @Option(
    name: .customLong("blood-water"),
    help: """
      B, the water content of blood, for methods based on body water: 0.80 for concentrations in \
      g/kg, 0.844 = 0.80 x 1.055 for g/L. The default follows the thesis, which used 0.844 with g/kg; \
      this makes r 5 % smaller than 0.80.
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
