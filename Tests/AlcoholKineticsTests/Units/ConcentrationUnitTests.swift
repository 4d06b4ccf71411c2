import AlcoholKinetics
import Testing

@Suite struct ConcentrationUnitTests {
  static let factors = ConversionFactors()

  /// 1.055 g/L of blood is 1 g/kg by definition of the density; everything else follows from it.
  @Test(arguments: [
    (ConcentrationUnit.bloodGramsPerKilogram, 1.0),
    (.bloodGramsPerLitre, 1.055),
    (.bloodMilligramsPer100Millilitres, 105.5),
    (.bloodGramsPer100Millilitres, 0.1055),
    (.serumGramsPerLitre, 1.055 * 1.16),
    (.serumMilligramsPer100Millilitres, 105.5 * 1.16),
    (.serumGramsPer100Millilitres, 0.1055 * 1.16),
    (.breathMilligramsPerLitre, 1055.0 / 2100),
    (.breathMicrogramsPer100Millilitres, 105_500.0 / 2100),
    (.breathGramsPer210Litres, 0.1055),
  ] as [(ConcentrationUnit, Double)])
  func oneGramPerKilogram(unit: ConcentrationUnit, value: Double) {
    let blood = unit.bloodConcentration(of: value, using: Self.factors)
    #expect(abs(blood.value - 1) < 1e-15)
    #expect(abs(unit.value(of: 1, using: Self.factors) - value) < 1e-13)
  }

  @Test(arguments: ConcentrationUnit.allCases)
  func convertsThereAndBack(unit: ConcentrationUnit) {
    let odd = ConversionFactors(
      bloodDensityKgPerL: 1.06, bloodBreathRatio: 2300, serumBloodRatio: 1.2)
    let back = unit.value(of: unit.bloodConcentration(of: 0.37, using: odd), using: odd)
    #expect(abs(back - 0.37) < 1e-15)
  }

  /// The legal limit of 0.35 mg/L of breath equals 0.8 g/kg at a ratio of 2300 and a density of
  /// about 1.0 (UK practice): the ratio scales breath readings and nothing else.
  @Test func theBreathRatioTouchesOnlyBreath() {
    let other = ConversionFactors(bloodBreathRatio: 2300)
    for unit in ConcentrationUnit.allCases {
      let ratio =
        unit.gramsPerKilogram(using: other) / unit.gramsPerKilogram(using: Self.factors)
      let expected = unit.rawValue.hasPrefix("brac") ? 2300.0 / 2100 : 1
      #expect(abs(ratio - expected) < 1e-15)
    }
  }
}
