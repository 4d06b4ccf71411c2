/// An r factor given by the researcher, the same for every subject.
public struct GivenRFactor: RFactorMethod {
  /// The number itself, so that several can be told apart.
  public var name: String { String(r.value) }

  /// The factor.
  public let r: RFactor

  /// Uses `r` for every subject.
  public init(_ r: RFactor) {
    self.r = r
  }

  public func rFactor(for subject: Subject) throws(RFactorError) -> RFactor {
    try checked(r.value)
  }
}
