import ArgumentParser
import Foundation
import Reporting
import StudyData
import StudyFiles

/// Makes golden results anew: runs the command of a manifest as if it had been typed, and reads what
/// it wrote.
struct GoldenCommand {
  /// Why results could not be computed again.
  enum Failure: Error, CustomStringConvertible {
    /// The manifest's command is none, or none that may stand in a manifest.
    case refused(String)
    /// The command ended without results.
    case ended(ExitCode)

    var description: String {
      switch self {
      case .refused(let reason): reason
      case .ended(let code): "the command exited with \(code.rawValue)"
      }
    }
  }

  /// What may stand in a manifest. A manifest may come from anywhere, so that it can have results
  /// made, and nothing else.
  private static let commands = ["check", "fit", "compare", "sober", "simulate"]
  private static let certification = ["regress", "--nist"]
  private static let refusedOptions = [
    "--output", "--format", "--residuals", "--update", "--upgrade", "--cohort", "--help",
    "--help-all", "--help-hidden", "--version", "--decimal",
  ]

  /// As the manifest has them, with `{study}` where the study stands.
  private let arguments: [String]
  private(set) var options: [(name: String, value: String)] = []

  init(_ result: GoldenResult) throws(Failure) {
    let isResult =
      Self.commands.contains(result.command.first ?? "") || result.command == Self.certification
    guard isResult else {
      throw .refused(
        "a command is one of \(Self.commands.joined(separator: ", ")), or "
          + Self.certification.joined(separator: " "))
    }
    if let refused = result.command.first(where: Self.isRefused) {
      throw .refused("\(refused) is not allowed in the command of golden results")
    }
    arguments = result.command
    let command = try Self.parsed(arguments)
    guard let recorded = command as? any RecordedCommand else {
      throw .refused("\(arguments[0]) has no options that can be kept")
    }
    options = [("command", type(of: command).name)] + recorded.options.map { ($0, $1.inline) }
  }

  /// Whether an argument says where to write, or in which format. Short options may stand together
  /// in one argument, and none of them has to do with results.
  private static func isRefused(_ argument: String) -> Bool {
    let option = argument.prefix { $0 != "=" }
    let isShort = option.hasPrefix("-") && !option.hasPrefix("--") && Double(argument) == nil
    return isShort || refusedOptions.contains(String(option))
  }

  /// Runs the command, with its results in a temporary file.
  func run(on study: String, into file: TemporaryFile) throws -> ResultTable {
    file.empty()
    // What is simulated is CSV always.
    let format = arguments.first == "simulate" ? [] : ["--format", "csv"]
    let arguments = arguments.map { $0.replacing("{study}", with: study) } + format
    var command = try Self.parsed(arguments + ["--output", file.path, "--quiet"])
    do {
      try command.run()
    } catch let code as ExitCode where code == ExitStatus.someFailed {
      // Which rows have no result, and why, is a result too.
    } catch let code as ExitCode {
      throw Failure.ended(code)
    } catch let error as any EndingError {
      error.tell(on: Console(isQuiet: true))
      throw Failure.ended(error.exitCode)
    }
    return try ResultTable(readingFrom: file.path, key: [])
  }

  private static func parsed(_ arguments: [String]) throws(Failure) -> any ParsableCommand {
    do {
      return try Promille.command(from: arguments)
    } catch {
      throw .refused(Promille.message(for: error))
    }
  }
}
