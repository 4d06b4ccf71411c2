/// Ulrich's r from height and weight, for men only.
///
/// Men: 0.715 - 0.00462 weight + 0.22 height (kg, m). There is no formula for women, and none is
/// put in its place.
///
/// Unit of r: kg/kg, as Nacar (2021) uses it.
///
/// Source: L. Ulrich, Y. Cramer, P. Zink, *Blutalkohol* 24 (1987) 192-198.
public struct Ulrich: RFactorMethod {
  public let name = "ulrich"
  public let reference = "Ulrich, Cramer, Zink 1987"
  public let spread = RFactorSpread(men: 0.135, women: 0.135)

  /// The method has no settings.
  public init() {}

  public func rFactor(for subject: Subject) throws(Problem) -> RFactor {
    guard try subject.requireSex(for: self) == .male else {
      throw .methodNotDefined(name, for: .female)
    }
    let height = try subject.requireHeight(for: self)
    let weight = try subject.requireWeight(for: self)
    return try checked(0.715 - 0.00462 * weight + 0.22 * height)
  }
}
