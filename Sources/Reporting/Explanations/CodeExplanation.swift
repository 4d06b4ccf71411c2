/// The long form of a stable code: what was found, why it matters, and what to do.
public struct CodeExplanation: Hashable, Sendable {
  /// The code, as `W_AT_BOUND`.
  public let code: String
  /// What was found.
  public let found: String
  /// Why it matters, or what was done about it.
  public let why: String
  /// What to do next.
  public let remedy: String

  /// Codes about one subject.
  public struct Section: Hashable, Sendable {
    /// What the codes are about.
    public let title: String
    /// The codes, each explained.
    public let explanations: [CodeExplanation]
  }

  /// Every code that Promille can print, by what it is about.
  public static let sections = [
    Section(title: "The study as a whole", explanations: study),
    Section(title: "The text of a file", explanations: text),
    Section(title: "Columns", explanations: columns),
    Section(title: "Subjects", explanations: subjects),
    Section(title: "Numbers", explanations: numbers),
    Section(title: "Times", explanations: times),
    Section(title: "Doses", explanations: doses),
    Section(title: "Readings", explanations: readings),
    Section(title: "Identifiers", explanations: identifiers),
    Section(title: "Vital signs", explanations: vitals),
    Section(title: "Tables of events", explanations: events),
    Section(title: "Estimates", explanations: estimates),
    Section(title: "Golden results", explanations: golden),
    Section(title: "Why a series has no result", explanations: failures),
    Section(title: "Warnings about a fit", explanations: warnings),
    Section(title: "A case", explanations: cases),
    Section(title: "Databases", explanations: databases),
    Section(title: "The study day", explanations: studyDay),
    Section(title: "Apple Health", explanations: health),
    Section(title: "Writing", explanations: writing),
  ]

  /// Every code that Promille can print.
  public static let all = sections.flatMap(\.explanations)

  /// The explanation of a code, in upper or lower case; nil if there is no such code.
  public static func of(_ code: String) -> CodeExplanation? {
    all.first { $0.code == code.uppercased() }
  }

  /// How grave it is: an error, a warning or a note.
  public var kind: String {
    code.hasPrefix("E_") ? "error" : code.hasPrefix("W_") ? "warning" : "note"
  }

  /// The article that lists all codes, in Markdown.
  public static var article: String {
    let sections = sections.map { section in
      let rows = section.explanations.map { explanation in
        "| `\(explanation.code)` | \(explanation.found) \(explanation.why) | \(explanation.remedy) |\n"
      }
      return "\n## \(section.title)\n\n| code | what was found | what to do |\n|---|---|---|\n"
        + rows.joined()
    }
    return """
      # Codes

      What every error and warning means, and what to do about it.

      ## Overview

      Codes are stable: they are never renamed or reused, so that scripts can rely on them. `E_` marks
      an error, `W_` a warning, `N_` a note that needs no action. `promille explain CODE` prints one of these entries.

      """ + sections.joined()
  }
}

// MARK: - On a terminal

extension CodeExplanation {
  /// The explanation, in lines of at most 90 characters.
  public var text: String {
    "\(code) (\(kind))\n"
      + [found, why, "What to do: \(remedy)"].map { $0.indentedParagraph("  ") }.joined()
  }

  /// Every code with what was found, by what it is about.
  public static var list: String {
    sections.map { section in
      "\(section.title)\n"
        + section.explanations.map { explanation in
          "  \(explanation.code)\n" + explanation.found.indentedParagraph("    ")
        }.joined()
    }.joined(separator: "\n")
  }
}

extension String {
  /// The text in lines of at most 90 characters, each behind an indent.
  func indentedParagraph(_ indent: String) -> String {
    wrapped(to: 90 - indent.count).split(separator: "\n")
      .map { indent + $0.drop { $0 == " " } + "\n" }.joined()
  }
}
