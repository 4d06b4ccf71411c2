/// A quantity that was said with its unit, as in `.minutes(30)` or `.metres(1.68)`.
///
/// A number alone is none: where one of these is asked for, `30` does not compile, so that hours cannot be
/// taken for minutes.
public struct Stated<Unit: UnitOfMeasure>: Hashable, Sendable {
  /// What was said.
  public let quantity: Quantity<Unit>

  fileprivate init(_ value: Double) { quantity = Quantity(value) }
}

extension Stated<HourUnit> {
  /// A time, or a span of time, in minutes.
  public static func minutes(_ minutes: Double) -> Self { Self(minutes / 60) }

  /// A time, or a span of time, in hours.
  public static func hours(_ hours: Double) -> Self { Self(hours) }
}

extension Stated<YearUnit> {
  /// An age in years.
  public static func years(_ years: Double) -> Self { Self(years) }
}

extension Stated<MetreUnit> {
  /// A height in m.
  public static func metres(_ metres: Double) -> Self { Self(metres) }

  /// A height in cm.
  public static func centimetres(_ centimetres: Double) -> Self { Self(centimetres / 100) }
}

extension Stated<KilogramUnit> {
  /// A weight in kg.
  public static func kilograms(_ kilograms: Double) -> Self { Self(kilograms) }
}

extension Subject {
  /// Describes a subject by the measures that are known, each with its unit.
  public init(
    _ id: String, sex: Sex? = nil, age: Stated<YearUnit>? = nil, height: Stated<MetreUnit>? = nil,
    weight: Stated<KilogramUnit>? = nil
  ) {
    self.init(
      id: id, sex: sex, age: age?.quantity, height: height?.quantity, weight: weight?.quantity)
  }
}

extension Drink {
  /// Describes a drink.
  ///
  /// - Parameters:
  ///   - ethanol: What it held, as `.grams(20)` or `.millilitres(500, abvPercent: 5)`.
  ///   - time: When it was begun.
  ///   - duration: How long it was drunk, at a constant rate; nothing if it was drunk at once.
  ///   - route: Which way the ethanol takes into the blood.
  public init(
    _ ethanol: EthanolDose, at time: Stated<HourUnit>,
    over duration: Stated<HourUnit> = .minutes(0),
    route: Route = .oral
  ) {
    self.init(
      time: time.quantity, duration: duration.quantity, ethanol: ethanol, route: route)
  }
}

extension EthanolDose {
  /// A mass of ethanol in g.
  public static func grams(_ grams: Double) -> EthanolDose { .mass(Grams(grams)) }

  /// Ethanol in g per kg of body weight.
  public static func gramsPerKilogram(_ dose: Double) -> EthanolDose {
    .perBodyWeight(GramsPerKilogram(dose))
  }

  /// The ethanol in so many ml of a drink: volume x fraction x 0.789 g/ml.
  public static func millilitres(_ millilitres: Double, abvPercent: Double) -> EthanolDose {
    .volume(Millilitres(millilitres), abvPercent: abvPercent)
  }
}
