/// Watson's total body water for when the height is not known, turned into r by the water content
/// of blood.
///
/// Men: TBW = 20.03 - 0.1183 age + 0.3626 weight; women: TBW = 14.46 + 0.2549 weight (litres;
/// years, kg). r = TBW / (B x weight).
///
/// Unit of r: kg/kg or L/kg, by the convention of B; see ``BloodWater``.
///
/// Source: P. E. Watson, I. D. Watson, R. D. Batt, *Am J Clin Nutr* 33 (1980) 27-39.
public struct WatsonWithoutHeight: BodyWaterMethod {
  public let name = "watson-without-height"
  public let reference = "Watson, Watson, Batt 1980"
  public let spread = RFactorSpread(men: 0.141, women: 0.129)

  /// The water content of blood.
  public let bloodWater: BloodWater

  /// Chooses the blood-water constant; 0.80 unless set.
  public init(bloodWater: BloodWater = .perKilogram) {
    self.bloodWater = bloodWater
  }

  /// Total body water.
  ///
  /// - Throws: ``Problem`` if sex, weight or, for men, age is not
  ///   known.
  public func totalBodyWater(of subject: Subject) throws(Problem) -> Litres {
    let sex = try subject.requireSex(for: self)
    let weight = try subject.requireWeight(for: self)
    switch sex {
    case .male:
      let age = try subject.requireAge(for: self)
      return Litres(20.03 - 0.1183 * age + 0.3626 * weight)
    case .female:
      return Litres(14.46 + 0.2549 * weight)
    }
  }
}
