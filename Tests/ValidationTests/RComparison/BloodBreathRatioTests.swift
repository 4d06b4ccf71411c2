import AlcoholKinetics
import Estimation
import StudyData
import Testing
import Validation

@Suite struct BloodBreathRatioTests {
  private func estimate(_ c0: GramsPerKilogram?, _ breath: Double?) -> SubjectEstimate {
    SubjectEstimate(subject: Subject(id: "x"), c0: c0, c0BreathMgPerL: breath)
  }

  @Test func ratioIsByVolume() throws {
    // 1 g/kg is 1.055 g/L; 0.5 mg/L is 0.0005 g/L.
    let ratio = try #require(BloodBreathRatio(of: estimate(1, 0.5), using: ConversionFactors()))
    #expect(abs(ratio.value - 2110) < 1e-9)
    let factors = ConversionFactors(bloodDensityKgPerL: 1)
    #expect(BloodBreathRatio(of: estimate(1, 0.5), using: factors)?.value == 2000)
  }

  @Test func ratioIsIndependentOfTheBreathConversion() throws {
    let factors = ConversionFactors()
    let blood = ConcentrationUnit.breathMilligramsPerLitre.bloodConcentration(
      of: 0.5, using: factors)
    let ratio = try #require(BloodBreathRatio(of: estimate(blood, 0.5), using: factors))
    #expect(abs(ratio.value - factors.bloodBreathRatio) < 1e-9)
  }

  @Test func subjectsWithoutBothAreLeftOut() {
    var spoilt = estimate(1, 0.5)
    spoilt.diagnostics = [
      Diagnostic(.sex, at: SourceLocation(file: "f"), message: "m", remedy: "r")
    ]
    let subjects = [estimate(1, nil), estimate(nil, 0.5), spoilt, estimate(1.1, 0.5)]
    let ratios = BloodBreathRatio.ratios(of: EstimateStudy(name: "study", subjects: subjects))
    #expect(ratios.map(\.value) == [1.1 * 1.055 / 0.0005])
  }
}
