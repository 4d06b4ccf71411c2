import Estimation
import Statistics

/// Between what parameters differ.
public enum PopulationLevel: String, CaseIterable, Codable, Hashable, Sendable {
  /// Between studies, beyond their people.
  case study
  /// Between people.
  case person
  /// Between the occasions of a person.
  case occasion
}

/// Which parameters vary between studies, between people, and between the occasions of one.
struct RandomEffects: Hashable, Sendable {
  /// The random effects of one study, person or occasion.
  struct Block {
    let level: PopulationLevel
    /// The place of the first.
    let begin: Int
  }

  /// Places among the parameters.
  let between: [Int]
  let within: [Int]
  var studies: [Int] = []

  /// How many a person has.
  func count(occasions: Int) -> Int { between.count + occasions * within.count }

  func blocks(occasions: Int) -> [Block] {
    [Block(level: .person, begin: 0)]
      + (0..<occasions).map {
        Block(level: .occasion, begin: between.count + $0 * within.count)
      }
  }

  /// The random effects of a person that move a parameter on an occasion.
  func effects(of parameter: Int, on occasion: Int) -> [Int] {
    var effects: [Int] = []
    if let place = between.firstIndex(of: parameter) { effects.append(place) }
    if let place = within.firstIndex(of: parameter) {
      effects.append(between.count + occasion * within.count + place)
    }
    return effects
  }
}

/// Values of a population's parameters, in the form in which people are evaluated.
struct Setting: Sendable {
  /// The inverse of a covariance, and the logarithm of its determinant.
  typealias Spread = (precision: Dense, logDeterminant: Double)

  /// The means of the logarithms of the parameters, by person and occasion.
  let means: [[[Double]]]
  let residual: ObservationModel
  let estimatedResiduals: [ResidualParameter]
  let between: Spread
  let within: Spread
  let studies: Spread

  /// The spread of a level.
  subscript(level: PopulationLevel) -> Spread {
    switch level {
    case .study: studies
    case .person: between
    case .occasion: within
    }
  }
}

/// A parameter of the residual error that is estimated.
enum ResidualParameter: String, Sendable { case sd, cv }
