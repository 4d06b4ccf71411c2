public import Hummingbird
import Logging

/// Who asks.
public struct Identity: Codable, Hashable, Sendable {
  /// The account.
  public var account: Int64
  /// Its name, which events carry.
  public var name: String
  public var role: Role
  /// Who it is in the study, if it is one of its people.
  public var subject: String?
  /// The station that a token belongs to.
  public var station: String?
  /// The token that was shown.
  public var token: Int64

  /// Whether something of a person is this one's own.
  public func scope(of subject: String?) -> Scope {
    subject != nil && subject == self.subject ? .own : .any
  }

  /// Whether it may do something to what belongs to a person, or to nobody.
  public func may(_ action: Action, of subject: String? = nil) -> Bool {
    Rules.allows(role, action, scope(of: subject))
  }
}

/// What is known of a request.
public struct DayContext: RequestContext, Sendable {
  public var coreContext: CoreRequestContextStorage
  /// Who asks; nil without a token that is good.
  public var identity: Identity?
  /// The token of the browser's cookie; nil for programs, which show theirs.
  var session: Token?
  /// Where from, for limits of rate.
  public let address: String

  public init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    address = source.channel.remoteAddress?.ipAddress ?? "local"
  }

  /// The largest body of a request, in bytes.
  public var maxUploadSize: Int { 256 * 1024 }

  /// Who asks, if they may do something to what belongs to a person.
  ///
  /// - Parameters:
  ///   - action: What is to be done.
  ///   - subject: Whose it is; nil for what belongs to nobody, or to everybody.
  /// - Throws: ``Problem`` 401 without identity, 403 where the rules do not allow it.
  public func require(_ action: Action, of subject: String? = nil) throws(Problem) -> Identity {
    guard let identity else { throw Problem(.noIdentity) }
    guard identity.may(action, of: subject) else { throw Problem(.notAllowed) }
    return identity
  }

  /// Who asks, and how far they reach: `own` for those who see their own things only.
  ///
  /// - Throws: ``Problem`` 401 without identity, 403 where the rules do not allow even that.
  public func reach(_ action: Action) throws(Problem) -> (identity: Identity, scope: Scope) {
    guard let identity else { throw Problem(.noIdentity) }
    guard let scope = Rules.reach(of: identity.role, in: action) else {
      throw Problem(.notAllowed)
    }
    return (identity, scope)
  }
}
