/// A quantity stated with its unit, as in `.minutes(30)` or `.metres(1.68)`.
///
/// A plain number such as `30` does not compile in its place, so that hours cannot be mistaken for minutes.
public struct Stated<Unit: UnitOfMeasure>: Hashable, Sendable {
  /// The stated quantity.
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
