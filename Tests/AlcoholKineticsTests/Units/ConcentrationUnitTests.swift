@_spi(StudyDay) import AlcoholKinetics
import Foundation
import TestSupport
import Testing

@Suite struct ConcentrationUnitTests {
  static let factors = ConversionFactors()

  /// 1.055 g/L of blood is 1 g/kg by definition of the density; everything else follows from it.
  @Test(
    arguments: [
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
  func oneGramPerKilogramConvertsToEveryUnit(unit: ConcentrationUnit, value: Double) {
    let blood = unit.bloodConcentration(of: value, using: Self.factors)
    #expect(abs(blood.value - 1) < 1e-15)
    #expect(abs(unit.value(of: 1, using: Self.factors) - value) < 1e-13)
  }

  /// A line of the table that cannot be read would be missing, and a name in the code that it has not be another unit.
  @Test func unitTableIsReadWhole() throws {
    let file = PackageFolder.root.appending(path: "Sources/AlcoholKinetics/Units/units.tsv")
    let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
      .filter { !$0.hasPrefix("#") }
    let rows = ConcentrationUnit.Row.all
    #expect(rows.map(\.name) == lines.map { $0.prefix { $0 != "\t" }.description })
    #expect(Set(rows.map(\.name)).count == rows.count)
    for row in rows {
      #expect(row.grams > 0 && row.amount > 0 && row.scale.isFinite && !row.words.isEmpty)
      // The density is that of blood.
      #expect(!row.isByMass || row.matrix == .blood)
      #expect(["", "us", "uk"].contains(row.region))
    }
    let named: [ConcentrationUnit] = [
      .bloodGramsPerKilogram, .bloodGramsPerLitre, .bloodMilligramsPer100Millilitres,
      .bloodGramsPer100Millilitres, .serumGramsPerLitre, .serumMilligramsPer100Millilitres,
      .serumGramsPer100Millilitres, .breathMilligramsPerLitre, .breathMicrogramsPer100Millilitres,
      .breathGramsPer210Litres,
    ]
    #expect(Set(named).count == named.count)
    let numbers = ConcentrationUnit.allCases.map(\.number)
    #expect(Set(numbers).count == numbers.count && numbers.allSatisfy { 1...255 ~= $0 })
    // They are part of UUIDs.
    #expect(named.map(\.number) == [1, 2, 3, 4, 5, 9, 10, 6, 7, 8])
    for unit in ConcentrationUnit.allCases {
      #expect(ConcentrationUnit(rawValue: unit.rawValue) == unit)
      let highest = unit.bloodConcentration(of: unit.highestPlausible, using: Self.factors)
      #expect((4...6).contains(highest.value), "\(unit.rawValue)")
    }
    #expect(ConcentrationUnit(rawValue: "brac_mg_per_l ") == nil)
  }

  @Test func pythonPackageHasTheSameUnitTable() throws {
    let tables = try ["Sources/AlcoholKinetics/Units", "python/src/promille"].map { folder in
      try String(
        contentsOf: PackageFolder.root.appending(path: "\(folder)/units.tsv"), encoding: .utf8)
    }
    #expect(tables[0] == tables[1])
  }

  @Test(arguments: ConcentrationUnit.allCases)
  func conversionsAreInvertible(unit: ConcentrationUnit) {
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
