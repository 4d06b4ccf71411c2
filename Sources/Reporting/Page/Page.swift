import Foundation
import StudyData

/// What people read: a title and blocks, before it is known in which format.
public struct Page: Sendable {
  var title: String
  var blocks: [Block]
  /// Whether it is printed in small letters, so that all of it is on one sheet.
  var isDense = false

  package init(title: String, blocks: [Block], isDense: Bool = false) {
    self.title = title
    self.blocks = blocks
    self.isDense = isDense
  }

  /// The figures on the page.
  public var figures: [Figure] {
    blocks.flatMap { block -> [Figure] in
      switch block {
      case .figure(let figure): [figure]
      case .figures(let figures): figures
      case .columns(let pieces): pieces.flatMap { Page(title: "", blocks: $0).figures }
      case .details(_, let blocks, _): Page(title: "", blocks: blocks).figures
      default: []
      }
    }
  }
}

package enum Block: Sendable {
  /// A heading, of level 1 for the page's title to 4.
  case heading(Int, String)
  /// A paragraph; ``Text`` says how words are marked.
  case paragraph(String)
  /// Formulas and the like, shown as they are.
  case preformatted(String)
  /// One line for each point.
  case list([String])
  case table(Table, caption: String)
  /// Facts as pairs of a name and a value.
  case facts([(name: String, value: String)])
  case figure(Figure)
  /// Pictures of one kind, with one legend for all.
  case figures([Figure])
  /// Pieces of one kind, which a printed page shows in two columns.
  case columns([[Block]])
  /// What only some want to see, behind a line that opens it; printed only where it is open.
  case details(String, [Block], isOpen: Bool = false)
  /// What was found, in a few sentences that stand by themselves.
  case summary(String)
}

extension Page {
  /// The page in Markdown, its pictures in files beside it.
  ///
  /// - Parameter folder: Where the pictures are, seen from the page.
  public func markdown(picturesIn folder: String) -> String {
    blocks.map { $0.markdown(picturesIn: folder) }.joined(separator: "\n\n") + "\n"
  }
}

extension Block {
  fileprivate func markdown(picturesIn folder: String) -> String {
    switch self {
    case .heading(let level, let text):
      String(repeating: "#", count: level) + " " + text.markdownEscaped
    case .paragraph(let text), .summary(let text): text.markdownLine
    case .preformatted(let text):
      text.split(separator: "\n", omittingEmptySubsequences: false).map { "    \($0.printable)" }
        .joined(separator: "\n")
    case .list(let points): points.map { "- \($0.markdownLine)" }.joined(separator: "\n")
    case .table(let table, let caption): "*\(caption.markdownEscaped)*\n\n" + table.markdown
    case .facts(let facts):
      facts.map { "- \($0.name.markdownLine): \($0.value.markdownEscaped)" }
        .joined(separator: "\n")
    case .figures(let figures):
      figures.map { Block.figure($0).markdown(picturesIn: folder) }.joined(separator: "\n\n")
    case .figure(let figure):
      "![\(figure.alt.markdownEscaped)](\("\(folder)/\(figure.name).svg".linkEscaped))\n\n"
        + "*\(figure.caption.markdownEscaped)*"
        + (figure.values.map { "\n\n" + $0.markdown } ?? "")
    case .columns(let pieces):
      pieces.flatMap(\.self).map { $0.markdown(picturesIn: folder) }.joined(separator: "\n\n")
    case .details(let title, let blocks, let isOpen):
      (["<details\(isOpen ? " open" : "")><summary>\(title.htmlEscaped)</summary>"]
        + blocks.map { $0.markdown(picturesIn: folder) } + ["</details>"])
        .joined(separator: "\n\n")
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

extension String {
  /// The text with what Markdown would take for marks escaped, and what nobody could see made
  /// visible; below the level of characters.
  ///
  /// GitHub's marks are among them: `~`, and `$` for formulas.
  var markdownEscaped: String {
    let text = Array(printable.unicodeScalars)
    return text.indices.reduce(into: "") { escaped, index in
      let scalar = text[index]
      switch scalar {
      case "<": escaped += "&lt;"
      case "&" where text[(index + 1)...].first.map(\.beginsEntity) == true: escaped += "&amp;"
      case "\\", "`", "*", "_", "[", "]", "|", "#", ">", "~", "$": escaped += "\\\(scalar)"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
  }

  /// The same for a text that begins a line, where more has a meaning: points of a list, numbers,
  /// and the blanks of a code block.
  var markdownLine: String {
    let escaped = markdownEscaped
    if escaped.hasPrefix(" ") { return "&#32;" + escaped.dropFirst() }
    if let first = escaped.unicodeScalars.first, ["+", "-", "="].contains(first) {
      return "\\" + escaped
    }
    let digits = escaped.prefix { ("0"..."9").contains($0) }
    guard !digits.isEmpty, let mark = escaped.dropFirst(digits.count).first,
      mark == "." || mark == ")"
    else { return escaped }
    return digits + "\\" + escaped.dropFirst(digits.count)
  }

  /// The path as the destination of a link, which ends at a blank or a bracket otherwise.
  var linkEscaped: String {
    let kept = CharacterSet(
      charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/")
    return addingPercentEncoding(withAllowedCharacters: kept) ?? self
  }
}

extension Unicode.Scalar {
  fileprivate var beginsEntity: Bool {
    self == "#" || isASCII && properties.isAlphabetic
  }
}
