/// An r-factor method that estimates total body water and turns it into r.
///
/// A method states its body water and which constant it uses; r = TBW / (B x weight) is written
/// once, here. r has the unit of 1/B: kg/kg if B is per kg of blood, L/kg if it is per litre.
public protocol BodyWaterMethod: RFactorMethod {
  /// The water content of blood, B.
  var bloodWater: BloodWater { get }

  /// Total body water.
  ///
  /// - Throws: ``RFactorError/missing(method:measure:)`` if a needed body measure is not known.
  func totalBodyWater(of subject: Subject) throws(RFactorError) -> Litres
}

extension BodyWaterMethod {
  public func rFactor(for subject: Subject) throws(RFactorError) -> RFactor {
    let water = try totalBodyWater(of: subject).value
    let weight = try subject.requireWeight(for: self)
    return try checked(water / (bloodWater.content * weight))
  }
}
