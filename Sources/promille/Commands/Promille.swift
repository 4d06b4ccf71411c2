import ArgumentParser
import Foundation
import Reporting
import StrictOptions
import StudyData

/// The command: parses options, calls the library and prints what it says.
@main
struct Promille: ParsableCommand {
  static let configuration = Help.configuration(
    "promille", version: Release.version,
    subcommands: [
      Init.self, Check.self, Fit.self, PopulationCommand.self, PriorCommand.self,
      ForecastCommand.self, Compare.self, Sober.self, CaseCommand.self,
      Design.self, Simulate.self, ReportCommand.self, Plot.self,
      Import.self, Export.self, Serve.self, Regress.self, Bench.self, Drinks.self, Explain.self,
      Worker.self,
    ])
}

extension ParsableCommand {
  /// The command's name on the command line.
  static var name: String { configuration.commandName ?? "" }
}

extension Promille {
  static func main() {
    // So that a file beyond the size limit (ulimit -f) is reported like a full disk.
    signal(SIGXFSZ, SIG_IGN)
    var worker: ParsedLines? = nil
    Foundation.exit(run(FileName.arguments, in: &worker))
  }

  /// Parses and runs a command line, says why it fails, and returns its exit code.
  ///
  /// - Parameter worker: The lines of the worker that runs it; nil if the process runs this line alone.
  static func run(_ line: [String], in worker: inout ParsedLines?) -> Int32 {
    do {
      let line = try Invocation.begin(line, forWorker: worker != nil)
      if let help = Help.text(askedForBy: line) {
        try Console(isQuiet: false).write(help.utf8, to: nil, option: "")
        return ExitCode.success.rawValue
      }
      var command = try worker?.commands[line] ?? parsed(line)
      worker?.store(command, for: line)
      let writing = command as? any ResultCommand
      let console = writing?.console
      do {
        try Descriptors.require()
        if let writing {
          let files = [NamedFile](of: writing)
          try files.requireApart()
          if let endings = writing.writtenEndings { try writing.output.requireWritable(endings) }
          try files.requirePossible(writing.console)
        }
        try Progress.showing(on: console) { try command.run() }
      } catch let error as any EndingError {
        error.report(on: console ?? Console(isQuiet: false))
        throw error.exitCode
      } catch {
        throw ending(for: error, of: Swift.type(of: command))
      }
      return ExitCode.success.rawValue
    } catch {
      return end(with: error)
    }
  }

  private static func parsed(_ line: [String]) throws -> any ParsableCommand {
    let words = try arguments(from: line)
    do {
      return try command(from: words)
    } catch let error as ValidationError {
      throw ending(for: error, of: type(of: words) ?? Self.self)
    }
  }

  /// The arguments of a command line as the parser shall see them. What it would refuse with a misleading message is
  /// refused here.
  ///
  /// - Throws: A usage error if the command is unknown, or if an argument is empty.
  static func arguments(from line: [String]) throws -> [String] {
    if let first = line.first, !first.isEmpty, !first.hasPrefix("-"), first != "help",
      type(of: line) == nil
    {
      guard !Serve.subcommands.contains(first) else {
        throw ValidationError(
          "\(first) belongs to the study day; type: promille serve \(line.map(\.quotedForShell).joined(separator: " "))"
        )
      }
      let commands = configuration.subcommands.map { $0.name } + ["help"]
      let near = first.nearest(in: commands).map { " Did you mean \($0)?" } ?? ""
      throw ValidationError(
        "There is no command '\(first)'; choose from \(commands.joined(separator: ", ")).\(near)")
    }
    if let index = line.firstIndex(of: "") {
      // As where a variable of the shell is not set.
      let argument = index > 0 ? "The argument after \(line[index - 1])" : "The first argument"
      throw ValidationError("\(argument) is empty; give it a value, or leave it out.")
    }
    return line.reduce(into: []) { arguments, argument in
      // The parser takes a negative number for an option, and says that the one before it has no value.
      if argument.first == "-", let next = argument.dropFirst().first,
        next == "." || ("0"..."9").contains(next), let option = arguments.last,
        option.hasPrefix("--"), option.count > 2,
        option.allSatisfy({ $0 == "-" || ("a"..."z").contains($0) })
      {
        arguments[arguments.count - 1] = "\(option)=\(argument)"
      } else {
        arguments.append(argument)
      }
    }
  }

  /// The command of a line whose options all count.
  ///
  /// - Throws: Errors of the parser; a usage error for an option that is given twice or has no
  ///   effect.
  static func command(from words: [String]) throws -> any ParsableCommand {
    guard let type = type(of: words) else { return try parseAsRoot(words) }
    let line = try StrictLine(Array(words.dropFirst()), of: type)
    // Parsing the command alone takes half the time; but refusals and help show the usage of the whole line, which
    // only the tree of commands knows.
    let alone = (try? type.parseAsRoot(line.words)).flatMap {
      Swift.type(of: $0) == type ? $0 : nil
    }
    let command = try alone ?? parseAsRoot([type.name] + line.words)
    if let strict = command as? any StrictCommand { try line.check(strict) }
    return command
  }

  private static func type(of words: [String]) -> (any ParsableCommand.Type)? {
    configuration.subcommands.first { $0.name == words.first }
  }

  /// Prints the message of the parser, and returns the exit code.
  private static func end(with error: any Error) -> Int32 {
    let code = exitCode(for: error)
    // An error that is only an exit code has already been reported.
    guard !(error is ExitCode) else { return code.rawValue }
    let console = Console(isQuiet: false)
    guard code.isSuccess else {
      console.refuse(message(for: error), fullMessage(for: error))
      return code.rawValue
    }
    // Help and completions are asked for, and hold nothing that somebody typed.
    let isWritten: Void? = try? console.write(
      (fullMessage(for: error) + "\n").utf8, to: nil, option: "")
    return isWritten == nil ? ExitStatus.cannotCreate.rawValue : code.rawValue
  }

  /// The error that decides how a command ends, after its message has been printed.
  static func ending(for error: any Error, of command: any ParsableCommand.Type) -> any Error {
    if let error = error as? ValidationError {
      // The parser would name the usage of all commands: it does not know any more which one runs.
      Console(isQuiet: false).refuse(
        error.message,
        "Error: \(error.message)\nUsage: \(usageString(for: command))\n"
          + "  See 'promille \(command.name) --help' for more information.")
      return ExitCode.validationFailure
    }
    guard !(error is ExitCode), exitCode(for: error) == .failure else { return error }
    // Errors that users can cause are reported where they happen, so this is a fault of the program.
    Console(isQuiet: false).say(Message(.error, "E_INTERNAL", "\(error)"))
    return ExitStatus.internalError
  }
}

/// The lines that a worker has parsed. Loops send the same one again and again, and parsing it takes longer than a fit.
///
/// A parsed command follows from its line alone: it looks at files, the clock and the environment when it runs.
struct ParsedLines {
  private(set) var commands: [[String]: any ParsableCommand] = [:]

  mutating func store(_ command: any ParsableCommand, for line: [String]) {
    // Lines that name a file of their own never come again.
    if commands.count == 64, commands[line] == nil { commands = [:] }
    commands[line] = command
  }
}
