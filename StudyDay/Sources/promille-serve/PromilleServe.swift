import ArgumentParser
import DayDatabase
import Foundation
import HealthData
import StrictOptions
@_spi(StudyDay) import StudyData
@_spi(StudyDay) import StudyFiles
@_spi(StudyDay) import StudyStore

@main
struct PromilleServe: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "promille-serve",
    abstract: "Serve a study day, and work on its database.",
    subcommands: [Run.self, Vitals.self, Audit.self, Backup.self, ImportHealth.self],
    defaultSubcommand: Run.self)

  static func main() async {
    do {
      let words = Array(CommandLine.arguments.dropFirst())
      let name = words.first
      let named = configuration.subcommands.first { $0.configuration.commandName == name }
      let line = try StrictLine(
        named == nil ? words : Array(words.dropFirst()), of: named ?? Run.self)
      var command = try parseAsRoot((named == nil ? [] : [words[0]]) + line.words)
      if let strict = command as? any StrictCommand { try line.check(strict) }
      do {
        if var command = command as? any AsyncParsableCommand {
          try await command.run()
        } else {
          try command.run()
        }
      } catch {
        throw Self.reported(error)
      }
    } catch {
      exit(withError: error)
    }
  }

  /// Prints the reason of a failed command; usage errors are left to the parser.
  private static func reported(_ error: any Error) -> any Error {
    switch error {
    case let error as StoreError:
      say(error.description)
      return ExitCode(error.exitStatus)
    case let error as HealthFinding:
      say(error.description)
      return ExitCode(error.code == .unreadable ? 66 : 65)
    case let error as StudyError:
      for finding in error.diagnostics { say(finding.description) }
      return ExitCode(error.exitStatus)
    default: return error
    }
  }

  /// Writes a line to standard error; what a terminal would obey is shown as an escape.
  static func say(_ line: String) {
    FileHandle.standardError.write(Data("\(line.printable)\n".utf8))
  }
}
