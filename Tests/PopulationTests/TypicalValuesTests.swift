import AlcoholKinetics
import Foundation
import Testing

@testable import Population

/// Predictions without a prior take what the shipped priors say.
@Suite struct TypicalValuesTests {
  private static let priors: [(TypicalKinetics, String)] = [(.fasted, "fasted"), (.fed, "fed")]

  private func prior(_ name: String) throws -> PopulationPrior {
    let text = try #require(PopulationPrior.shippedText(name))
    return try PopulationPrior(try PopulationFile(Data(text.utf8)))
  }

  @Test(arguments: priors)
  func areThoseOfTheShippedPriors(typical: TypicalKinetics, name: String) throws {
    let prior = try prior(name)
    // The prior of the fasted was made from men.
    for sex in name == "fed" ? [Sex.male, .female] : [.male] {
      let person = Subject(id: "a", sex: sex)
      for (parameter, value) in typical.values(of: .widmark, for: sex) where parameter != .gain {
        let expected = try #require(try prior.typicalValue(of: parameter, for: person))
        #expect(abs(value / expected - 1) < 1e-12, "\(name) \(parameter.rawValue)")
      }
    }
  }

  /// Within the four digits of the table; beta's variance is that of Jones & Andersson (1996), which is wider.
  @Test(arguments: priors)
  func spreadLikeTheShippedPriors(typical: TypicalKinetics, name: String) throws {
    let prior = try prior(name)
    let map = prior.structure.map
    let covariance = map * (prior.covariance * map.transposed)
    let places = try TypicalKinetics.spreadParameters.map { parameter in
      try #require(prior.structure.kinetic.firstIndex(of: parameter))
    }
    for (row, i) in places.enumerated() {
      for (column, j) in places.enumerated() {
        let value = typical.logCovariance[3 * row + column]
        if row == 1, column == 1 {
          #expect(value == 0.0625 && value > covariance[i, j])
        } else {
          #expect(abs(value - covariance[i, j]) <= 2e-4, "\(name) \(row) \(column)")
        }
      }
    }
  }
}
