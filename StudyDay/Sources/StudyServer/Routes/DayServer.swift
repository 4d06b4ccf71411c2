import DayDatabase
import Foundation
import Hummingbird
import HummingbirdCore
import HummingbirdTLS
import Logging
import Metrics
import NIOCore
import NIOSSL
import ServiceLifecycle
@_spi(StudyDay) import StudyStore
import UnixSignals

/// Settings of the server.
public struct ServerSettings: Sendable {
  /// Path of the database.
  public var database: String
  /// The address to listen on.
  public var host = "127.0.0.1"
  /// The port to listen on; 0 for any that is free.
  public var port = 8080
  /// PEM file of the certificate; with ``key`` the server speaks https.
  public var certificate: String?
  /// PEM file of the private key.
  public var key: String?
  /// Options of the day; whether browsers use https follows from the other settings.
  public var day = DayOptions()
  /// Logs only warnings.
  public var isQuiet = false

  public init(database: String) { self.database = database }

  func base(port: Int) -> String {
    if let url = day.publicURL.map(Self.withoutSlash) { return url }
    let name = host.contains(":") ? "[\(host)]" : host
    return "\(key == nil ? "http" : "https")://\(name):\(port)"
  }

  static func withoutSlash(_ url: String) -> String {
    url.hasSuffix("/") ? String(url.dropLast()) : url
  }
}

/// Reason why a day cannot be served.
public struct ServerFailure: Error, CustomStringConvertible, Sendable {
  public let description: String
  /// Exit code of the program.
  public let exitCode: Int32
}

/// Serves a day until a signal to stop.
public enum DayServer {
  /// Opens the database, listens, and answers.
  ///
  /// - Parameters:
  ///   - settings: Database, address and options.
  ///   - say: Prints a line on the terminal: the address, and the owner's first link.
  /// - Throws: ``ServerFailure``.
  public static func run(
    _ settings: ServerSettings, say: @escaping @Sendable (String) -> Void
  ) async throws {
    // Ignores SIGPIPE and SIGXFSZ: a closed reader or a full file is an error, not the end of the process.
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
    // The files hold names and contacts: nobody else on this machine may read them.
    keepPrivate(settings.database)
    let logger = bootstrap(isQuiet: settings.isQuiet)
    let store = try await failing { try DayStore(path: settings.database) }
    try claim(settings.database)
    try await failing { try await requireNothingRescued(store) }
    var options = settings.day
    options.publicURL = options.publicURL.map(ServerSettings.withoutSlash)
    options.isSecure =
      settings.key != nil || options.isBehindProxy
      || options.publicURL?.hasPrefix("https:") == true
    let day = StudyDay(store: store, options: options, logger: logger)
    let link = try await failing { try await ownersToken(day) }
    let code = try await failing { try await day.accounts.firstRecoveryCode() }
    let app = Application(
      responder: day.responder(), server: try server(settings, options, logger),
      configuration: ApplicationConfiguration(
        address: .hostname(settings.host, port: settings.port), serverName: "promille"),
      services: day.services,
      onServerRunning: { channel in
        let base = settings.base(port: channel.localAddress?.port ?? settings.port)
        say("Serving \(settings.database) on \(base)")
        if let link { say("The owner signs in once with \(base)/#\(link.text)") }
        if let code {
          say(
            "The owner's recovery code, shown this once: \(code). Keep it where this machine is not."
          )
        }
        // A program that reads the pipe waits for these lines.
        fflush(nil)
      }, logger: logger)
    var group = ServiceGroupConfiguration(
      services: [app], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
    group.maximumGracefulShutdownDuration = options.stopTime
    let configuration = group
    try await failing { try await ServiceGroup(configuration: configuration).run() }
  }

  /// Makes the files of a database private to their owner; files of another owner stay as they are.
  private static func keepPrivate(_ database: String) {
    for file in [database, database + "-wal", database + "-shm"] {
      try? FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
    }
  }

  /// Refuses a database that lost its log while it was served: the copy written then has changes that it lacks.
  private static func requireNothingRescued(_ store: DayStore) async throws {
    let last = try await store.read { try EventLog.last(in: $0)?.seq ?? 0 }
    for copy in ServedFiles.rescued(beside: store.path) {
      guard let rescued = try? StudyStore.lastChange(of: copy), rescued > last else { continue }
      throw ServerFailure(
        description:
          "error E_SERVE_RESCUED: \(store.path) lost files while it was served, and ends with change \(last); the copy "
          + "\(copy) has \(rescued); put the copy in its place, or move the copy away to go on without these changes",
        exitCode: 65)
    }
  }

  /// Makes an invitation, whether or not the day is served.
  ///
  /// - Returns: The link, or the token of a station.
  /// - Throws: ``ServerFailure``.
  public static func invite(
    _ name: String, as role: Role, isStation: Bool, _ settings: ServerSettings
  ) async throws -> String {
    let store = try await failing { try DayStore(path: settings.database) }
    let token = try await failing {
      try await Accounts(store: store).invite(
        name, as: role, station: isStation ? name : nil, by: "command line")
    }
    return isStation ? token.text : "\(settings.base(port: settings.port))/#\(token.text)"
  }

  /// Returns the owner's first link; each start makes one until somebody has signed in.
  private static func ownersToken(_ day: StudyDay) async throws -> Token? {
    let isUsed = try await day.store.read {
      try $0.has("SELECT 1 FROM tokens WHERE used_ms IS NOT NULL")
    }
    return isUsed ? nil : try await day.accounts.invite("owner", as: .owner, by: "command line")
  }

  static func server(
    _ settings: ServerSettings, _ options: DayOptions, _ logger: Logger
  ) throws -> HTTPServerBuilder {
    let connections = Connections(options, logger: logger)
    // Idle connections close after a minute; event streams send something every 15 s.
    let http = HTTPServerBuilder.http1(
      configuration: .init(
        additionalChannelHandlers: [ConnectionPatience(options, connections)],
        idleTimeout: .seconds(60),
        httpDecoderConfiguration: .init(
          maxHeaderFieldSize: 8192, maxHeaderListSize: 16_384, maxHeaderFieldCount: 64)))
    guard let certificate = settings.certificate, let key = settings.key else { return http }
    do {
      let chain = try NIOSSLCertificate.fromPEMFile(certificate)
      var configuration = TLSConfiguration.makeServerConfiguration(
        certificateChain: chain.map { .certificate($0) },
        privateKey: .privateKey(try NIOSSLPrivateKey(file: key, format: .pem)))
      // RFC 8996: TLS 1.0 and 1.1 must not be used.
      configuration.minimumTLSVersion = .tlsv12
      // Checked here and not only by Hummingbird, so that the error can name the file.
      _ = try NIOSSLContext(configuration: configuration)
      return try .tls(http, tlsConfiguration: configuration)
    } catch {
      throw ServerFailure(
        description:
          "error E_SERVE_TLS: \(certificate) or \(key) cannot be used: \(error); give a certificate and its private "
          + "key in PEM", exitCode: 66)
    }
  }

  private static func failing<Value: Sendable>(
    _ body: () async throws -> Value
  ) async throws -> Value {
    do {
      return try await body()
    } catch let error as StoreError {
      throw ServerFailure(error)
    } catch let problem as Problem {
      throw ServerFailure(
        description: "error \(problem.code.rawValue): \(problem.detail)", exitCode: 65)
    } catch let error as IOError {
      throw ServerFailure(
        description:
          "error E_SERVE_ADDRESS: cannot listen there: \(error); choose another --host or --port",
        exitCode: 73)
    }
  }

  private static func bootstrap(isQuiet: Bool) -> Logger {
    MetricsSystem.bootstrap(InMemoryMetrics.shared)
    LoggingSystem.bootstrap { _ in LineLog(logLevel: isQuiet ? .warning : .info) }
    return Logger(label: "promille-serve")
  }
}

/// Locks a database for one server; a second would notify only its own pages. The lock is on a file beside the
/// database and ends with the process.
private func claim(_ database: String) throws(ServerFailure) {
  let target = URL(filePath: database).resolvingSymlinksInPath().path(percentEncoded: false)
  let file = open(target + "-serving", O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
  guard file >= 0 else {
    throw ServerFailure(
      StoreError(
        .notWritable, path: database, message: "no file can be made beside it, which servers lock"))
  }
  // SQLite keeps a log and a lock for each name of a file: servers of two names would damage the database.
  let attributes = try? FileManager.default.attributesOfItem(atPath: target)
  guard (attributes?[.referenceCount] as? NSNumber)?.intValue ?? 1 < 2 else {
    close(file)
    throw ServerFailure(
      StoreError(
        .locked, path: database, message: "the file has another name, a hard link",
        remedy: "remove the other name, or serve a copy"))
  }
  guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
    close(file)
    throw ServerFailure(
      StoreError(
        .locked, path: database, message: "another server serves the database",
        remedy: "stop that server first"))
  }
}

extension ServerFailure {
  fileprivate init(_ error: StoreError) {
    let exitCode: Int32 =
      switch error.code {
      case .missing: 66
      case .notWritable, .full: 73
      case .locked: 75
      case .failed: 74
      default: 65
      }
    self.init(description: "\(error)", exitCode: exitCode)
  }
}

/// Writes a JSON object per line to standard error.
struct LineLog: LogHandler {
  var metadata: Logger.Metadata = [:]
  var metadataProvider: Logger.MetadataProvider?
  var logLevel: Logger.Level

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    var members: [String: EventValue] = [:]
    for (key, value) in metadata.merging(event.metadata ?? [:], uniquingKeysWith: { $1 })
    where key != "hb.request.id" {
      members[key] = .text("\(value)")
    }
    members["time"] = .text(ISOTime.text(SystemClock().now))
    members["level"] = .text(event.level.rawValue)
    members["message"] = .text("\(event.message)")
    let line = EventValue.object(members).text + "\n"
    // A closed log does not end the day.
    try? FileHandle.standardError.write(contentsOf: Data(line.utf8))
  }
}
