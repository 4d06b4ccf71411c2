public import Hummingbird
public import StudyStore

/// How a day is served.
public struct DayOptions: Sendable {
  /// Whether a proxy that can be trusted stands before the server and says where requests come from.
  public var isBehindProxy = false
  /// Whether browsers reach it by https: then cookies are sent over nothing else.
  public var isSecure = false
  /// How many requests one token may make in a second, and how many at once.
  public var rate = (perSecond: 200.0, atOnce: 1000.0)
  /// How many times a minute one address may try to sign in.
  public var signInsPerMinute = 20.0
  /// How long a request may take.
  public var patience = Duration.seconds(30)

  public init() {}
}

/// A study day: the database, who may do what, and the routes.
public struct StudyDay: Sendable {
  public let store: DayStore
  public let accounts: Accounts
  public let options: DayOptions

  public init(store: DayStore, options: DayOptions = DayOptions()) {
    (self.store, self.options) = (store, options)
    accounts = Accounts(store: store)
  }

  /// All routes, with what holds for each request.
  public func router() -> Router<DayContext> {
    let router = Router(context: DayContext.self)
    let api = router.group("/api/v1")
    api.addSignInRoutes(self)
    api.addOfferRoutes(self)
    api.addBookingRoutes(self)
    api.addFeedRoutes(self)
    api.addAdminRoutes(self)
    return router
  }
}
