/// Seidl's r from height and weight.
///
/// Men: 0.31608 - 0.004821 weight + 0.4632 height; women: 0.31223 - 0.006446 weight + 0.4466
/// height (kg, m).
///
/// Source: S. Seidl, U. Jensen, A. Alt, *Int J Legal Med* 114 (2000) 71-77.
public struct Seidl: RFactorMethod {
  public let name = "seidl"

  /// The method has no settings.
  public init() {}

  public func rFactor(for subject: Subject) throws(RFactorError) -> RFactor {
    let sex = try subject.requireSex(for: self)
    let height = try subject.requireHeight(for: self)
    let weight = try subject.requireWeight(for: self)
    return switch sex {
    case .male: try checked(0.31608 - 0.004821 * weight + 0.4632 * height)
    case .female: try checked(0.31223 - 0.006446 * weight + 0.4466 * height)
    }
  }
}
