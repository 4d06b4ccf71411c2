/// Forrest's r from the body mass index.
///
/// Men: 1.0178 - 0.012127 weight / height^2; women: 0.8736 - 0.0124 weight / height^2 (kg, m).
/// Nacar (2021) prints the men's slope as 0.012120, which moves r by less than 0.0004.
///
/// Unit of r: kg/kg, as Nacar (2021) uses it.
///
/// Source: A. R. W. Forrest, *J Forensic Sci Soc* 26 (1986) 249-252.
public struct Forrest: RFactorMethod {
  public let name = "forrest"
  public let reference = "Forrest 1986"
  public let spread = RFactorSpread(men: 0.130, women: 0.132)

  /// The method has no settings.
  public init() {}

  public func rFactor(for subject: Subject) throws(Problem) -> RFactor {
    let sex = try subject.requireSex(for: self)
    let height = try subject.requireHeight(for: self)
    let weight = try subject.requireWeight(for: self)
    let bodyMassIndex = weight / (height * height)
    return switch sex {
    case .male: try checked(1.0178 - 0.012127 * bodyMassIndex)
    case .female: try checked(0.8736 - 0.0124 * bodyMassIndex)
    }
  }
}
