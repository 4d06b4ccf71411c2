/// A way to estimate the distribution factor r of a person from body measures.
///
/// r is in kg/kg: dose / (r x weight) is a concentration in g per kg of blood.
public protocol RFactorMethod: Sendable {
  /// The method's name in tables and on the command line, lower case.
  var name: String { get }

  /// Estimates r for a subject.
  ///
  /// The value is the formula's, also where it leaves ``publishedRange(for:)``.
  ///
  /// - Throws: ``RFactorError`` if a needed body measure is missing, the method has no formula for
  ///   the subject, or the formula leaves the positive numbers.
  func rFactor(for subject: Subject) throws(RFactorError) -> RFactor

  /// The range of r that the method's authors state for a sex, or nil if they state none.
  ///
  /// It is there to warn of an r outside it, never to clip one.
  func publishedRange(for sex: Sex) -> ClosedRange<RFactor>?
}

extension RFactorMethod {
  /// No stated range.
  public func publishedRange(for sex: Sex) -> ClosedRange<RFactor>? { nil }
}
