import ArgumentParser
import StudyFiles
import Synchronization

/// The format of messages on standard error.
enum ErrorFormat: String, CaseIterable { case text, json }

/// The command line that runs: the process's own, or the one of a request to a worker.
enum Invocation {
  private struct State {
    var arguments: [String] = []
    var errorFormat = ErrorFormat.text
    var isForWorker = false
  }

  private static let state = Mutex(State())
  private static let option = "--error-format"

  /// The words that were typed, without the program.
  static var arguments: [String] { state.withLock(\.arguments) }
  static var errorFormat: ErrorFormat { state.withLock(\.errorFormat) }
  /// Whether other commands follow in this process, which none may end.
  static var isForWorker: Bool { state.withLock(\.isForWorker) }

  /// Forgets the command before, and takes out of a line what every command understands: how errors are written must be
  /// known before anything can be refused.
  ///
  /// - Returns: The line for the parser.
  static func begin(_ line: [String], forWorker isForWorker: Bool) throws -> [String] {
    state.withLock { $0 = State(arguments: line, isForWorker: isForWorker) }
    Console.forgetStudies()
    InputFile.forgetStandardInput()
    var rest = line
    let end = line.firstIndex(of: "--") ?? line.endIndex
    guard let index = line[..<end].firstIndex(where: { $0 == option || $0.hasPrefix(option + "=") })
    else { return line }
    let isInWord = line[index] != option
    let value =
      isInWord
      ? line[index].dropFirst(option.count + 1)
      : line[..<end].dropFirst(index + 1).first?[...] ?? ""
    guard let format = ErrorFormat(rawValue: String(value)) else {
      let names = ErrorFormat.allCases.map(\.rawValue).joined(separator: " or ")
      throw ValidationError("\(option) is '\(value)'; write \(names).")
    }
    state.withLock { $0.errorFormat = format }
    rest.removeSubrange(index...(isInWord ? index : index + 1))
    return rest
  }
}
