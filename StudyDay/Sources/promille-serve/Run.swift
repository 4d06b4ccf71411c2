public import ArgumentParser
import Foundation
import StrictOptions
public import StudyServer

struct Run: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Serve a study day (the default): pages on which a study is done, live.",
    discussion: """
      Makes the database if it is not there, and prints a link for the owner the first time. Listens on \
      this machine only, unless --host says otherwise; then browsers need https: --tls-certificate and \
      --tls-key, or --behind-proxy. SIGTERM and SIGINT end it once running requests are answered.

      Examples:
        promille-serve study.sqlite
        promille-serve study.sqlite --invite ann --role operator
        promille-serve study.sqlite --host 0.0.0.0 --make-certificate
        promille-serve study.sqlite --host 0.0.0.0 --port 443 --tls-certificate lab.pem --tls-key lab.key
      """)

  @Argument(help: "The database.", completion: .file())
  var database: String

  @Option(help: "The address to listen on.")
  var host = "127.0.0.1"

  @Option(help: "The port to listen on; 0 for any that is free.")
  var port = 8080

  @Option(help: ArgumentHelp("How browsers reach the server, for links.", valueName: "url"))
  var publicURL: String?

  @Option(help: ArgumentHelp("Certificate chain in PEM.", valueName: "file"), completion: .file())
  var tlsCertificate: String?

  @Option(help: ArgumentHelp("Private key in PEM.", valueName: "file"), completion: .file())
  var tlsKey: String?

  @Flag(
    help:
      "Make a certificate for this machine beside the database, unless it is there, and serve by it: for phones on the network of a lab."
  )
  var makeCertificate = false

  @Flag(help: "A proxy serves https and adds X-Forwarded-For.")
  var behindProxy = false

  @Option(
    help: ArgumentHelp(
      "The program through which people are written to who chose it, with its arguments: it gets a message on its standard input, as \"msmtp -t\" does.",
      valueName: "command"))
  var mailCommand: String?

  @Option(help: ArgumentHelp("The address that mail comes from.", valueName: "address"))
  var mailFrom: String?

  @Option(
    help: ArgumentHelp(
      "Post what people are written to about to an address, signed with PROMILLE_WEBHOOK_SECRET of the environment.",
      valueName: "url"))
  var webhook: String?

  @Option(
    help: ArgumentHelp(
      "Copy the database into a folder by itself, and try each copy.", valueName: "folder"))
  var backups: String?

  @Option(help: ArgumentHelp("After how many minutes the next copy is made.", valueName: "minutes"))
  var backupEvery = 60

  @Option(help: ArgumentHelp("How many copies are kept.", valueName: "count"))
  var backupKeep = 48

  @Option(help: ArgumentHelp("Print a one-time link for somebody, and end.", valueName: "name"))
  var invite: String?

  @Option(
    help: ArgumentHelp(
      "What the invited may do: \(Role.allCases.map(\.rawValue).joined(separator: ", ")).",
      valueName: "role"))
  var role: Role = .operator

  @Flag(help: "With --invite: print a token that a device uses again and again.")
  var station = false

  @Flag(help: "Make the database first, with a made-up day of four people.")
  var demo = false

  @Flag(help: "Log warnings only.")
  var quiet = false

  func validate() throws {
    guard (tlsCertificate == nil) == (tlsKey == nil) else {
      throw ValidationError("--tls-certificate and --tls-key belong together; give both.")
    }
    let isLocal = ["127.0.0.1", "::1", "localhost"].contains(host)
    guard !makeCertificate || tlsKey == nil else {
      throw ValidationError("--make-certificate and --tls-certificate exclude each other.")
    }
    guard isLocal || makeCertificate || tlsKey != nil || behindProxy || invite != nil else {
      throw ValidationError(
        "--host \(host) is reached from other machines; add --make-certificate, --tls-certificate and --tls-key, or --behind-proxy."
      )
    }
    do { _ = try mail() } catch { throw ValidationError(error.description) }
    guard webhook == nil || hook != nil else {
      throw ValidationError(
        "--webhook is an address by https (or http on this machine), and its secret PROMILLE_WEBHOOK_SECRET."
      )
    }
    guard 1...10_080 ~= backupEvery, 1...10_000 ~= backupKeep else {
      throw ValidationError(
        "--backup-every is 1 to 10080 minutes, --backup-keep 1 to 10000 copies.")
    }
    guard 0...65535 ~= port else {
      throw ValidationError("--port is \(port); it must be 0 to 65535.")
    }
    guard !demo || invite == nil else {
      throw ValidationError("--demo and --invite exclude each other; start the day first.")
    }
  }

  private func mail() throws(MailCommand.Failure) -> MailCommand? {
    guard let mailCommand else { return nil }
    return try MailCommand(mailCommand, from: mailFrom ?? "")
  }

  private var hook: Webhook? {
    webhook.flatMap {
      Webhook($0, secret: ProcessInfo.processInfo.environment["PROMILLE_WEBHOOK_SECRET"] ?? "")
    }
  }

  func run() async throws {
    // Set before any file is made: database and key must be private.
    umask(0o077)
    do {
      var settings = ServerSettings(database: database)
      settings.host = host
      settings.port = port
      settings.day.publicURL = publicURL
      settings.certificate = tlsCertificate
      settings.key = tlsKey
      settings.day.isBehindProxy = behindProxy
      settings.isQuiet = quiet
      settings.day.mail = try mail()
      settings.day.webhook = hook
      settings.day.backups = backups.map {
        BackupPlan(folder: $0, everyMinutes: backupEvery, keeping: backupKeep)
      }
      if makeCertificate {
        (settings.certificate, settings.key) = try LabCertificate.make(beside: database)
        // 0.0.0.0 is no address that a browser can open.
        if publicURL == nil, ["0.0.0.0", "::"].contains(host), let name = LabCertificate.names.first
        {
          settings.day.publicURL = "https://\(name):\(port)"
        }
      }
      if let invite {
        print(try await DayServer.invite(invite, as: role, isStation: station, settings))
      } else {
        if demo { try await DemoDay.make(at: database) }
        Self.boundHeap()
        try await DayServer.run(settings) { print($0) }
      }
    } catch let failure as ServerFailure {
      FileHandle.standardError.write(Data("promille-serve: \(failure)\n".utf8))
      throw ExitCode(failure.exitCode)
    }
  }
}

extension Run {
  /// Bounds what the allocator keeps. glibc has eight arenas for each processor, and each keeps what it held at most: of
  /// 77 MB after a quarter of an hour, 50 MB were free. Fits move between threads and so fill them all. Large blocks
  /// are given back at once.
  private static func boundHeap() {
    // Swift's module of glibc lacks malloc.h; elsewhere there is no such function.
    guard let symbol = dlsym(nil, "mallopt") else { return }
    let mallopt = unsafeBitCast(symbol, to: (@convention(c) (CInt, CInt) -> CInt).self)
    let (mmapThreshold, arenaMax): (CInt, CInt) = (-3, -8)
    _ = mallopt(arenaMax, 2)
    _ = mallopt(mmapThreshold, 128 << 10)
  }
}

extension Run: StrictCommand {
  var unused: [UnusedOptions?] {
    [
      UnusedOptions(
        ["--role", "--station"], if: invite == nil, "because nobody is invited; add --invite NAME"),
      UnusedOptions(
        ["--backup-every", "--backup-keep"], if: backups == nil,
        "because no copy is made; add --backups FOLDER"),
      UnusedOptions(
        ["--mail-from"], if: mailCommand == nil,
        "because nothing is mailed; add --mail-command COMMAND"),
    ]
  }
}

extension Role: ExpressibleByArgument {}
