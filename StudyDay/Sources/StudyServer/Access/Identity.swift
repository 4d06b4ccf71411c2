public struct Identity: Encodable, Hashable, Sendable {
  public var account: Int64
  public var name: String
  public var role: Role
  /// Name in the study, if this is one of its people.
  public var subject: String?
  /// The station that a token belongs to.
  public var station: String?
  /// The token that was shown.
  public var token: Int64
  /// Account that issued the token or its link; nil for tokens of earlier versions.
  public var issuer: String?
  /// Parts of the study that it is not shown.
  var concealed: Concealment = []

  /// Whether something of a person is this one's own.
  public func scope(of subject: String?) -> Scope {
    subject != nil && subject == self.subject ? .own : .any
  }

  /// Whether it may do something to what belongs to a person, or to nobody.
  public func may(_ action: Action, of subject: String? = nil) -> Bool {
    Rules.allows(role, action, scope(of: subject))
  }

  /// Throws 403 unless the account may act.
  func require(_ action: Action, of subject: String? = nil) throws(Problem) {
    guard may(action, of: subject) else { throw Problem(.notAllowed) }
  }
}
