/// Hour, the unit of time inside the model.
public enum HourUnit: UnitOfMeasure {
  public static let symbol = "h"
}

/// Reciprocal hour, the unit of a first-order rate constant.
public enum PerHourUnit: UnitOfMeasure {
  public static let symbol = "1/h"
}

/// Gram.
public enum GramUnit: UnitOfMeasure {
  public static let symbol = "g"
}

/// Kilogram.
public enum KilogramUnit: UnitOfMeasure {
  public static let symbol = "kg"
}

/// Millilitre.
public enum MillilitreUnit: UnitOfMeasure {
  public static let symbol = "ml"
}

/// Litre.
public enum LitreUnit: UnitOfMeasure {
  public static let symbol = "L"
}

/// Metre.
public enum MetreUnit: UnitOfMeasure {
  public static let symbol = "m"
}

/// Year.
public enum YearUnit: UnitOfMeasure {
  public static let symbol = "y"
}

/// Gram of ethanol per kilogram (per mille by mass).
public enum GramPerKilogramUnit: UnitOfMeasure {
  public static let symbol = "g/kg"
}

/// Gram of ethanol per kilogram and hour.
public enum GramPerKilogramHourUnit: UnitOfMeasure {
  public static let symbol = "g/kg/h"
}

/// Gram of ethanol per kilogram, times hour.
public enum GramHourPerKilogramUnit: UnitOfMeasure {
  public static let symbol = "g h/kg"
}

/// Kilogram per kilogram: the r factor as Widmark defined it, body to blood by mass.
public enum KilogramPerKilogramUnit: UnitOfMeasure {
  public static let symbol = "kg/kg"
}

/// A time or a span of time, in hours.
public typealias Hours = Quantity<HourUnit>
/// A first-order rate constant, in 1/h.
public typealias PerHour = Quantity<PerHourUnit>
/// A mass of ethanol, in g.
public typealias Grams = Quantity<GramUnit>
/// A body weight, in kg.
public typealias Kilograms = Quantity<KilogramUnit>
/// A volume of a drink, in ml.
public typealias Millilitres = Quantity<MillilitreUnit>
/// A volume of body water, in L.
public typealias Litres = Quantity<LitreUnit>
/// A body height, in m.
public typealias Metres = Quantity<MetreUnit>
/// An age, in years.
public typealias Years = Quantity<YearUnit>
/// Ethanol per kg of whole blood, or a dose per kg of body weight, in g/kg.
public typealias GramsPerKilogram = Quantity<GramPerKilogramUnit>
/// A zero-order elimination rate, in g/kg/h.
public typealias GramsPerKilogramHour = Quantity<GramPerKilogramHourUnit>
/// An area under a curve of concentration, in g h/kg.
public typealias GramHoursPerKilogram = Quantity<GramHourPerKilogramUnit>
/// A distribution factor r, in kg of body weight per kg of blood-equivalent.
public typealias RFactor = Quantity<KilogramPerKilogramUnit>

extension Hours {
  /// A time given in minutes, the unit of study files.
  @inlinable
  public init(minutes: Double) {
    self.init(minutes / 60)
  }

  /// The time in minutes.
  @inlinable
  public var minutes: Double { decimalValue(in: 60) }
}

extension Metres {
  /// A height given in centimetres, the unit of study files.
  @inlinable
  public init(centimetres: Double) {
    self.init(centimetres / 100)
  }

  /// The height in centimetres.
  @inlinable
  public var centimetres: Double { decimalValue(in: 100) }
}

extension Quantity {
  /// The number in a smaller unit.
  ///
  /// 250 min in hours and back is 250.00000000000003. A number within a few roundings of a millionth
  /// of the smaller unit is taken for that, so that the numbers of a file come out as they went in.
  @usableFromInline
  func decimalValue(in unitsPerUnit: Double) -> Double {
    let number = value * unitsPerUnit
    let decimal = (number * 1e6).rounded() / 1e6
    return abs(number - decimal) <= 4 * number.ulp ? decimal : number
  }
}

/// A unit of measure, known at compile time only.
public protocol UnitOfMeasure: Sendable {
  /// The printed unit, for example `g/kg`.
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

extension Quantity: Codable {
  /// Decodes the number; its unit is known from the type.
  public init(from decoder: any Decoder) throws {
    self.init(try decoder.singleValueContainer().decode(Double.self))
  }

  /// Encodes the number; its unit is known from the type.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(value)
  }
}

extension Quantity: CustomStringConvertible {
  /// The number and its unit, for example `0.15 g/kg/h`.
  public var description: String { "\(value) \(Unit.symbol)" }
}
