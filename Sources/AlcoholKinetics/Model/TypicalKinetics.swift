import Foundation
import RealModule

/// Default values of k_a, beta and the lag, where neither a fit nor the researcher gives them.
///
/// The values of ``fasted`` and ``fed`` people are the typical values of the priors that ship, which all open studies
/// determine together (`datasets/priors`). Where the sex is unknown, beta is the men's.
public enum TypicalKinetics: String, CaseIterable, Codable, Hashable, Sendable {
  /// After hours without food.
  case fasted
  /// After a meal.
  case fed
  /// The values of Nacar (2021).
  case nacar2021 = "nacar-2021"

  /// Chooses the typical values by food state; fasted if it is unknown.
  public init(of food: FoodState?) {
    self = food == .fed ? .fed : .fasted
  }

  /// The values of a prior that ships, or of the thesis, which come without a spread.
  private var typical: Typical {
    Self.shipped[self]
      ?? Typical(
        ka: 18, beta: 0.15, women: 1, lag: 0, logCovariance: [Double](repeating: 0, count: 9))
  }

  private static let shipped: [Self: Typical] = [
    .fasted: ShippedPrior("fasted").values, .fed: ShippedPrior("fed").values,
  ]

  /// The values of all parameters of a model but r, each in its unit: those that are given, and typical ones
  /// for the others.
  ///
  /// A typical lag belongs to the typical k_a: if k_a is given or estimated, there is no lag unless it is
  /// given. What a model has in the place of beta takes `FitParameter/Traits/typicalValue`.
  ///
  /// - Parameters:
  ///   - model: The model.
  ///   - sex: The subject's sex; nil if it is unknown.
  ///   - given: Values that are known.
  ///   - estimated: Parameters that need no value, because a fit looks for it.
  public func values(
    of model: EliminationModel, for sex: Sex?, given: [FitParameter: Double] = [:],
    estimated: Set<FitParameter> = []
  ) -> [FitParameter: Double] {
    let typical = typical
    let isAbsorptionTypical = given[.ka] == nil && !estimated.contains(.ka)
    var values = given
    for traits in model.traits
    where values[traits.parameter] == nil && !estimated.contains(traits.parameter) {
      switch traits.parameter {
      case .r: continue
      case .ka: values[.ka] = typical.ka
      case .lag: values[.lag] = isAbsorptionTypical ? typical.lag : 0
      case .beta: values[.beta] = sex == .female ? typical.beta * typical.women : typical.beta
      default: values[traits.parameter] = traits.usualValue ?? traits.typicalValue
      }
    }
    return values
  }

  /// Parameters with variability, in the order of ``logCovariance``.
  package static let spreadParameters: [FitParameter] = [.ka, .beta, .lag]

  /// The covariance of the logarithms of k_a, beta and the lag of a subject on one occasion of a new study, row by row.
  package var logCovariance: [Double] { typical.logCovariance }

  /// The values in 1/h, g/kg/h and h; `women` is a factor of beta.
  fileprivate struct Typical {
    let ka: Double
    let beta: Double
    let women: Double
    let lag: Double
    let logCovariance: [Double]
  }

  /// The parts of a prior that ships which say what is typical.
  fileprivate struct ShippedPrior: Decodable {
    struct Size: Decodable {
      let people: Int
    }

    struct Value: Decodable {
      let parameter: String
      let value: Double
      /// The standard error of the logarithm.
      let se: Double
    }

    struct Part: Decodable {
      let parameter: String
      let other: String
      let covariance: Double
    }

    struct Effect: Decodable {
      let parameter: String
      let covariate: String
      let coefficient: Double
    }

    let population: [Size]
    let typical: [Value]
    let between: [Part]
    let within: [Part]
    let studies: [Part]
    let covariates: [Effect]
  }
}

extension TypicalKinetics.ShippedPrior {
  init(_ name: String) {
    do {
      self = try JSONDecoder().decode(Self.self, from: Data((ShippedPriors.texts[name] ?? "").utf8))
    } catch {
      preconditionFailure("the prior \(name) cannot be read: \(error)")
    }
  }

  var values: TypicalKinetics.Typical {
    func value(_ parameter: FitParameter) -> Double { row(of: parameter)?.value ?? .nan }
    let women = covariates.first {
      $0.parameter == FitParameter.beta.rawValue && $0.covariate == "sex"
    }
    let parameters = TypicalKinetics.spreadParameters
    return TypicalKinetics.Typical(
      ka: value(.ka), beta: value(.beta), women: .exp(women?.coefficient ?? 0),
      lag: value(.lag) / 60,
      logCovariance: parameters.flatMap { row in parameters.map { covariance(row, $0) } })
  }

  private func row(of parameter: FitParameter) -> Value? {
    typical.first { $0.parameter == parameter.rawValue }
  }

  /// The covariance of two logarithms; on the diagonal with the uncertainty of the typical value, enlarged for few people
  /// as in `PopulationPrior`.
  private func covariance(_ one: FitParameter, _ other: FitParameter) -> Double {
    let names: Set = [one.rawValue, other.rawValue]
    let sum = (between + within + studies).filter { [$0.parameter, $0.other] as Set == names }
      .reduce(0) { $0 + $1.covariance }
    guard one == other, let error = row(of: one)?.se, let people = population.first?.people else {
      return sum
    }
    return sum + error * error * Double(people) / Double(people - 3)
  }
}

/// The priors that ship.
package enum ShippedPriors {
  /// The texts of `datasets/priors`, by name. The digest of a prior is of its text without the final newline.
  package static let texts = [
    "fasted": PackageResources.fasted_json, "fed": PackageResources.fed_json,
    "unknown": PackageResources.unknown_json,
  ].mapValues { String(decoding: $0.dropLast(), as: UTF8.self) }
}
