import Estimation
import Statistics

/// A level of variability of the parameters.
public enum PopulationLevel: String, CaseIterable, Codable, Hashable, Sendable {
  /// Between studies, beyond their subjects.
  case study
  /// Between subjects.
  case person
  /// Between the occasions of a subject.
  case occasion

  /// The levels in the order in which vectors of estimates have them.
  static let ofVectors: [PopulationLevel] = [.person, .occasion, .study]
}

/// A value for each level of variability.
struct PerLevel<Value> {
  var study: Value
  var person: Value
  var occasion: Value

  init<Failure>(_ value: (PopulationLevel) throws(Failure) -> Value) throws(Failure) {
    person = try value(.person)
    occasion = try value(.occasion)
    study = try value(.study)
  }

  /// Returns nil if a level has no value.
  init?(ofAll value: (PopulationLevel) -> Value?) {
    guard let study = value(.study), let person = value(.person), let occasion = value(.occasion)
    else { return nil }
    self.study = study
    self.person = person
    self.occasion = occasion
  }

  subscript(level: PopulationLevel) -> Value {
    get {
      switch level {
      case .study: study
      case .person: person
      case .occasion: occasion
      }
    }
    set {
      switch level {
      case .study: study = newValue
      case .person: person = newValue
      case .occasion: occasion = newValue
      }
    }
  }
}

extension PerLevel: Sendable where Value: Sendable {}

/// The parameters with random effects on each level, by their indices among the model's.
typealias RandomEffects = PerLevel<[Int]>

/// The random effects of one study, subject or occasion, by the first index among those of a unit.
struct RandomEffectBlock {
  let level: PopulationLevel
  let begin: Int
}

extension PerLevel<[Int]> {
  /// The number of random effects of a subject.
  func count(occasions: Int) -> Int { person.count + occasions * occasion.count }

  /// The blocks of a subject's random effects.
  func blocks(occasions: Int) -> [RandomEffectBlock] {
    [RandomEffectBlock(level: .person, begin: 0)]
      + (0..<occasions).map {
        RandomEffectBlock(level: .occasion, begin: person.count + $0 * occasion.count)
      }
  }

  /// The indices of the random effects of a subject that act on a parameter on an occasion.
  func effects(of parameter: Int, on number: Int) -> [Int] {
    var effects: [Int] = []
    if let index = person.firstIndex(of: parameter) { effects.append(index) }
    if let index = occasion.firstIndex(of: parameter) {
      effects.append(person.count + number * occasion.count + index)
    }
    return effects
  }
}

/// A population at given values, prepared for the evaluation of its subjects.
struct PreparedPopulation: Sendable {
  /// The inverse of a covariance, and the logarithm of its determinant.
  typealias Spread = (precision: Dense, logDeterminant: Double)

  /// The means of the logarithms of the parameters, by subject and occasion.
  let means: [[[Double]]]
  let residual: ObservationModel
  let estimatedResiduals: [ResidualParameter]
  /// The inverse covariance of each level (Omega^-1 between subjects), with ln det of the covariance.
  let spreads: PerLevel<Spread>
}

extension PopulationLevel {
  /// The table of a population file that holds the variances of the level.
  var part: String {
    switch self {
    case .study: "studies"
    case .person: "between"
    case .occasion: "within"
    }
  }

  /// The units of the level, for messages.
  var units: String {
    switch self {
    case .study: "studies"
    case .person: "people"
    case .occasion: "occasions"
    }
  }
}
