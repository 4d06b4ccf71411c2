public import AlcoholKinetics

/// A drink of a catalogue.
public struct CatalogueDrink: Hashable, Sendable {
  /// Its number.
  public var id: Int
  /// Its name; names are the same whatever their case.
  public var name: String
  /// The volumes it comes in.
  public var volumes: [Millilitres]
  /// Alcohol by volume, in percent.
  public var abvPercent: Double
  /// What kind of drink it is.
  public var type: DrinkType
  /// Whether it is still offered; a drink that is not can be drunk all the same.
  public var isActive: Bool

  /// Describes a drink.
  public init(
    id: Int,
    name: String,
    volumes: [Millilitres],
    abvPercent: Double,
    type: DrinkType,
    isActive: Bool = true
  ) {
    self.id = id
    self.name = name
    self.volumes = volumes
    self.abvPercent = abvPercent
    self.type = type
    self.isActive = isActive
  }
}
