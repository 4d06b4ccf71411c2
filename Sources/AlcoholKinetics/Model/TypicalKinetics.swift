import RealModule

/// Default values of k_a, beta and the lag, where neither a fit nor the researcher gives them.
///
/// | | k_a | beta, men | beta, women | lag |
/// |---|---|---|---|---|
/// | ``fasted`` | 3.586 /h | 0.1615 g/kg/h | 0.1829 g/kg/h | 2.79 min |
/// | ``fed`` | 2.761 /h | 0.1387 g/kg/h | 0.1438 g/kg/h | 5.324 min |
/// | ``nacar2021`` | 18 /h | 0.15 g/kg/h | 0.15 g/kg/h | none |
///
/// The first two are typical values of one study each: fasted men (Wilkinson et al. 1977), and men and women after
/// a meal (Thierauf-Emberger et al. 2023). There were no fasted women: their beta is the men's times
/// 0.214 / 0.189, the ratio of Jones & Andersson (1996). Where the sex is unknown, beta is the men's. The priors that
/// ship rest on more studies and say how far these differ.
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

  /// The values of the table, in 1/h, g/kg/h and h; `women` is a factor of beta.
  private var typical: (ka: Double, beta: Double, women: Double, lag: Double) {
    switch self {
    case .fasted: (3.586, 0.1615, 0.214 / 0.189, 2.79 / 60)
    case .fed: (2.761, 0.1387, .exp(0.03643), 5.324 / 60)
    case .nacar2021: (18, 0.15, 1, 0)
    }
  }

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
    let (ka, beta, women, lag) = typical
    let isAbsorptionTypical = given[.ka] == nil && !estimated.contains(.ka)
    var values = given
    for traits in model.traits
    where values[traits.parameter] == nil && !estimated.contains(traits.parameter) {
      switch traits.parameter {
      case .r: continue
      case .ka: values[.ka] = ka
      case .lag: values[.lag] = isAbsorptionTypical ? lag : 0
      case .beta: values[.beta] = sex == .female ? beta * women : beta
      default: values[traits.parameter] = traits.usualValue ?? traits.typicalValue
      }
    }
    return values
  }

  /// Parameters with variability, in the order of ``logCovariance``.
  package static let spreadParameters: [FitParameter] = [.ka, .beta, .lag]

  /// The covariance of the logarithms of k_a, beta and the lag of a subject on one occasion, row by row.
  ///
  /// It is that of the same study: the spread between subjects and occasions, and the uncertainty of the typical values.
  /// Four or ten people of one study do not show how far studies are apart (medians of beta from 0.127 to
  /// 0.20 g/kg/h), so the variance of beta is that of the 1090 people of Jones & Andersson (1996), SD 0.048 of
  /// 0.189. The thesis' values come without a spread.
  package var logCovariance: [Double] {
    let beta = 0.25 * 0.25
    return switch self {
    case .fasted:
      [0.3927, -0.01739, 0.244, -0.01739, beta, 0.001424, 0.244, 0.001424, 0.20028]
    case .fed: [0.57177, 0, 0, 0, beta, 0, 0, 0, 0.53408]
    case .nacar2021: [Double](repeating: 0, count: 9)
    }
  }
}
