import Foundation
import Reporting
import StudyData
import StudyFiles

/// Asks at a terminal what the columns of a table are, one question after the other.
struct Dialogue {
  /// True if standard input and standard error are a terminal, and the variable CI is not set, as
  /// programs for builds and tests set it.
  static var isPossible: Bool {
    isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1
      && (ProcessInfo.processInfo.environment["CI"] ?? "").isEmpty
  }

  private let console: Console
  /// The last questions: an answer that settles nothing is not asked for again.
  private var asked: [Diagnostic] = []
  private(set) var answers = ColumnMap.empty

  var hasAsked: Bool { !asked.isEmpty }

  init(_ console: Console) { self.console = console }

  /// Asks what has to be known before a table can be read.
  ///
  /// - Returns: False if it cannot be settled by answers, or if somebody stops or the input ends.
  mutating func resolve(_ error: StudyError) -> Bool {
    let questions = error.diagnostics.compactMap { finding in
      ColumnQuestion(finding, headers: error.headers).map { (finding, $0) }
    }
    guard !questions.isEmpty, error.diagnostics != asked else { return false }
    if asked.isEmpty {
      console.prompt("Some columns are not clear. Nothing is written before all is answered.\n")
    }
    asked = error.diagnostics
    for (finding, question) in questions {
      guard let choice = readChoice(question, finding, among: error.headers) else { return false }
      answers = answers.merging(choice.map)
    }
    return true
  }

  /// The answer to a question, with the column where one has to be chosen; nil if somebody stops.
  private func readChoice(
    _ question: ColumnQuestion, _ finding: Diagnostic, among headers: [String]
  ) -> ColumnChoice? {
    let isOnly = finding.choices.count == 1 && finding.choices[0].isOfAnyColumn
    if isOnly { console.prompt("\n\(finding.location): \(finding.message)\n") }
    guard let choice = isOnly ? finding.choices[0] : readChoice(question) else { return nil }
    guard choice.isOfAnyColumn else { return choice }
    guard let column = readChoice(ColumnQuestion(whichOf: headers, is: choice)) else { return nil }
    guard ColumnName(column.name)?.isReading == true else { return column }
    return readChoice(ColumnQuestion(unitOf: column))
  }

  private func readChoice(_ question: ColumnQuestion) -> ColumnChoice? {
    console.prompt("\n" + question.text(width: OutputTerminal.width(of: STDERR_FILENO)))
    while true {
      // What ends without a line end was not finished.
      guard let line = readLine(strippingNewline: false), line.hasSuffix("\n") else {
        console.prompt("\n")
        return nil
      }
      switch question.answer(to: line) {
      case .choice(let choice): return choice
      case .stop: return nil
      case .notUnderstood(let reason): console.prompt(reason + " ")
      }
    }
  }
}
