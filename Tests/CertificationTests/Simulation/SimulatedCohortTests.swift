import AlcoholKinetics
import StudyData
import Testing

@testable import Certification
@testable import Estimation

/// A simulated cohort is what its design says.
@Suite struct SimulatedCohortTests {
  private static func people(_ design: CohortDesign) throws -> [SimulatedPerson] {
    var cohort = try SimulatedCohort(design)
    var people: [SimulatedPerson] = []
    while let person = try cohort.next() { people.append(person) }
    return people
  }

  @Test func largerCohortBeginsWithTheSamePeople() throws {
    let short = try Self.people(CohortDesign(subjects: 5, seed: 9))
    let long = try Self.people(CohortDesign(subjects: 30, seed: 9))
    #expect(Array(long.prefix(5)) == short)
    #expect(try Self.people(CohortDesign(subjects: 5, seed: 10)) != short)
  }

  @Test func readingsScatterAboutTheTruth() throws {
    let people = try Self.people(CohortDesign(subjects: 200, seed: 1, noise: 0.01))
    var squares: [Double] = []
    for person in people {
      let curve = try person.parameters.curve(
        of: try Regimen(person.series.drinks, bodyWeight: person.series.subject.weight))
      for reading in person.series.readings {
        let truth = curve.concentration(at: reading.time).value
        // Near zero, readings are cut off.
        if truth > 0.1 {
          squares.append((reading.value - truth) * (reading.value - truth))
        }
      }
    }
    let variance = squares.reduce(0, +) / Double(squares.count)
    // Some 3000 readings: the relative error of their SD is about 1.3 %.
    #expect(squares.count > 2000)
    #expect(abs(variance.squareRoot() / 0.01 - 1) < 0.06)
  }

  @Test func parametersHaveTheDesignsDistribution() throws {
    let people = try Self.people(CohortDesign(subjects: 4000, seed: 2, readings: 0))
    let betas = people.compactMap { $0.parameters[.beta] }
    let mean = betas.reduce(0, +) / 4000
    #expect(abs(mean - 0.15) < 0.002)
    #expect(betas.allSatisfy { 0.08...0.3 ~= $0 })
    let below = people.count { $0.parameters[.ka] ?? 0 < 4 }
    // The median, within four standard errors of a proportion.
    #expect(abs(below - 2000) < 127)
    let drinks = people.map(\.series.drinks.count)
    #expect(Set(drinks) == [1, 2, 3, 4])
    #expect(people.allSatisfy { $0.series.readings.isEmpty })
  }

  @Test func noiselessFitRecoversTheTruth() throws {
    let people = try Self.people(
      CohortDesign(subjects: 5, seed: 3, readings: 20, noise: 0, spreadOfR: 0))
    let fitter = try SeriesFitter(options: FitOptions(interval: nil))
    for person in people {
      let fit = try fitter.fit(person.series)
      let (ka, beta) = (fit.values[.ka] ?? 0, fit.values[.beta] ?? 0)
      // Readings have four decimals.
      #expect(abs(ka / (person.parameters[.ka] ?? .nan) - 1) < 0.01)
      #expect(abs(beta / (person.parameters[.beta] ?? .nan) - 1) < 0.005)
    }
  }

  @Test func readingsBelowTheLimitAreZero() throws {
    let people = try Self.people(
      CohortDesign(subjects: 20, seed: 4, limitOfDetection: 0.1))
    let readings = people.flatMap(\.series.readings)
    #expect(readings.allSatisfy { $0.value == 0 || $0.value >= 0.1 })
    #expect(readings.allSatisfy { $0.limitOfDetection == 0.1 })
    #expect(readings.contains { $0.value == 0 })
  }
}
