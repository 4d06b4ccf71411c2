/// Hume and Weyers' total body water from height and weight, turned into r by the water content of
/// blood.
///
/// Men: TBW = 19.4786 height + 0.296785 weight - 14.012934; women: TBW = 34.4547 height +
/// 0.183809 weight - 35.270121 (litres; metres, kg). r = TBW / (B x weight). Many copies cut the
/// women's 0.344547 per cm to 0.34454, which moves TBW by 0.001 L.
///
/// Unit of r: kg/kg or L/kg, by the convention of B; see ``BloodWater``.
///
/// Source: R. Hume, E. Weyers, *J Clin Pathol* 24 (1971) 234-238.
public struct HumeWeyers: BodyWaterMethod {
  public let name = "hume-weyers"
  public let reference = "Hume, Weyers 1971"
  public let spread = RFactorSpread(men: 0.131, women: 0.147)

  /// The water content of blood.
  public let bloodWater: BloodWater

  /// Chooses the blood-water constant; 0.80 unless set.
  public init(bloodWater: BloodWater = .perKilogram) {
    self.bloodWater = bloodWater
  }

  /// Total body water.
  ///
  /// - Throws: ``Problem`` if sex, height or weight is not known.
  public func totalBodyWater(of subject: Subject) throws(Problem) -> Litres {
    let sex = try subject.requireSex(for: self)
    let height = try subject.requireHeight(for: self)
    let weight = try subject.requireWeight(for: self)
    return switch sex {
    case .male: Litres(19.4786 * height + 0.296785 * weight - 14.012934)
    case .female: Litres(34.4547 * height + 0.183809 * weight - 35.270121)
    }
  }
}
