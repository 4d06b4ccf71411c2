/// Ethanol taken, per kg of body weight, as the model sees it.
public struct Dose: Hashable, Sendable {
  /// When the intake began.
  public let start: Hours
  /// How long it lasted, at a constant rate; 0 for a bolus.
  public let duration: Hours
  /// Ethanol per kg of body weight.
  public let amount: GramsPerKilogram

  /// Checks and keeps a dose.
  ///
  /// - Throws: ``KineticsError/outOfRange(name:value:allowed:)`` for a time that is not finite or a
  ///   duration or amount that is negative or not finite.
  public init(
    start: Hours, duration: Hours = 0, amount: GramsPerKilogram
  ) throws(KineticsError) {
    self.start = Hours(try start.value.checked("time of a dose in h", "finite") { _ in true })
    self.duration = Hours(
      try duration.value.checked("duration of a dose in h", "0 or more") { $0 >= 0 })
    self.amount = GramsPerKilogram(
      try amount.value.checked("ethanol per kg of body weight in g/kg", "0 or more") { $0 >= 0 })
  }

  /// The dose in a drink, for a body of that weight.
  ///
  /// - Throws: ``KineticsError/weightMissing`` if the drink's ethanol is a mass and the weight is
  ///   nil, otherwise as ``init(start:duration:amount:)``.
  public init(_ drink: Drink, bodyWeight: Kilograms?) throws(KineticsError) {
    guard let amount = drink.ethanol.perKilogram(ofBodyWeight: bodyWeight) else {
      throw .weightMissing
    }
    try self.init(start: drink.time, duration: drink.duration, amount: amount)
  }
}
