import AlcoholKinetics
public import Estimation
import RealModule

/// Everybody's random effect beside a covariate: the variation still to explain.
public struct EffectAgainstCovariate: Codable, Hashable, Sendable {
  /// A subject.
  public struct Point: Codable, Hashable, Sendable {
    /// Who.
    public let subject: String
    /// The covariate.
    public let value: Double
    /// The random effect.
    public let effect: Double
  }

  /// The parameter that the effect is of.
  public let parameter: PopulationParameter
  /// The covariate, as the column is called; `sex` is 1 for women and 0 for men.
  public let covariate: String
  /// Everybody who has it as a number.
  public let points: [Point]
  /// Pearson's correlation; nil for fewer than 4 subjects, where the covariate is the same for everybody, or
  /// where the effects hardly differ beside their model: a shrinkage above 99 % leaves rounding.
  public let correlation: Double?
  /// The 95 % interval of the correlation by Fisher's z; nil as above.
  public let interval: Interval?

  /// - Parameter spread: The standard deviation that the model has for the effects.
  init(
    _ parameter: PopulationParameter, _ covariate: String, _ points: [Point], spread: Double
  ) {
    self.parameter = parameter
    self.covariate = covariate
    self.points = points
    correlation = Self.correlation(points, spread)
    interval = correlation.map { correlation in
      let reach = 1.959964 / Double(points.count - 3).squareRoot()
      let center = Double.atanh(correlation)
      return Interval(low: .tanh(center - reach), high: .tanh(center + reach))
    }
  }

  private static func correlation(_ points: [Point], _ spread: Double) -> Double? {
    guard points.count > 3, let x = Sample(points.map(\.value)),
      let y = Sample(points.map(\.effect)),
      let width = x.standardDeviation, let height = y.standardDeviation,
      // Less is rounding.
      width > 1e-12 * x.meanMagnitude, height > 0.01 * spread, height > 1e-12 * y.meanMagnitude
    else { return nil }
    let (mean, other) = (x.mean, y.mean)
    let sum = points.reduce(0) {
      $0 + ($1.value - mean) / width * (($1.effect - other) / height)
    }
    return Swift.max(-1, Swift.min(1, sum / Double(points.count - 1)))
  }

  /// All parameters in which subjects differ beside all covariates that somebody has as a number.
  static func all(of fit: PopulationFit, _ subjects: [Subject]) -> [EffectAgainstCovariate] {
    let measures = ["sex", "age_y", "height_cm", "weight_kg"]
    let further = Set(subjects.flatMap(\.covariates.keys)).subtracting(measures).sorted()
    return (measures + further).flatMap { name -> [EffectAgainstCovariate] in
      let values = subjects.map { PopulationModel.Covariate.number(name, of: $0) }
      guard values.contains(where: { $0 != nil }) else { return [] }
      return fit.model.random.enumerated().map { place, parameter in
        let points = zip(values, fit.individuals).compactMap { value, individual in
          value.map {
            Point(subject: individual.subject, value: $0, effect: individual.effects[place])
          }
        }
        let variance = fit.values.between[place * (fit.model.random.count + 1)]
        return EffectAgainstCovariate(parameter, name, points, spread: variance.squareRoot())
      }
    }
  }
}
