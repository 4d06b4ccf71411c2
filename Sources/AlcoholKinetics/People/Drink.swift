/// A drink with its time, duration and ethanol; or an injection or infusion of ethanol.
public struct Drink: Codable, Hashable, Sendable {
  /// The start of the drink, on the clock of its series.
  public var time: Hours
  /// The duration of drinking, at a constant rate; 0 for a drink taken at once.
  public var duration: Hours
  /// The ethanol in it.
  public var ethanol: EthanolDose
  /// The route of the ethanol into the blood.
  public var route: Route

  /// Describes a drink.
  public init(
    time: Hours, duration: Hours = 0, ethanol: EthanolDose, route: Route = .oral
  ) {
    self.time = time
    self.duration = duration
    self.ethanol = ethanol
    self.route = route
  }
}

extension Drink {
  /// Describes a drink.
  ///
  /// - Parameters:
  ///   - ethanol: The ethanol, as `.grams(20)` or `.millilitres(500, abvPercent: 5)`.
  ///   - time: The start of the drink.
  ///   - duration: The duration of drinking, at a constant rate; zero for a drink taken at once.
  ///   - route: The route of the ethanol into the blood.
  public init(
    _ ethanol: EthanolDose, at time: Stated<HourUnit>,
    over duration: Stated<HourUnit> = .minutes(0),
    route: Route = .oral
  ) {
    self.init(
      time: time.quantity, duration: duration.quantity, ethanol: ethanol, route: route)
  }
}

/// The route of a dose into the blood.
public enum Route: String, CaseIterable, Codable, Hashable, Sendable {
  /// Through the gut, from where it is absorbed.
  case oral
  /// Straight into the blood: an injection, or an infusion at a constant rate.
  case intravenous = "iv"
}

/// The ethanol of a drink: a mass, or an amount per kg of body weight.
public enum EthanolDose: Codable, Hashable, Sendable {
  /// A mass of ethanol.
  case mass(Grams)
  /// A mass of ethanol per kg of body weight, as clinical protocols dose it.
  case perBodyWeight(GramsPerKilogram)

  /// Density of ethanol in g/ml at 20 C, as forensic practice uses it.
  public static let densityGramsPerMillilitre = 0.789

  /// The dose in a volume of a drink: volume x fraction x 0.789 g/ml.
  ///
  /// - Parameters:
  ///   - volume: Volume drunk.
  ///   - abvPercent: Alcohol by volume, in percent.
  public static func volume(_ volume: Millilitres, abvPercent: Double) -> EthanolDose {
    .mass(Grams(volume.value * abvPercent / 100 * densityGramsPerMillilitre))
  }

  /// The dose per kg of body weight, or nil if it is a mass and the weight is not known.
  public func perKilogram(ofBodyWeight weight: Kilograms?) -> GramsPerKilogram? {
    switch self {
    case .perBodyWeight(let dose): dose
    case .mass(let grams): weight.map { GramsPerKilogram(grams.value / $0.value) }
    }
  }

  /// The dose as a mass, or nil if it is given per kg and the weight is not known.
  public func mass(forBodyWeight weight: Kilograms?) -> Grams? {
    switch self {
    case .mass(let grams): grams
    case .perBodyWeight(let dose): weight.map { Grams(dose.value * $0.value) }
    }
  }
}

extension EthanolDose {
  /// A mass of ethanol in g.
  public static func grams(_ grams: Double) -> EthanolDose { .mass(Grams(grams)) }

  /// Ethanol in g per kg of body weight.
  public static func gramsPerKilogram(_ dose: Double) -> EthanolDose {
    .perBodyWeight(GramsPerKilogram(dose))
  }

  /// The ethanol in a volume of a drink in ml: volume x fraction x 0.789 g/ml.
  public static func millilitres(_ millilitres: Double, abvPercent: Double) -> EthanolDose {
    .volume(Millilitres(millilitres), abvPercent: abvPercent)
  }
}
