import AlcoholKinetics
import Foundation
import Statistics
import Testing

@testable import Population

/// Predictions without a prior take typical values of one study each; the priors that ship rest on more, and must not
/// contradict them.
@Suite struct TypicalValuesTests {
  private static let priors: [(TypicalKinetics, String)] = [(.fasted, "fasted"), (.fed, "fed")]

  @Test(arguments: priors)
  func typicalValuesLieWithinTheShippedPriors(typical: TypicalKinetics, name: String) throws {
    let text = try #require(PopulationPrior.shippedText(name))
    let prior = try PopulationPrior(try PopulationFile(Data(text.utf8)))
    let structure = prior.structure
    for sex in [Sex.male, .female] {
      let person = Subject(id: "a", sex: sex)
      let covariance = prior.covariance(for: person)
      for (parameter, value) in typical.values(of: .widmark, for: sex) where parameter != .gain {
        let expected = try #require(try prior.typicalValue(of: parameter, for: person))
        let place = try #require(structure.kinetic.firstIndex(of: parameter))
        let sd = covariance[place, place].squareRoot()
        #expect(abs(Foundation.log(value / expected)) < sd, "\(name) \(parameter.rawValue)")
      }
    }
  }
}
