/// The average r of Widmark, Watson, Forrest, Seidl and, for men, Ulrich.
///
/// Men: 0.62544 + 0.13664 height - weight (0.00189 + 0.002425 / height^2)
/// + (0.57986 + 2.545 height - 0.02255 age) / weight; women: 0.50766 + 0.11165 height
/// - weight (0.001612 + 0.0031 / height^2) + (3.1665 height - 0.62115) / weight (m, kg, years).
///
/// The coefficients are rounded averages of theirs, with B = 0.844 in Watson's part
/// whatever else is chosen, except that the women's constant is 0.50766 where the average is
/// 0.50700. It is kept as it is in use.
///
/// Unit of r: kg/kg, taking Watson's part for it as Nacar (2021) does.
///
/// Source: attributed to D. Posey, A. Mozayani, *Forensic Sci Med Pathol* 3 (2007) 33-39; the
/// coefficients are those calculators quote, not checked against the print.
public struct PoseyMozayani: RFactorMethod {
  public let name = "posey-mozayani"
  public let reference = "attributed to Posey, Mozayani 2007"
  public let spread = RFactorSpread(men: 0.131, women: 0.130)

  /// The method has no settings.
  public init() {}

  public func rFactor(for subject: Subject) throws(Problem) -> RFactor {
    let sex = try subject.requireSex(for: self)
    let height = try subject.requireHeight(for: self)
    let weight = try subject.requireWeight(for: self)
    let squared = height * height
    switch sex {
    case .male:
      let age = try subject.requireAge(for: self)
      return try checked(
        0.62544 + 0.13664 * height - weight * (0.00189 + 0.002425 / squared)
          + (0.57986 + 2.545 * height - 0.02255 * age) / weight)
    case .female:
      return try checked(
        0.50766 + 0.11165 * height - weight * (0.001612 + 0.0031 / squared)
          + (3.1665 * height - 0.62115) / weight)
    }
  }
}
