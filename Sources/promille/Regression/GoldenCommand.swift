import ArgumentParser
import Foundation
import Reporting
import StudyData

/// Makes golden results anew: runs the command of a manifest as if it had been typed, and reads what
/// it wrote.
struct GoldenCommand {
  /// Why results could not be made anew.
  enum Failure: Error {
    /// The manifest's command is none, or none that may stand in a manifest.
    case refused(String)
    /// The command ended without results.
    case ended(ExitCode)
  }

  /// What may stand in a manifest. A manifest may come from anywhere, so that it can have results
  /// made, and nothing else.
  private static let commands = ["check", "fit", "compare", "sober", "simulate"]
  private static let certification = ["regress", "--nist"]
  private static let refusedOptions = [
    "--output", "--format", "--residuals", "--store", "--update", "--cohort",
    "--help", "--help-hidden", "--version",
  ]

  private let arguments: [String]

  /// Takes the command of golden results.
  init(_ result: GoldenResult, study: String) throws(Failure) {
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
    arguments = result.command.map { $0.replacing("{study}", with: study) }
  }

  /// Whether an argument says where to write, or in which format. Short options may stand together
  /// in one argument, and none of them has to do with results.
  private static func isRefused(_ argument: String) -> Bool {
    let option = argument.prefix { $0 != "=" }
    let isShort = option.hasPrefix("-") && !option.hasPrefix("--") && Double(argument) == nil
    return isShort || refusedOptions.contains(String(option))
  }

  /// Runs the command, with its results in a file that goes again.
  func run(in folder: PrivateFolder) throws -> ResultTable {
    let file = folder.place("results.csv")
    defer { unlink(file) }
    var command = try parsed(writingTo: file)
    do {
      try command.run()
    } catch let code as ExitCode where code == ExitStatus.someFailed {
      // Which rows have no result, and why, is a result too.
    } catch let code as ExitCode {
      throw Failure.ended(code)
    }
    return try ResultTable(readingFrom: file, key: [])
  }

  private func parsed(writingTo file: String) throws(Failure) -> any ParsableCommand {
    // What is simulated is CSV always.
    let format = arguments.first == "simulate" ? [] : ["--format", "csv"]
    do {
      return try Promille.parseAsRoot(arguments + format + ["--output", file, "--quiet"])
    } catch {
      throw .refused(Promille.message(for: error))
    }
  }
}
