/// Seidl's r from height and weight.
///
/// Men: 0.31608 - 0.004821 weight + 0.4632 height; women: 0.31223 - 0.006446 weight + 0.4466
/// height (kg, m). The authors' r lies in 0.60-0.87 for men and 0.44-0.80 for women; the formula
/// goes beyond that for unusual bodies and is not clipped.
///
/// Unit of r: kg/kg, as Nacar (2021) uses it.
///
/// Source: S. Seidl, U. Jensen, A. Alt, *Int J Legal Med* 114 (2000) 71-77.
public struct Seidl: RFactorMethod {
  public let name = "seidl"
  public let reference = "Seidl, Jensen, Alt 2000"
  public let spread = RFactorSpread(men: 0.131, women: 0.140)

  /// The method has no settings.
  public init() {}

  public func rFactor(for subject: Subject) throws(Problem) -> RFactor {
    let sex = try subject.requireSex(for: self)
    let height = try subject.requireHeight(for: self)
    let weight = try subject.requireWeight(for: self)
    return switch sex {
    case .male: try checked(0.31608 - 0.004821 * weight + 0.4632 * height)
    case .female: try checked(0.31223 - 0.006446 * weight + 0.4466 * height)
    }
  }

  public func publishedRange(for sex: Sex) -> ClosedRange<RFactor>? {
    switch sex {
    case .male: 0.60...0.87
    case .female: 0.44...0.80
    }
  }
}
