import ArgumentParser
import Foundation
import Reporting
import StudyData
import StudyFiles
import StudyStore
import Synchronization

/// Standard error: where everything goes that is not a result.
///
/// Messages hold names from files, which may hold anything: what would break a line, be obeyed by a
/// terminal or turn the line round is shown as an escape, here and nowhere else.
struct Console {
  /// Whether warnings are left out. Errors never are.
  let isQuiet: Bool
  /// The colouring of codes.
  var color = ColorChoice.auto

  /// Prints a message, in a line.
  func say(_ message: Message) {
    switch Invocation.errorFormat {
    case .text: write(message.line(in: TerminalStyle(isColored: color.isOn(for: STDERR_FILENO))))
    case .json: write(message.json.line)
    }
  }

  /// Prints a warning, a sentence of finding and remedy with a semicolon between them.
  func warning(_ code: String, _ sentence: String, at file: String? = nil) {
    if !isQuiet, RemarkLimit.admits() {
      say(Message(.warning, code, sentence, at: file.map { SourceLocation(file: $0) }))
    }
  }

  /// Prints a remark, which needs no code.
  func remark(_ text: String) {
    if !isQuiet, RemarkLimit.admits() { say(Message(text)) }
  }

  /// Prints what one does next.
  func suggest(_ text: String) { write(text.printable) }

  /// Warns about selected subjects that are not in the study: a misspelt name selects nothing.
  func warnOfUnknownSubjects(_ selected: [String], among names: Set<String>, of study: String) {
    for name in selected where !names.contains(name) {
      warning("W_NOBODY", "--subject \(name) is not one of its \(names.count) subjects", at: study)
    }
  }

  /// Prints a remark of several lines.
  private func explain(_ text: String) {
    switch Invocation.errorFormat {
    case .text: write("promille: \(text)".printableLines)
    case .json: say(Message(text))
    }
  }

  /// Prints the reason why a command line is refused, for people with the usage.
  func refuse(_ reason: String, _ usage: String) {
    switch Invocation.errorFormat {
    case .text: write(usage.printableLines)
    case .json: say(Message(.error, "E_OPTION", reason))
    }
  }

  /// Prints a question; the answer is typed behind it.
  func prompt(_ question: String) {
    write(question.printableLines, end: "")
  }

  /// Prints the findings in a study's files.
  func report(_ diagnostics: [Diagnostic]) {
    var findings = CollapsedFindings()
    for finding in diagnostics { findings.add(finding.withOptions) }
    report(findings)
  }

  func report(_ findings: CollapsedFindings) {
    for finding in findings.shown
    where finding.severity == .error || (!isQuiet && RemarkLimit.admits()) {
      say(Message(finding))
    }
    if findings.areShortened {
      remark("findings that repeat are shown once; promille check --format json lists all")
    }
  }

  /// Prints once how the columns of a sheet were interpreted.
  func showColumns(_ taken: [TakenColumn], _ summary: String, of study: String) {
    guard !isQuiet, !taken.isEmpty, Self.explainedStudies.withLock({ $0.insert(study).inserted })
    else {
      return
    }
    explain("\(study.printable): columns taken as:\n" + Report.text(of: taken))
    if !summary.isEmpty { explain("\(study.printable): \(summary)") }
  }

  /// Prints for people where the drinks of a study are whose tables say so themselves; programs get nothing that they did
  /// not ask for.
  func showDrinkTimes(_ drinks: DrinkTimes, of study: String) {
    if !isQuiet, isatty(STDERR_FILENO) == 1 { explain("\(study.printable): \(drinks.text)") }
  }

  /// The studies whose columns have been printed: a command may open one several times.
  private static let explainedStudies = Mutex(Set<String>())

  /// Forgets the explained studies, for another command of a worker.
  static func forgetStudies() { explainedStudies.withLock { $0 = [] } }

  /// Exits with 1, after a message, if some rows have no result.
  func endIfFailed(_ failed: Int, of rows: Int) throws {
    guard failed > 0 else { return }
    // Never hidden: it is why the command ends with 1.
    if !isQuiet { say(Message("\(failed) of \(rows) rows have no result; see the column reason")) }
    throw ExitStatus.someFailed
  }

  /// Prints how long something took, if that was noticeable.
  func reportTime(_ what: String, since start: ContinuousClock.Instant) {
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    if seconds > 0.2 { remark("\(what) in \(String(format: "%.2f", seconds)) s") }
  }

  private func write(_ message: String, end: String = "\n") {
    // If standard error is closed, there is nobody left to tell.
    try? FileHandle.standardError.write(contentsOf: Data((message + end).utf8))
  }
}

/// Limits the warnings and remarks of a command on a terminal, where a long list would bury its answer.
///
/// Only commands with `--details` have a limit, and only while both of their streams are a terminal: pipes and logs get
/// everything. Errors have none.
enum RemarkLimit {
  private struct State {
    var left = Int.max
    var hidden = 0
  }

  /// Lines that are shown before the others are counted.
  private static let lines = 3
  private static let state = Mutex(State())

  /// Resets the count for a command.
  static func begin(for command: any ParsableCommand) {
    let details = command.parsed.lazy.compactMap { $0.value as? DetailsOption }.first
    let output = (command as? any ResultCommand)?.output as? OutputOptions
    let isLimited =
      details?.details == false && output?.path == nil && output?.resolvedFormat == .table
      && Invocation.errorFormat == .text && isatty(STDOUT_FILENO) == 1 && isatty(STDERR_FILENO) == 1
    state.withLock { $0 = State(left: isLimited ? lines : .max) }
  }

  /// True if another line may be shown; counts it as hidden otherwise.
  static func admits() -> Bool {
    state.withLock { state in
      guard state.left > 0 else {
        state.hidden += 1
        return false
      }
      state.left -= 1
      return true
    }
  }

  /// States how many lines were hidden, if any.
  static func end(on console: Console) {
    let hidden = state.withLock { state in
      defer { state = State() }
      return state.hidden
    }
    if hidden > 0 { console.say(Message("\(hidden) more with --details")) }
  }
}

/// A reader who has gone before the end, as `head` does.
///
/// The command then ends as others do, by the signal and without a word.
enum BrokenPipe {
  /// Lets writing fail instead of ending the command at once.
  static func expect() {
    signal(SIGPIPE, SIG_IGN)
  }

  /// Exits if a closed pipe is why a result could not be written.
  static func endIfCause(of error: any Error) {
    guard (error as? OutputFailure)?.code == EPIPE, !Invocation.isForWorker else { return }
    signal(SIGPIPE, SIG_DFL)
    raise(SIGPIPE)
  }
}

/// Files that may be open at once.
///
/// Where none is left, libdispatch ends the program that wants threads of it. So a command begins with
/// enough of them, or says that it cannot.
enum Descriptors {
  /// Files that a command needs besides its standard streams: those of a study and of a result, those of
  /// a database, and three of libdispatch.
  private static let needed = 12

  /// Throws unless enough files can be opened.
  static func require() throws {
    raiseLimit()
    let room = room
    guard room < needed else { return }
    throw Refusal(
      "E_DESCRIPTORS",
      "only \(room) more files can be opened, but \(needed) may be needed; raise the limit with ulimit -n 64",
      ExitStatus.cannotCreate)
  }

  /// Raises the limit of this process as far as the system lets it, where it is below what is plenty.
  private static func raiseLimit() {
    let plenty = rlim_t(64)
    var limit = rlimit()
    #if canImport(Darwin)
      let files = RLIMIT_NOFILE
    #else
      let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #endif
    guard getrlimit(files, &limit) == 0, limit.rlim_cur < plenty, limit.rlim_cur < limit.rlim_max
    else {
      return
    }
    limit.rlim_cur = min(plenty, limit.rlim_max)
    setrlimit(files, &limit)
  }

  /// The number of files that can be opened, up to ``needed``.
  private static var room: Int {
    var opened: [Int32] = []
    while opened.count < needed {
      let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { break }
      opened.append(descriptor)
    }
    for descriptor in opened { close(descriptor) }
    return opened.count
  }
}

/// A message on standard error: a line for people, and its parts for programs.
struct Message {
  enum Severity: String { case error, warning, remark }

  var severity = Severity.remark
  var code: String?
  /// The file that it is about; nil for the command itself.
  var location: SourceLocation?
  let text: String
  var remedy: String?

  /// A remark without a code.
  init(_ text: String) { self.text = text }

  /// Splits a sentence at the first semicolon into the finding and the remedy.
  init(_ severity: Severity, _ code: String, _ sentence: String, at location: SourceLocation? = nil)
  {
    let parts = sentence.split(separator: "; ", maxSplits: 1).map(String.init)
    self.severity = severity
    self.code = code
    self.location = location
    text = parts.first ?? ""
    remedy = parts.count > 1 ? parts[1] : nil
  }

  init(_ finding: Diagnostic) {
    severity = finding.severity == .error ? .error : .warning
    code = finding.code.rawValue
    location = finding.location
    text = finding.message
    remedy = finding.remedy
  }

  init(_ error: StoreError) {
    severity = .error
    code = error.code.rawValue
    location = SourceLocation(file: error.path.isEmpty ? "\"\"" : error.path)
    text = error.message
    remedy = error.remedy
  }

  /// The line. What would break it, be obeyed by a terminal or turn the line round is shown as an escape.
  func line(in terminal: TerminalStyle) -> String {
    let origin = location?.description ?? "promille"
    let end = text + (remedy.map { "; \($0)" } ?? "")
    guard let code else { return "\(origin): \(end)".printable }
    let mark = terminal.painted(
      "\(severity.rawValue) \(code)", severity == .error ? .red : .yellow)
    return "\(origin): ".printable + mark + ": \(end)".printable
  }

  var json: JSONValue {
    [
      "severity": .string(severity.rawValue), "code": JSONValue(code),
      "file": JSONValue(location?.file), "line": location?.line.map(JSONValue.integer) ?? .null,
      "column": location?.column.map(JSONValue.integer) ?? .null, "message": .string(text),
      "remedy": JSONValue(remedy),
    ]
  }
}
