/// Widmark's mean r of each sex: 0.68 for men, 0.55 for women.
///
/// Unit of r: kg/kg.
///
/// Source: E. M. P. Widmark, *Die theoretischen Grundlagen und die praktische Verwendbarkeit der
/// gerichtlich-medizinischen Alkoholbestimmung*, 1932.
public struct Widmark: RFactorMethod {
  public let name = "widmark"
  public let reference = "Widmark 1932"
  public let spread = RFactorSpread(men: 0.139, women: 0.122)

  /// The method has no settings.
  public init() {}

  public func rFactor(for subject: Subject) throws(Problem) -> RFactor {
    switch try subject.requireSex(for: self) {
    case .male: 0.68
    case .female: 0.55
    }
  }
}
