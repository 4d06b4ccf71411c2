/// A unit of measure, known at compile time only.
public protocol UnitOfMeasure: Sendable {
  /// How the unit is printed, for example `g/kg`.
  static var symbol: String { get }
}

/// A number with its unit in its type.
///
/// Quantities of one unit can be added, subtracted, compared and scaled; quantities of different
/// units do not mix. The dynamics of the model run on plain `Double` inside this module and are
/// wrapped again where they leave it.
@frozen
public struct Quantity<Unit: UnitOfMeasure>: Hashable, Comparable, Sendable {
  /// The number, in `Unit`.
  public var value: Double

  /// Labels a number with its unit.
  @inlinable
  public init(_ value: Double) {
    self.value = value
  }

  /// Orders by the number.
  @inlinable
  public static func < (left: Self, right: Self) -> Bool {
    left.value < right.value
  }

  /// The sum, in the same unit.
  @inlinable
  public static func + (left: Self, right: Self) -> Self {
    Self(left.value + right.value)
  }

  /// The difference, in the same unit.
  @inlinable
  public static func - (left: Self, right: Self) -> Self {
    Self(left.value - right.value)
  }

  /// The quantity scaled by a pure number.
  @inlinable
  public static func * (left: Self, factor: Double) -> Self {
    Self(left.value * factor)
  }

  /// The quantity divided by a pure number.
  @inlinable
  public static func / (left: Self, divisor: Double) -> Self {
    Self(left.value / divisor)
  }

  /// The ratio of two quantities of one unit, a pure number.
  @inlinable
  public static func / (left: Self, right: Self) -> Double {
    left.value / right.value
  }
}

extension Quantity: ExpressibleByFloatLiteral, ExpressibleByIntegerLiteral {
  /// Lets a literal take the unit its context asks for: `let beta: GramsPerKilogramHour = 0.15`.
  @inlinable
  public init(floatLiteral value: Double) {
    self.init(value)
  }

  /// Lets a literal take the unit its context asks for: `let weight: Kilograms = 76`.
  @inlinable
  public init(integerLiteral value: Int) {
    self.init(Double(value))
  }
}

extension Quantity: CustomStringConvertible {
  /// The number and its unit, for example `0.15 g/kg/h`.
  public var description: String { "\(value) \(Unit.symbol)" }
}
