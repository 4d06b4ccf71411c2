public import StudyData

extension CodeExplanation {
  /// The explanation, in lines of at most 90 characters.
  ///
  /// - Parameter name: The code that was asked for. If an earlier version gave it, that is said.
  public func text(askedFor name: String) -> String {
    let former = formerCodes.first { $0 == name.uppercased() }
    return "\(code) (\(kind)\(former.map { ", was \($0)" } ?? ""))\n"
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
