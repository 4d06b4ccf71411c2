import AlcoholKinetics

/// What a drink that was entered on a study day holds.
package enum EnteredDrink {
  /// The ethanol in g; nil unless exactly one of mass of ethanol, volume and strength, or mass and strength is said.
  package static func grams(_ value: EventValue) -> Double? {
    let (ethanol, volume) = (value["ethanol_g"]?.double, value["volume_ml"]?.double)
    let (mass, abv) = (value["mass_g"]?.double, value["abv_percent"]?.double)
    let density = EthanolDose.densityGramsPerMillilitre
    return switch (ethanol, volume, mass, abv) {
    case (let ethanol?, nil, nil, nil): ethanol
    case (nil, let volume?, nil, let abv?): volume * abv / 100 * density
    case (nil, nil, let mass?, let abv?):
      mass / DrinkDensity.gramsPerMillilitre(abvPercent: abv) * abv / 100 * density
    default: nil
    }
  }
}

/// The density of a drink that is weighed: that of ethanol in water at 20 C (OIML R 22, 1975), read between its
/// tens of percent, which is right to 0.2 %. Sugar makes a drink heavier.
package enum DrinkDensity {
  private static let table = [
    0.9982, 0.98471, 0.97356, 0.96224, 0.94805, 0.93014, 0.90911, 0.88551, 0.85927, 0.82926,
    0.78924,
  ]

  /// In g/ml.
  package static func gramsPerMillilitre(abvPercent: Double) -> Double {
    let place = min(max(abvPercent / 10, 0), 10)
    let index = min(Int(place), 9)
    return table[index] + (place - Double(index)) * (table[index + 1] - table[index])
  }
}
