import ArgumentParser
import Reporting
import StudyData
import StudyFiles
import Synchronization

/// How messages on standard error are written.
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

  /// What was typed, without the program.
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

extension JSONValue {
  /// A message in its parts, as the command writes it: place, severity, code, what was found; what to do.
  init(message: String) {
    let place =
      /(?:(?<file>.*?): )??(?<severity>error|warning) (?<code>[EW]_[A-Z0-9_]+): (?<text>.*)/
      .dotMatchesNewlines()
    guard let found = message.wholeMatch(of: place) else {
      let text = message.hasPrefix("promille: ") ? String(message.dropFirst(10)) : message
      self.init(severity: "remark", code: nil, message: text)
      return
    }
    let parts = found.text.split(separator: "; ", maxSplits: 1).map(String.init)
    let file = found.file.map(String.init).flatMap { $0 == "promille" ? nil : $0 }
    self.init(
      severity: String(found.severity), code: String(found.code), file: file,
      message: parts.first ?? "", remedy: parts.count > 1 ? parts[1] : nil)
  }

  init(_ finding: Diagnostic) {
    self.init(
      severity: finding.severity.rawValue, code: finding.code.rawValue, file: finding.location.file,
      line: finding.location.line, column: finding.location.column, message: finding.message,
      remedy: finding.remedy)
  }

  private init(
    severity: String, code: String?, file: String? = nil, line: Int? = nil, column: Int? = nil,
    message: String, remedy: String? = nil
  ) {
    self = [
      "severity": .string(severity), "code": Self(code), "file": Self(file),
      "line": line.map(Self.integer) ?? .null, "column": column.map(Self.integer) ?? .null,
      "message": .string(message), "remedy": Self(remedy),
    ]
  }
}
