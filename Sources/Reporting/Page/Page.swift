import Foundation
import StudyData

/// A document for people: a title and blocks, independent of the format.
public struct Page: Sendable {
  var title: String
  var blocks: [Block]
  /// True if it is printed in small letters, to fit on one sheet.
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
  /// Details behind a line that opens them; printed only where it is open.
  case details(String, [Block], isOpen: Bool = false)
  /// The findings in a few sentences that stand by themselves.
  case summary(String)
}

extension Block {
  /// The blocks that there are.
  static func some(_ blocks: Block?...) -> [Block] { blocks.compactMap(\.self) }

  /// A list; nil without points.
  static func points(_ points: [String]) -> Block? { points.isEmpty ? nil : .list(points) }
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
  /// The text with marks of Markdown escaped, GitHub's `~` and `$` too, and the unseen made visible; by scalars.
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

  /// The text escaped for the beginning of a line, where list marks, numbers and blanks have a
  /// meaning.
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

extension Page {
  /// The page in HTML, complete in itself: no scripts, and nothing loaded from anywhere.
  public var html: String {
    let symbols =
      figures.isEmpty
      ? "" : "<svg width=\"0\" height=\"0\" aria-hidden=\"true\">\(Chart.symbols)</svg>\n"
    return """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <title>\(title.htmlEscaped)</title>
      <style>
      \(Self.style)\(Chart.style)</style>
      </head>
      <body>
      \(symbols)<main\(isDense ? " class=\"dense\"" : "")>
      \(body)</main>
      </body>
      </html>

      """
  }

  /// The blocks, with links to the sections behind what stands above the first.
  private var body: String {
    let first =
      blocks.firstIndex { if case .heading(2, _) = $0 { true } else { false } } ?? blocks.endIndex
    let parts = blocks.map { $0.html() + "\n" }
    return parts[..<first].joined() + contents + parts[first...].joined()
  }

  private var contents: String {
    let links = blocks.compactMap { block in
      if case .heading(2, let text) = block {
        "<li><a href=\"#\(text.anchor)\">\(text.htmlEscaped)</a></li>"
      } else {
        nil
      }
    }
    return "<nav aria-label=\"Sections\"><ul>\(links.joined())</ul></nav>\n"
  }
}

extension Block {
  /// - Parameter isOpen: Whether what lies behind a line is shown.
  fileprivate func html(isOpen: Bool = false) -> String {
    switch self {
    case .heading(2, let text): "<h2 id=\"\(text.anchor)\">\(text.htmlEscaped)</h2>"
    case .heading(let level, let text): "<h\(level)>\(text.htmlEscaped)</h\(level)>"
    case .paragraph(let text): "<p>\(text.htmlSentence)</p>"
    case .summary(let text): "<p class=\"summary\">\(text.htmlSentence)</p>"
    case .columns(let pieces):
      "<div class=\"columns\">"
        + pieces.map {
          "<section>\n\($0.map { $0.html(isOpen: isOpen) }.joined(separator: "\n"))</section>\n"
        }.joined()
        + "</div>"
    case .details(let title, let blocks, let isOwnOpen):
      Self.details(title, isOwnOpen, blocks.map { $0.html(isOpen: isOwnOpen) })
    case .preformatted(let text):
      "<pre>"
        + text.split(separator: "\n", omittingEmptySubsequences: false).map(\.htmlEscaped)
        .joined(separator: "\n") + "</pre>"
    case .list(let points):
      "<ul>" + points.map { "<li>\($0.htmlSentence)</li>" }.joined() + "</ul>"
    case .table(let table, let caption): table.html(caption: caption)
    case .facts(let facts):
      "<dl>"
        + facts.map { "<dt>\($0.name.htmlEscaped)</dt><dd>\($0.value.htmlEscaped)</dd>" }.joined()
        + "</dl>"
    case .figure(let figure): figure.html(isOpen: isOpen, Figure.legend(of: [figure]))
    case .figures(let figures):
      Figure.legend(of: figures)
        + figures.map { $0.html(isOpen: isOpen) }.joined(separator: "\n")
    }
  }

  fileprivate static func details(_ title: String, _ isOpen: Bool, _ inside: [String]) -> String {
    "<details\(isOpen ? " open" : "")><summary>\(title.htmlEscaped)</summary>\n"
      + inside.joined(separator: "\n") + "</details>"
  }
}

extension Figure {
  /// The charts with legend, caption and values.
  fileprivate func html(isOpen: Bool, _ legend: String = "") -> String {
    let values = values.map { Block.details("Values", isOpen, [$0.html(caption: "")]) + "\n" }
    return
      "<figure class=\"picture\">\n\(legend)\(panels)\n<figcaption>\(caption.htmlEscaped)</figcaption>\n"
      + (values ?? "") + "</figure>"
  }
}

extension Table {
  /// The longest table that a printed page should not break.
  private static let mostRowsTogether = 24

  /// The table, in a box that scrolls by itself where it is wider than the page.
  fileprivate func html(caption: String) -> String {
    let shown = shownColumns
    // Alignment once for a column, since some tables have tens of thousands of cells.
    let numbers = shown.enumerated().compactMap { isNumeric($1) ? "n\($0 + 1)" : nil }
    let head = shown.map { "<th scope=\"col\">\((headers[$0].heading ?? "").htmlEscaped)" }
    let body = rows.map { row in
      "<tr>" + shown.map { "<td>\(displayed(row[$0], $0).htmlEscaped)" }.joined()
    }
    return """
      <figure\(rows.count > Self.mostRowsTogether ? "" : " class=\"short\"")>\
      <figcaption>\(caption.htmlEscaped)</figcaption>
      <div class="wide" tabindex="0"><table class="\(numbers.joined(separator: " "))">
      <thead><tr>\(head.joined())</thead>
      <tbody>
      \(body.joined(separator: "\n"))
      </tbody></table></div></figure>
      """
  }
}

extension StringProtocol {
  /// The text with marks of HTML escaped and the unseen made visible; by scalars: a quote with an accent is a quote.
  var htmlEscaped: String {
    printable.unicodeScalars.reduce(into: "") { text, scalar in
      switch scalar {
      case "&": text += "&amp;"
      case "<": text += "&lt;"
      case ">": text += "&gt;"
      case "\"": text += "&quot;"
      case "'": text += "&#39;"
      default: text.unicodeScalars.append(scalar)
      }
    }
  }

  /// Escaped running text, in which no line breaks at a hyphen inside an option.
  fileprivate var htmlSentence: String {
    htmlEscaped.replacing(/--[a-z]+(-[a-z]+)*/) { "<span class=\"option\">\($0.output.0)</span>" }
  }

  /// A name that links can lead to.
  fileprivate var anchor: String {
    let words = lowercased().split { !($0.isLetter || $0.isNumber) }
    return words.joined(separator: "-").htmlEscaped
  }
}

extension Page {
  /// The style sheet: for phones and paper, light and dark. Letters have 12 pixels at least.
  static let style = PackageResources.page_css.filled([
    "numbers": (1...40).map { ".n\($0) :is(th, td):nth-child(\($0))" }.joined(separator: ", ")
  ])
}
