/// One drink: when it was begun, how long it lasted and how much ethanol it held.
public struct Drink: Hashable, Sendable {
  /// When the drink was begun, on the clock of its series.
  public var time: Hours
  /// How long it was drunk, at a constant rate; 0 for a drink taken at once.
  public var duration: Hours
  /// The ethanol in it.
  public var ethanol: EthanolDose

  /// Describes a drink.
  public init(time: Hours, duration: Hours = 0, ethanol: EthanolDose) {
    self.time = time
    self.duration = duration
    self.ethanol = ethanol
  }
}
