/// The water content of blood, which turns litres of body water into an r factor.
///
/// r = TBW / (B x weight). Calculators disagree here more than anywhere else. All start from 0.80,
/// but the 0.80 is read per kg or per litre of blood, and the concentration wanted is g/kg or g/L:
///
/// | 0.80 is water per | for g/kg | for g/L |
/// |---|---|---|
/// | kg of blood | 0.80 | 0.844 = 0.80 x 1.055 |
/// | litre of blood | 0.758 = 0.80 / 1.055 | 0.80 |
///
/// with 1.055 kg/L, the density of blood. From 0.758 to 0.844 r falls by 10 %.
public struct BloodWater: Codable, Hashable, Sendable {
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
  /// The constant behind table 2.1 of Nacar (2021), which reads the result as g/kg.
  public static let perLitre = BloodWater(content: 0.844)

  /// 0.80 litres of water per kg of blood, the constant that goes with g/kg, and the default.
  ///
  /// Watson's own 0.80, where it is taken to be per litre, is the same number and goes with g/L.
  public static let perKilogram = BloodWater(content: 0.80)

  /// 0.758 = 0.80 / 1.055, litres of water per kg of blood if a litre of blood holds 0.80 litres.
  ///
  /// The constant of calculators that divide Watson's g/L by the density of blood.
  public static let perKilogramByDensity = BloodWater(content: 0.80 / 1.055)
}

/// An r-factor method that estimates total body water and turns it into r.
///
/// A method states its body water and which constant it uses; r = TBW / (B x weight) is written
/// once, here. r has the unit of 1/B: kg/kg if B is per kg of blood, L/kg if it is per litre.
public protocol BodyWaterMethod: RFactorMethod {
  /// The water content of blood, B.
  var bloodWater: BloodWater { get }

  /// Total body water.
  ///
  /// - Throws: ``Problem`` if a needed body measure is not known.
  func totalBodyWater(of subject: Subject) throws(Problem) -> Litres
}

extension BodyWaterMethod {
  public func rFactor(for subject: Subject) throws(Problem) -> RFactor {
    let water = try totalBodyWater(of: subject).value
    let weight = try subject.requireWeight(for: self)
    return try checked(water / (bloodWater.content * weight))
  }
}
