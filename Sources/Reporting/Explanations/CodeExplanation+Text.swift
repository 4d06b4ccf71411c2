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
}

extension String {
  /// The text in lines of at most 90 characters, each behind an indent.
  func indentedParagraph(_ indent: String) -> String {
    wrapped(to: 90 - indent.count).split(separator: "\n")
      .map { indent + $0.drop { $0 == " " } + "\n" }.joined()
  }
}
