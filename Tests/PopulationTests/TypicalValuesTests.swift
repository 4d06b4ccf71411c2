import AlcoholKinetics
import Foundation
import Statistics
import Testing

@testable import Population

/// Predictions without a prior take the typical values, and the spread, of the priors that ship.
@Suite struct TypicalValuesTests {
  private static let priors: [(TypicalKinetics, String)] = [(.fasted, "fasted"), (.fed, "fed")]

  @Test(arguments: priors)
  func typicalValuesAreThoseOfTheShippedPriors(typical: TypicalKinetics, name: String) throws {
    let text = try #require(PopulationPrior.shippedText(name))
    let prior = try PopulationPrior(try PopulationFile(Data(text.utf8)))
    let structure = prior.structure
    let parameters = TypicalKinetics.spreadParameters
    let places = try parameters.map { try #require(structure.kinetic.firstIndex(of: $0)) }
    for sex in [Sex.male, .female] {
      let person = Subject(id: "a", sex: sex)
      let values = typical.values(of: .widmark, for: sex)
      for parameter in parameters {
        let expected = try #require(try prior.typicalValue(of: parameter, for: person))
        let value = try #require(values[parameter])
        #expect(abs(value / expected - 1) < 1e-12, "\(name) \(parameter.rawValue)")
      }
      let covariance = prior.covariance(for: person)
      for (row, place) in places.enumerated() {
        for (column, other) in places.enumerated() {
          let found = typical.logCovariance[parameters.count * row + column]
          #expect(abs(found - covariance[place, other]) < 1e-12)
        }
      }
    }
  }
}
