/// Watson's total body water from age, height and weight, turned into r by the water content of
/// blood.
///
/// Men: TBW = 2.447 - 0.09516 age + 10.74 height + 0.3362 weight; women: TBW = -2.097 + 10.69
/// height + 0.2466 weight (litres; years, metres, kg). r = TBW / (B x weight).
///
/// Unit of r: kg/kg or L/kg, by the convention of B; see ``BloodWater``.
///
/// Source: P. E. Watson, I. D. Watson, R. D. Batt, *Am J Clin Nutr* 33 (1980) 27-39.
public struct Watson: BodyWaterMethod {
  public let name = "watson"
  public let reference = "Watson, Watson, Batt 1980"
  public let spread = RFactorSpread(men: 0.136, women: 0.133)

  /// The water content of blood.
  public let bloodWater: BloodWater

  /// Chooses the blood-water constant; 0.80 unless set.
  public init(bloodWater: BloodWater = .perKilogram) {
    self.bloodWater = bloodWater
  }

  /// Total body water.
  ///
  /// - Throws: ``Problem`` if sex, height, weight or, for men, age
  ///   is not known.
  public func totalBodyWater(of subject: Subject) throws(Problem) -> Litres {
    let sex = try subject.requireSex(for: self)
    let height = try subject.requireHeight(for: self)
    let weight = try subject.requireWeight(for: self)
    switch sex {
    case .male:
      let age = try subject.requireAge(for: self)
      return Litres(2.447 - 0.09516 * age + 10.74 * height + 0.3362 * weight)
    case .female:
      return Litres(-2.097 + 10.69 * height + 0.2466 * weight)
    }
  }
}
