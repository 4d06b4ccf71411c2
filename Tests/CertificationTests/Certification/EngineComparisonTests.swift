import AlcoholKinetics
import Estimation
import Spreadsheets
import StudyData
import TestSupport
import Testing

@testable import Certification

/// Lanes beside GSL, on what ships and on a few people of each simulated design; the certificate itself, with
/// thousands, is made by `promille regress --engines`.
@Suite struct EngineComparisonTests {
  @Test(arguments: [Set<FitParameter>([.ka, .beta]), [.ka, .beta, .r]])
  func theStudyThatShipsIsAsGSLHasIt(estimate: Set<FitParameter>) throws {
    let study = try StudyReader(PackageFolder.dataset("nacar-2021")).study()
    let comparison = try EngineComparison(
      study.name, of: study.series, instrument: study.instrument,
      options: FitOptions(estimate: estimate), jobs: 2)
    #expect(comparison.series == study.series.count)
    #expect(comparison.isPassed, "\(comparison)")
  }

  @Test(arguments: EngineComparison.designs(people: 6))
  func simulatedPeopleAreAsGSLHasThem(design: EngineComparison.Design) throws {
    let comparison = try EngineComparison(
      design.name, of: try design.people().map(\.series), options: design.options, jobs: 2)
    // One who drank little at a high limit of detection may show nothing, to either engine.
    #expect(comparison.series >= 5)
    #expect(comparison.isPassed, "\(comparison)")
  }

  @Test func thereAreSixDesignsWithNamesOfTheirOwn() {
    #expect(Set(EngineComparison.designs(people: 1).map(\.name)).count == 6)
  }
}
