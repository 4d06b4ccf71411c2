/// The water content of blood, which turns litres of body water into an r factor.
///
/// r = TBW / (B x weight). Calculators disagree here more than anywhere else: the choice moves r
/// by 5 %.
public struct BloodWater: Hashable, Sendable {
  /// B: litres of water per litre, or per kg, of blood, by convention.
  public var content: Double

  /// Uses a given constant.
  ///
  /// - Parameter content: B, litres of water per litre (or per kg) of blood.
  public init(content: Double) {
    self.content = content
  }

  /// 0.844 = 0.80 x 1.055, litres of water per litre of blood.
  ///
  /// The default, and the constant behind table 2.1 of Nacar (2021), which reads the result as g/kg.
  public static let perLitre = BloodWater(content: 0.844)

  /// 0.80 litres of water per kg of blood, the constant that goes with g/kg.
  public static let perKilogram = BloodWater(content: 0.80)
}
