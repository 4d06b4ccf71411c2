import AlcoholKinetics
import Estimation
import Foundation
import StudyData
import TestSupport
import Testing

@testable import Population

/// Subjects of several studies, whose studies differ beyond them.
@Suite struct StudyLevelTests {
  private static let ka = PopulationParameter.kinetic(.ka)
  private static let ke = PopulationParameter.kinetic(.ke)
  private static let r = PopulationParameter.kinetic(.r)

  private static let model = PopulationModel(
    .firstOrder, parameters: [ka], random: [ke, r], studyLevel: [ke])

  /// The study that R simulated.
  private static func simulatedByR() throws -> [Series] {
    let rows = try PackageFolder.expectations("population-studies")
    var order: [String] = []
    var people: [String: Series] = [:]
    for row in rows {
      let id = row["subject"] ?? ""
      if people[id] == nil {
        order.append(id)
        let subject = Subject(id: id, covariates: ["study": row["study"] ?? ""])
        let drink = Drink(time: 0, ethanol: .perBodyWeight(1))
        people[id] = Series(subject: subject, drinks: [drink], readings: [])
      }
      people[id]?.readings.append(
        Reading(
          time: Hours(try row.known("time_h")),
          value: try row.known("bac_g_per_kg"), unit: .bloodGramsPerKilogram))
    }
    return order.compactMap { people[$0] }
  }

  /// nlme's likelihood is that of FOCE at its own estimates, of which it prints 12 digits.
  @Test func likelihoodAgreesWithNlme() throws {
    let study = try Self.simulatedByR()
    var expected: [String: Double] = [:]
    for row in try PackageFolder.expectations("population-studies-r") {
      expected[row["name"] ?? ""] = try row.known("value")
    }
    func value(_ name: String) throws -> Double { try #require(expected[name]) }
    let values = PopulationValues(
      // In the order k_a, r, k_e.
      typical: [try value("lka"), try value("lr"), try value("lke")],
      between: [try value("subject_r"), 0, 0, try value("subject_ke")],
      studies: [try value("study_ke")], sd: try value("sd"))
    let fit = try PopulationFit(evaluating: values, of: study, model: Self.model)
    let likelihood = try value("log_likelihood")
    #expect(
      abs(-0.5 * fit.minusTwoLogLikelihood - likelihood) < 2e-3, "\(fit.minusTwoLogLikelihood)")

    // nlme alternates between two linearised problems and stops a little short of the maximum.
    let own = try PopulationFit(study, model: Self.model, options: .init(starts: 1))
    #expect(own.isConverged && own.studies == (1...8).map(String.init))
    #expect(-0.5 * own.minusTwoLogLikelihood > likelihood - 1e-3)
    #expect(-0.5 * own.minusTwoLogLikelihood < likelihood + 0.1)
    let errors = try #require(own.uncertainty)
    for (place, name) in ["lka", "lr", "lke"].enumerated() {
      let error = try #require(errors.typical[place])
      #expect(abs(own.values.typical[place] - (try value(name))) < 0.1 * error)
    }
    #expect(abs(own.values.studies[0] - (try value("study_ke"))) < 0.1 * errors.studies[0])
    #expect(agree(own.values.sd, try value("sd"), relative: 0.01))

    // Without the level studies are taken for one, and what they differ in for differences between subjects.
    var plain = Self.model
    plain.studyLevel = []
    let pooled = try PopulationFit(study, model: plain, options: .init(starts: 1))
    #expect(pooled.objective > own.objective + 10)
    #expect(agree(own.totalBetween[1], pooled.values.between[3], relative: 0.5))
  }

  /// Studies of Widmark subjects, whose beta differs.
  private static func made(_ studies: Int, _ members: Int, seed: UInt64) throws -> [Series] {
    var generator = SeededGenerator(seed: seed)
    var all: [Series] = []
    for study in 0..<studies {
      let shift = 0.25 * generator.nearlyNormal()
      for member in 0..<members {
        let parameters = try ModelParameters(
          .widmark,
          [
            .ka: 4, .beta: 0.16 * Yardstick.exp(shift + 0.12 * generator.nearlyNormal()),
            .r: 0.65 * Yardstick.exp(0.1 * generator.nearlyNormal()),
          ])
        let drinks = [Drink(time: 0, ethanol: .perBodyWeight(0.8))]
        let curve = try parameters.curve(of: try Regimen(drinks, bodyWeight: nil))
        all.append(
          Series(
            subject: Subject(id: "\(study)-\(member)", covariates: ["group": "s\(study)"]),
            drinks: drinks,
            readings: [0.5, 1, 2, 3, 4, 5].map { time in
              Reading(
                time: Hours(time),
                value: max(
                  0, curve.concentration(at: Hours(time)).value + 0.02 * generator.nearlyNormal()),
                unit: .bloodGramsPerKilogram)
            }))
      }
    }
    return all
  }

  private static let widmark = PopulationModel(
    parameters: [ka], random: [.kinetic(.beta), r], studyLevel: [.kinetic(.beta)],
    studyColumn: "group")

  @Test func spreadBetweenStudiesIsRecovered() throws {
    let study = try Self.made(30, 5, seed: 3)
    let one = try PopulationFit(study, model: Self.widmark, options: .init(starts: 1, jobs: 1))
    let two = try PopulationFit(study, model: Self.widmark, options: .init(starts: 1, jobs: 2))
    #expect(one.isConverged && one.values == two.values && one.objective == two.objective)
    let errors = try #require(one.uncertainty)
    #expect(abs(one.values.studies[0] - 0.0625) < 2.5 * errors.studies[0])
    #expect(abs(one.values.between[0] - 0.0144) < 2.5 * errors.between[0])
    let error = try #require(errors.typical[1])
    #expect(abs(one.values.typical[1] - Yardstick.log(0.16)) < 2.5 * error)
    // A typical beta is known as well as 30 studies tell, not as 150 subjects would.
    #expect(error > 0.7 * (0.0625 / 30).squareRoot())
    #expect(one.individuals.map(\.subject) == study.map(\.subject.id))
  }

  @Test func gradientAgreesWithDifferences() throws {
    var model = Self.widmark
    model.occasional = [Self.ka]
    model.isFull = true
    let values = PopulationValues(
      typical: [3.8, 0.17, 0.66].map(Yardstick.log), between: [0.02, 0.004, 0.004, 0.01],
      within: [0.03], studies: [0.05], sd: 0.025)
    let people = try PopulationData(
      try Self.made(3, 3, seed: 8), instrument: nil, model, centers: nil, jobs: 1)
    let objective = PopulationObjective(
      data: people, model: model, options: .init(), others: values)
    let vector = people.coordinates.vector(values)
    let found = try #require(objective.gradient(at: vector))
    #expect(found.units.count == 3)
    for index in vector.indices {
      func value(_ change: Double) -> Double {
        var moved = vector
        moved[index] += change
        return objective.value(at: moved)
      }
      let slope = (8 * (value(1e-3) - value(-1e-3)) - (value(2e-3) - value(-2e-3))) / 12e-3
      #expect(
        abs(found.gradient[index] - slope) < 2e-5 * max(1, abs(slope)),
        "\(index): \(found.gradient[index]) \(slope)")
    }
  }

  @Test func unidentifiableStudyEffectsAreRefused() throws {
    let study = try Self.made(2, 2, seed: 1)
    func refusal(_ change: (inout PopulationModel) -> Void, of study: [Series]) -> String? {
      var model = Self.widmark
      change(&model)
      do throws(Problem) {
        _ = try PopulationFit(study, model: model)
        return nil
      } catch {
        return error.description
      }
    }
    #expect(refusal({ $0.studyColumn = "shoe" }, of: study)?.contains("shoe") == true)
    #expect(
      refusal({ _ in }, of: Array(study.prefix(2)))?.contains("two studies or more") == true)
    #expect(refusal({ $0.studyLevel = [Self.ka] }, of: study)?.contains("ka") == true)
  }

  /// A population of several studies widens the prior for a subject of another study.
  @Test func aFileWithStudiesWidensTheSpreadBetweenSubjects() throws {
    let text = populationText(
      typical: ["ka": 4, "beta": 0.16, "r": 0.65], between: ["beta": 0.02, "r": 0.01],
      studies: ["beta": 0.06], residual: ["sd": 0.02]
    ).replacing(#""other": "beta", "covariance": 0.06"#, with: #""variance": 0.06"#)
    let file = try PopulationFile(Data(text.utf8))
    let nested = try file.values(of: Self.widmark)
    #expect(nested.studies == [0.06] && nested.between == [0.02, 0, 0, 0.01])
    var plain = Self.widmark
    plain.studyLevel = []
    let values = try file.values(of: plain)
    #expect(values.studies.isEmpty && values.between == [0.08, 0, 0, 0.01])
  }
}
