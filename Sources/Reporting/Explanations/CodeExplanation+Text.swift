public import StudyData

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

extension String {
  /// The text in lines of at most 90 characters, each behind an indent.
  func indentedParagraph(_ indent: String) -> String {
    wrapped(to: 90 - indent.count).split(separator: "\n")
      .map { indent + $0.drop { $0 == " " } + "\n" }.joined()
  }
}
