package import StudyData
package import StudyFiles

/// A question about a column as it is asked on a terminal: what was found, and numbered answers.
package struct ColumnQuestion {
  /// The meaning of an answer.
  package enum Answer: Hashable, Sendable {
    /// The column is said to be something.
    case choice(ColumnChoice)
    /// Nothing more is to be asked.
    case stop
    /// The answer is not valid, for this reason.
    case notUnderstood(String)
  }

  private let title: String
  private let choices: [ColumnChoice]
  private let labels: [(words: String, name: String)]
  /// The choice behind an empty answer; nil if an answer is required.
  private let skip: ColumnChoice?

  /// Formulates the question for a finding; nil if no choice of a column settles it.
  ///
  /// - `headers`: The headers of the tables, of which one may have to be chosen.
  package init?(_ finding: Diagnostic, headers: [String]) {
    guard !finding.choices.isEmpty else { return nil }
    let isChoice = finding.choices.count > 1 || !headers.isEmpty
    title =
      "\(finding.location): \(finding.message.printable)"
      + (isChoice ? "; \(finding.remedy.printable)" : "")
    let choices = finding.choices
    self.choices = choices
    labels = choices.map { choice in
      if choice.isOfAnyColumn, choices.count > 1 {
        return ("a column of the table: \(choice.words)", choice.name)
      }
      return choice.name == Self.ignored
        ? ("leave out \(choice.headers.joined(separator: " and ").printable)", choice.name)
        : (choice.words, choice.name)
    }
    // Any table can do without a column of which only the unit is not known, but for its readings.
    let isOptional =
      finding.code == .columnUnit && choices.allSatisfy { !$0.isOfAnyColumn && $0.headers != ["*"] }
    skip = isOptional ? choices.first.map { ColumnChoice($0.headers, is: Self.ignored) } : nil
  }

  /// Asks which column a choice is about.
  package init(whichOf headers: [String], is choice: ColumnChoice) {
    title = "Which column is it: \(choice.words)?"
    choices = headers.map { ColumnChoice([$0], is: choice.name) }
    labels = headers.map { ($0.printable, "") }
    skip = nil
  }

  /// Asks for the unit of readings.
  package init(unitOf choice: ColumnChoice) {
    title = "What are the readings in \(choice.headers.joined(separator: ", ").printable)?"
    choices = ColumnName.all.filter(\.isReading).map { ColumnChoice(choice.headers, is: $0.name) }
    labels = choices.map { ($0.words, $0.name) }
    skip = nil
  }

  private static let ignored = "ignore"

  /// The question, fitted to a terminal.
  package func text(width: Int) -> String {
    let numbers = String(choices.count).count
    let widest = labels.map(\.words.count).max() ?? 0
    let lines = zip(1..., labels).map { number, label in
      let digits = String(repeating: " ", count: numbers - String(number).count) + "\(number)"
      let gap = String(repeating: " ", count: widest - label.words.count + 2)
      let line = "  \(digits)  \(label.words)" + (label.name.isEmpty ? "" : gap + label.name)
      return line.count <= width
        ? line : "  \(digits)  \(label.words)".wrapped(to: width, indent: "     ")
    }
    let ways = (skip == nil ? [] : ["Enter: leave the column out"]) + ["q: stop"]
    return ([title.wrapped(to: width)] + lines).joined(separator: "\n")
      + "\n" + "Number or name (\(ways.joined(separator: "; "))): ".wrapped(to: width)
  }

  /// Interprets a line that was typed.
  package func answer(to line: String) -> Answer {
    let text = line.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    guard !text.isEmpty else {
      return skip.map { .choice($0) } ?? .notUnderstood("This needs an answer.")
    }
    if ["q", "quit"].contains(text.lowercased()) { return .stop }
    if let number = Int(text) {
      guard choices.indices.contains(number - 1) else {
        return .notUnderstood("Type a number from 1 to \(choices.count).")
      }
      return .choice(choices[number - 1])
    }
    if let choice = choices.first(where: { $0.name == text.lowercased() }),
      choices.count(where: { $0.name == choice.name }) == 1
    {
      return .choice(choice)
    }
    if let choice = choices.first(where: { $0.headers == [text] }),
      labels.allSatisfy({ $0.name.isEmpty })
    {
      return .choice(choice)
    }
    // Any other name, where all choices are about one column.
    guard let first = choices.first, !first.isOfAnyColumn,
      choices.allSatisfy({ $0.headers == first.headers }),
      let name = ColumnName(text)
    else {
      let near = text.nearest(in: choices.map(\.name)).map { " Did you mean \($0)?" } ?? ""
      return .notUnderstood(
        "\(text.quoted) is no answer.\(near) Type a number, or a name that promille explain map lists."
      )
    }
    return .choice(ColumnChoice(first.headers, is: name.name))
  }
}
