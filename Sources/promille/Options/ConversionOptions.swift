import AlcoholKinetics
import ArgumentParser

/// How readings are converted to g per kg of blood.
struct ConversionOptions: ParsableArguments {
  @Option(help: "Density of whole blood in kg/L.")
  var bloodDensity = ConversionFactors().bloodDensityKgPerL

  @Option(help: "Blood:breath ratio of ethanol, by volume; 2000 and 2300 are also in use.")
  var bloodBreathRatio = ConversionFactors().bloodBreathRatio

  @Option(help: "Serum:blood ratio of ethanol, by volume; published values are 1.12 to 1.24.")
  var serumBloodRatio = ConversionFactors().serumBloodRatio

  func validate() throws {
    for (name, value) in [
      ("--blood-density", bloodDensity), ("--blood-breath-ratio", bloodBreathRatio),
      ("--serum-blood-ratio", serumBloodRatio),
    ] where !(value > 0 && value.isFinite) {
      throw ValidationError("\(name) is \(value); it must be a positive number.")
    }
  }

  /// The conversion factors that were asked for.
  var factors: ConversionFactors {
    ConversionFactors(
      bloodDensityKgPerL: bloodDensity,
      bloodBreathRatio: bloodBreathRatio,
      serumBloodRatio: serumBloodRatio)
  }
}
