import Estimation
import Statistics

/// Between what parameters differ.
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

/// One of something for each level.
struct PerLevel<Value> {
  var study: Value
  var person: Value
  var occasion: Value

  init<Failure>(_ value: (PopulationLevel) throws(Failure) -> Value) throws(Failure) {
    person = try value(.person)
    occasion = try value(.occasion)
    study = try value(.study)
  }

  /// Nil where there is none for a level.
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

/// Which parameters vary on each level, by their places among the model's.
typealias RandomEffects = PerLevel<[Int]>

/// The random effects of one study, subject or occasion: where the first stands among those of a unit.
struct RandomEffectBlock {
  let level: PopulationLevel
  let begin: Int
}

extension PerLevel<[Int]> {
  /// How many random effects a subject has.
  func count(occasions: Int) -> Int { person.count + occasions * occasion.count }

  /// The blocks of a subject's random effects.
  func blocks(occasions: Int) -> [RandomEffectBlock] {
    [RandomEffectBlock(level: .person, begin: 0)]
      + (0..<occasions).map {
        RandomEffectBlock(level: .occasion, begin: person.count + $0 * occasion.count)
      }
  }

  /// The random effects of a subject that move a parameter on an occasion.
  func effects(of parameter: Int, on number: Int) -> [Int] {
    var effects: [Int] = []
    if let place = person.firstIndex(of: parameter) { effects.append(place) }
    if let place = occasion.firstIndex(of: parameter) {
      effects.append(person.count + number * occasion.count + place)
    }
    return effects
  }
}

/// A population at values of its parameters, in the form in which subjects are evaluated.
struct PreparedPopulation: Sendable {
  /// The inverse of a covariance, and the logarithm of its determinant.
  typealias Spread = (precision: Dense, logDeterminant: Double)

  /// The means of the logarithms of the parameters, by subject and occasion.
  let means: [[[Double]]]
  let residual: ObservationModel
  let estimatedResiduals: [ResidualParameter]
  let spreads: PerLevel<Spread>
}

extension PopulationLevel {
  /// The part of a file that has its variances.
  var part: String {
    switch self {
    case .study: "studies"
    case .person: "between"
    case .occasion: "within"
    }
  }

  /// What differs, in words.
  var units: String {
    switch self {
    case .study: "studies"
    case .person: "people"
    case .occasion: "occasions"
    }
  }
}
