public import Hummingbird
public import Logging
import ServiceLifecycle
import StudyStore

/// How a day is served.
public struct DayOptions: Sendable {
  /// Whether a proxy that can be trusted stands before the server and says where requests come from.
  public var isBehindProxy = false
  /// Whether browsers reach it by https: then cookies are sent over nothing else.
  public var isSecure = false
  /// How browsers reach it, without a slash at the end; nil for as they say themselves.
  public var publicURL: String?
  /// How many requests one token may make in a second, and how many at once.
  public var rate = (perSecond: 200.0, atOnce: 1000.0)
  /// How many times a minute one address may try to sign in.
  public var signInsPerMinute = 20.0
  /// How long an answer may take.
  public var answerTime = Duration.seconds(20)
  /// How long a request may take to come in, and an answer to be taken up: 256 KiB at 70 kbit/s.
  public var connectionTime = Duration.seconds(30)
  /// How long requests that are under way may go on once the server is told to stop.
  public var stopTime = Duration.seconds(10)

  public init() {}
}

/// A study day: the database, who may do what, and the routes.
public struct StudyDay: Sendable {
  public let store: DayStore
  public let accounts: Accounts
  public let options: DayOptions
  let forecaster: Forecaster
  /// Tells all pages of every change; it must run while the day is served.
  public let hub: LiveHub

  public init(
    store: DayStore, options: DayOptions = DayOptions(), logger: Logger = Logger(label: "promille")
  ) {
    (self.store, self.options) = (store, options)
    accounts = Accounts(store: store)
    let forecaster = Forecaster()
    self.forecaster = forecaster
    hub = LiveHub(store, logger: logger) { try await Self.person($0, store, forecaster) }
  }

  /// What runs while the day is served.
  var services: [any Service] { [hub, NoticeWatch(day: self)] }

  /// What answers all requests, in time.
  public func responder() -> some HTTPResponder<DayContext> {
    InTime(inner: router().buildResponder(), limit: options.answerTime)
  }

  /// All routes, with what holds for each request.
  func router() -> Router<DayContext> {
    let router = Router(context: DayContext.self)
    router.add(middleware: Outside(options: options))
    router.add(middleware: Gate(day: self, rates: Rates()))
    let api = router.group("/api/v1")
    api.addSignInRoutes(self)
    api.addEntryRoutes(self)
    api.addLiveRoutes(self)
    api.addHealthRoutes(self)
    api.addOfferRoutes(self)
    api.addBookingRoutes(self)
    api.addMeasureRoutes(self)
    api.addConsentRoutes(self)
    api.addFeedRoutes(self)
    api.addNoticeRoutes(self)
    api.addReportRoutes(self)
    api.addAdminRoutes(self)
    api.addDescriptionRoutes()
    Pages.addRoutes(to: router)
    return router
  }
}
