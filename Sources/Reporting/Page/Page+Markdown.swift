import StudyData

extension Page {
  /// The page in Markdown, its pictures in files beside it.
  ///
  /// - Parameter picture: The path of a figure's picture from the page; nil where there is none.
  func markdown(picture: (Figure) -> String?) -> String {
    blocks.map { $0.markdown(picture: picture) }.joined(separator: "\n\n") + "\n"
  }
}

extension Block {
  fileprivate func markdown(picture: (Figure) -> String?) -> String {
    switch self {
    case .heading(let level, let text):
      String(repeating: "#", count: level) + " " + text.markdownEscaped
    case .paragraph(let text): text.markdownLine
    case .preformatted(let text):
      text.split(separator: "\n", omittingEmptySubsequences: false).map { "    \($0.printable)" }
        .joined(separator: "\n")
    case .list(let points): points.map { "- \($0.markdownLine)" }.joined(separator: "\n")
    case .table(let table, let caption): "*\(caption.markdownEscaped)*\n\n" + table.markdown
    case .facts(let facts):
      facts.map { "- \($0.name.markdownLine): \($0.value.markdownEscaped)" }
        .joined(separator: "\n")
    case .figure(let figure):
      (picture(figure).map { "![\(figure.alt.markdownEscaped)](\($0.linkEscaped))\n\n" } ?? "")
        + "*\(figure.caption.markdownEscaped)*"
    }
  }
}

extension Table {
  fileprivate var markdown: String {
    let shown = shownColumns
    let line = { (cells: [String]) in "| " + cells.joined(separator: " | ") + " |" }
    let rule = shown.map { isNumeric($0) ? "--:" : ":--" }
    let head = shown.map { (headers[$0].heading ?? "").markdownEscaped }
    let body = rows.map { row in
      line(shown.map { displayed(row[$0], $0).markdownEscaped })
    }
    return ([line(head), line(rule)] + body).joined(separator: "\n")
  }
}
