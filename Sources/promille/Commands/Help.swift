import ArgumentParser
import Foundation

/// The help of a command: short, with the options that most people use, or all of it.
///
/// The short one is cut out of the other, so that the parser, the completions and the manual know every
/// option, and each is described once. What options do not say is in `help.txt`, a page for each command.
enum Help {
  /// The page of a command in `help.txt`, or of one of several questions.
  struct Page {
    /// The purpose, in one line.
    let abstract: String
    /// The options that the short help has; nil for a command that has few, and shows all.
    let common: [String]?
    /// The rest of the page; for a question an example.
    let text: String

    fileprivate init(_ lines: ArraySlice<Substring>) {
      let head = lines.prefix { !$0.isEmpty }
      abstract = String(head.first ?? "")
      common = head.dropFirst().first?.split(separator: " ").dropFirst().map(String.init)
      let rest = lines[head.endIndex...].drop(while: \.isEmpty)
      let end = rest.lastIndex { !$0.isEmpty }.map { $0 + 1 } ?? rest.endIndex
      text = rest[..<end].joined(separator: "\n")
    }
  }

  /// The lines of the pages by their names: that of the command, and behind it that of the question. Every command begins
  /// with a few of them: they are looked for as bytes, and pages are made where they are asked for.
  static let pages: [Substring: ArraySlice<Substring>] = {
    let text = String(decoding: PackageResources.help_txt, as: UTF8.self)
    let newline = UInt8(ascii: "\n")
    let lines = text.utf8.split(separator: newline, omittingEmptySubsequences: false)
      .map(Substring.init)
    let heads = lines.indices.filter { lines[$0].hasPrefix("## ") }
    return Dictionary(
      uniqueKeysWithValues: zip(heads, heads.dropFirst() + [lines.endIndex]).map {
        (lines[$0].dropFirst(3), lines[($0 + 1)..<$1])
      })
  }()

  /// The page of a name; nil if there is none.
  static func page(_ name: String) -> Page? { pages[name[...]].map(Page.init) }

  /// The configuration of a command for the parser.
  ///
  /// - Parameter numbers: Values for the names in double braces.
  static func configuration(
    _ name: String, _ numbers: KeyValuePairs<String, String> = [:], version: String = "",
    subcommands: [any ParsableCommand.Type] = []
  ) -> CommandConfiguration {
    let page = page(name)
    return CommandConfiguration(
      commandName: name, abstract: page?.abstract ?? "",
      discussion: numbers.reduce(page?.text ?? "") {
        $0.replacing("{{\($1.key)}}", with: $1.value)
      }, version: version, subcommands: subcommands)
  }

  private static let everywhere = ["--format", "--output", "--help"]
  /// Lines of examples in the short help.
  private static let examples = 4

  /// The help that a command line requests; nil if it requests none.
  static func text(askedForBy line: [String]) -> String? {
    let line = line.prefix { $0 != "--" }
    let isAll = line.contains("--help-all")
    guard isAll || line.contains("--help") || line.contains("-h") || line.first == "help" else {
      return nil
    }
    let word = line.first { $0 != "help" && !$0.hasPrefix("-") }
    guard let word else { return isAll ? Promille.helpMessage() + "\n" : nil }
    guard let command = Promille.configuration.subcommands.first(where: { $0.name == word }) else {
      return nil
    }
    let words = line.filter { $0 != "help" && !$0.hasPrefix("-") }.dropFirst()
    // The program that serves has help of its own for them.
    if command == Serve.self, words.first.map(Serve.subcommands.contains) ?? false { return nil }
    let full = Promille.helpMessage(for: command)
    if isAll { return full + "\n" }
    let question = words.first.map { "\(word) \($0)" }
    return shortened(full, of: word, to: question.flatMap { pages[$0[...]] == nil ? nil : $0 })
  }

  private static func shortened(
    _ full: String, of command: String, to question: String?
  ) -> String {
    guard let page = page(question ?? command), let common = page.common else {
      return full + "\n"
    }
    let shown = common + everywhere
    var kept: [String] = []
    var options: [String] = []
    var leftOut = 0
    var isDiscussion = false
    for paragraph in full.paragraphs {
      if paragraph.hasPrefix("OVERVIEW:") {
        kept.append(paragraph)
        isDiscussion = true
      } else if paragraph.hasPrefix("USAGE:") || paragraph.hasPrefix("ARGUMENTS:") {
        kept.append(paragraph)
        isDiscussion = false
      } else if isDiscussion {
        if paragraph.hasPrefix("Example") { kept.append(paragraph.firstExamples(examples)) }
      } else {
        for entry in paragraph.entries {
          if shown.contains(where: entry.describes) { options.append(entry) } else { leftOut += 1 }
        }
      }
    }
    if let question {
      kept = [
        "OVERVIEW: \(page.abstract)", "Example:\n  \(page.text)",
        "USAGE: promille \(question) [<options>]",
      ]
    }
    kept.append("COMMON OPTIONS:\n" + options.joined(separator: "\n"))
    return kept.joined(separator: "\n\n")
      + "\n\n\(leftOut) more options, and what the command does in full: promille \(command) --help-all\n"
  }
}

extension String {
  fileprivate var paragraphs: [String] {
    split(separator: "\n\n").map { String($0) }
  }

  /// The entries of a list of options, each with the lines that belong to it.
  fileprivate var entries: [String] {
    split(separator: "\n").dropFirst().reduce(into: []) { entries, line in
      if line.hasPrefix("  -") || entries.isEmpty {
        entries.append(String(line))
      } else {
        entries[entries.count - 1] += "\n" + line
      }
    }
  }

  fileprivate func describes(_ option: String) -> Bool {
    prefix { $0 != "\n" }.split { $0 == " " || $0 == "," }.prefix(2).contains { $0 == option }
  }

  /// The heading and so many examples; one that goes on in the next line is kept whole.
  fileprivate func firstExamples(_ count: Int) -> String {
    var kept: [Substring] = []
    var examples = 0
    for line in split(separator: "\n") {
      if line.hasPrefix("  promille") { examples += 1 }
      if examples > count { break }
      kept.append(line)
    }
    return kept.joined(separator: "\n")
  }
}
