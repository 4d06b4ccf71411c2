import ArgumentParser
import Foundation

struct Serve: ParsableCommand {
  /// The program that serves, of the package in `StudyDay`.
  private static let program = "promille-serve"
  /// The subcommands besides serving.
  static let subcommands = ["vitals", "audit", "backup", "import-health"]

  static let configuration = Help.configuration("serve")

  @Argument(
    parsing: .captureForPassthrough,
    help: ArgumentHelp(
      "The database, or \(subcommands.joined(separator: ", ")), and options.",
      valueName: "database"))
  var arguments: [String] = []

  func run() throws {
    try require(
      !Invocation.isForWorker, "A worker does not serve; start promille serve on its own.")
    for path in Self.places where access(path, X_OK) == 0 {
      var words = ([path] + arguments).map { strdup($0) } + [nil]
      execv(path, &words)
      for word in words { free(word) }
    }
    throw Refusal(
      "E_SERVE_MISSING",
      "the program \(Self.program) is neither beside promille nor on the PATH; build it with make -C StudyDay "
        + "build, or beside the Python package: pip install \"promille[serve]\"",
      ExitStatus.noInput)
  }

  /// The paths to search: beside this program, links followed, and on the PATH.
  private static var places: [String] {
    let besideThis = Bundle.main.executableURL?.resolvingSymlinksInPath()
      .deletingLastPathComponent()
      .appending(path: program).path(percentEncoded: false)
    let path = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    return [besideThis].compactMap(\.self)
      + path.filter { $0.hasPrefix("/") }.map { "\($0)/\(program)" }
  }
}
