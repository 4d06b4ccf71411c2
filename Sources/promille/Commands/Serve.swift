import ArgumentParser
import Foundation

struct Serve: ParsableCommand {
  /// The program that serves; it is built only on request.
  private static let program = "promille-serve"

  static let configuration = CommandConfiguration(
    abstract: "Serve the live pages of a study day.",
    discussion: """
      Starts promille-serve, a program of its own (swift build -c release --product promille-serve). It makes \
      the database if it is not there, and prints a link for the owner the first time. fit, forecast and report \
      work on the database meanwhile.

        --host HOST, --port PORT     Where to listen (127.0.0.1, 8080).
        --tls-certificate FILE, --tls-key FILE
                                     Serve https. Needed for any other host, unless
        --make-certificate           a certificate is made beside the database, for phones in a lab, or
        --behind-proxy               a proxy does so and adds X-Forwarded-For.
        --public-url URL             How browsers reach the server, for links.
        --invite NAME --role ROLE    Print a one-time link and end: owner, investigator, operator, viewer or
                                     participant.
        --station                    With --invite: print a token that a device uses again and again.
        --smtp URL --mail-from ADDRESS
                                     Write to people who chose it; the password is PROMILLE_SMTP_PASSWORD.
        --webhook URL                Post the same, signed with PROMILLE_WEBHOOK_SECRET.
        --quiet                      Log warnings only.

      Examples:
        promille serve study.sqlite
        promille serve study.sqlite --invite ann --role operator
      """)

  @Argument(
    parsing: .captureForPassthrough,
    help: ArgumentHelp("The database and options.", valueName: "database"))
  var arguments: [String] = []

  func run() throws {
    for folder in Self.folders {
      let path = folder + "/" + Self.program
      guard access(path, X_OK) == 0 else { continue }
      var words = ([path] + arguments).map { strdup($0) } + [nil]
      execv(path, &words)
      for word in words { free(word) }
    }
    throw Refusal(
      "E_SERVE_MISSING",
      "the program \(Self.program) is neither beside promille nor on the PATH; build it with swift build -c release "
        + "--product \(Self.program)", ExitStatus.noInput)
  }

  /// Where to look: beside this program, links followed, and on the PATH.
  private static var folders: [String] {
    let environment = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let path = environment.split(separator: ":").map(String.init)
    return (ownFolder.map { [$0] } ?? []) + path.filter { $0.hasPrefix("/") }
  }

  private static var ownFolder: String? {
    Bundle.main.executableURL?.resolvingSymlinksInPath().deletingLastPathComponent()
      .path(percentEncoded: false).trimmingSuffix("/")
  }
}

extension String {
  fileprivate func trimmingSuffix(_ suffix: String) -> String {
    hasSuffix(suffix) && count > 1 ? String(dropLast(suffix.count)) : self
  }
}
