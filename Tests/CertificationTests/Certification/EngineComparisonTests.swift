import AlcoholKinetics
import Estimation
import StudyData
import StudyFiles
import TestSupport
import Testing

@testable import Certification

/// Lanes beside GSL, on what ships and on a few people of each simulated design; the certificate itself, with
/// thousands, is made by `promille regress --engines`.
@Suite struct EngineComparisonTests {
  @Test(arguments: [Set<FitParameter>([.ka, .beta]), [.ka, .beta, .r]])
  func shippedStudyFitsAgreeWithGSL(estimate: Set<FitParameter>) throws {
    let study = try StudyReader(PackageFolder.dataset("nacar-2021")).study()
    let comparison = try EngineComparison(
      study.name, of: study.series, instrument: study.instrument,
      options: FitOptions(estimate: estimate), jobs: 2)
    #expect(comparison.series == study.series.count)
    #expect(comparison.isPassed, "\(comparison)")
  }

  @Test(arguments: EngineComparison.designs(people: 6))
  func simulatedFitsAgreeWithGSL(design: EngineComparison.Design) throws {
    let comparison = try EngineComparison(
      design.name, of: try design.people().map(\.series), options: design.options, jobs: 2)
    // One who drank little at a high limit of detection may show nothing, to either engine.
    #expect(comparison.series >= 5)
    #expect(comparison.isPassed, "\(comparison)")
  }

  @Test(arguments: [DoubtfulPerson.perfectFit, .instantAbsorption, .almostWidmark, .flatValley])
  private func difficultFitsAgreeWithGSL(person: DoubtfulPerson) throws {
    let comparison = try EngineComparison(
      person.name, of: [person.series], options: person.options, jobs: 1)
    #expect(comparison.series == 1)
    #expect(comparison.isPassed && comparison.wider == 0, "\(comparison)")
  }

  /// The ends are those of an exhaustive search (grids of descents by SciPy).
  @Test func intervalEndsNearABoundAgreeWithExhaustiveSearch() throws {
    let absorbed = DoubtfulPerson.instantAbsorption
    let fit = try SeriesFitter(options: absorbed.options).fit(absorbed.series)
    #expect(try agree(#require(fit.estimates[.r]?.low), 0.5099571, absolute: 2e-6))
    let saturated = DoubtfulPerson.almostWidmark
    let other = try SeriesFitter(options: saturated.options).fit(saturated.series)
    #expect(other.estimates[.ka]?.high == nil)
  }

  /// Fits to other readings are not the minima of these.
  @Test func fitsOfOtherReadingsFailTheComparison() throws {
    let study = try StudyReader(PackageFolder.dataset("nacar-2021")).study()
    let fits = try StudyFit.fits(
      of: study, options: FitOptions(starts: StartDesign(count: 1), interval: nil), jobs: 2)
    let comparison = try EngineComparison(
      "other", of: fits, instrument: study.instrument,
      options: FitOptions(error: .proportional(cv: nil)), jobs: 2)
    #expect(!comparison.isPassed)
  }

  @Test func unfinishedDescentIsRepeated() throws {
    let person = DoubtfulPerson.flatValley
    let fit = try SeriesFitter(options: person.options).fit(person.series)
    #expect(fit.status == .undetermined)
  }

  @Test func sixDesignsHaveDistinctNames() {
    #expect(Set(EngineComparison.designs(people: 1).map(\.name)).count == 6)
  }
}

/// One drink, and readings at equal times, whose interval ends are hard to find.
private struct DoubtfulPerson: Sendable {
  let name: String
  let subject: Subject
  let grams: Grams
  let minutes: Double
  let readings: [Double]
  let options: FitOptions

  var series: Series {
    Series(
      subject: subject, drinks: [Drink(time: 0, ethanol: .mass(grams))],
      readings: readings.enumerated().map { index, value in
        Reading(
          time: Hours(minutes: minutes * Double(index + 1)), value: value,
          unit: .bloodGramsPerKilogram)
      })
  }

  /// Two readings and a zero determine k_a and beta exactly, so that standard errors are rounding.
  static let perfectFit = DoubtfulPerson(
    name: "perfect fit", subject: Subject(id: "1", sex: .male, age: 24, height: 1.81, weight: 98.7),
    grams: 16.2, minutes: 40, readings: [0.0866, 0.0120, 0, 0, 0, 0], options: FitOptions())

  /// All is absorbed before the first reading, so that k_a is at its bound, where nothing changes with it; the profile of
  /// r leaves the bound.
  static let instantAbsorption = DoubtfulPerson(
    name: "instant absorption",
    subject: Subject(id: "2", sex: .female, age: 22, height: 1.59, weight: 75), grams: 19.9,
    minutes: 20,
    readings: [
      0.4524, 0.3585, 0.2922, 0.2372, 0.2156, 0.1442, 0.0506, 0.0263, 0.0004, 0, 0, 0.0042, 0,
      0.0459, 0, 0.0413, 0, 0, 0.0032, 0.0179, 0.0069, 0, 0, 0.0164, 0,
    ],
    options: FitOptions(estimate: [.ka, .beta, .r]))

  /// A person for whom the fit at the end of the profile of k_a is as good with K_m at its bound, from where the
  /// profile continues.
  static let almostWidmark = DoubtfulPerson(
    name: "almost Widmark",
    subject: Subject(id: "3", sex: .female, age: 35, height: 1.74, weight: 81), grams: 19.1,
    minutes: 20,
    readings: [
      0.2055, 0.2080, 0.2226, 0.1461, 0.0377, 0.0289, 0, 0.0164, 0.0216, 0, 0.0095, 0.0209, 0.0025,
      0.0128, 0.0302, 0.0025, 0.0259, 0.0212, 0.0256, 0.0383, 0, 0.0040, 0.0056, 0.0082, 0,
    ],
    options: FitOptions(model: .michaelisMenten))

  /// With K_m at its bound a descent along the valley of the others stops on its way, and is made again.
  static let flatValley = DoubtfulPerson(
    name: "flat valley", subject: Subject(id: "4", sex: .male, age: 59, height: 1.62, weight: 63.3),
    grams: 13.3, minutes: 20,
    readings: [
      0.2953, 0.2510, 0.1833, 0.1256, 0.1605, 0.0369, 0.0112, 0.0236, 0.0144, 0.0152, 0, 0, 0.0061,
      0,
      0, 0.0139, 0, 0.0146, 0, 0.0247, 0.0004, 0, 0, 0.0051, 0.0263,
    ],
    options: FitOptions(model: .michaelisMenten))
}
