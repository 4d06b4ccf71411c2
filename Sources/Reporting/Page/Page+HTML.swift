import StudyData

extension Page {
  /// The page in HTML, complete in itself: no scripts, and nothing loaded from anywhere.
  ///
  /// - Parameter picture: The SVG of a figure; nil where there is none.
  func html(picture: (Figure) -> String?) -> String {
    """
    <!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>\(title.htmlEscaped)</title>
    <style>
    \(Self.style)</style>
    </head>
    <body>
    <main>
    \(contents)\(body(picture: picture))</main>
    </body>
    </html>

    """
  }

  /// Links to the sections, behind the title.
  private var contents: String {
    let sections = blocks.compactMap { block in
      if case .heading(2, let text) = block { text } else { nil }
    }
    let links = sections.map { "<li><a href=\"#\($0.anchor)\">\($0.htmlEscaped)</a></li>" }
    return "<nav aria-label=\"Sections\"><ul>\(links.joined())</ul></nav>\n"
  }

  private func body(picture: (Figure) -> String?) -> String {
    blocks.map { $0.html(picture: picture) + "\n" }.joined()
  }
}

extension Block {
  fileprivate func html(picture: (Figure) -> String?) -> String {
    switch self {
    case .heading(2, let text): "<h2 id=\"\(text.anchor)\">\(text.htmlEscaped)</h2>"
    case .heading(let level, let text): "<h\(level)>\(text.htmlEscaped)</h\(level)>"
    case .paragraph(let text): "<p>\(text.htmlEscaped)</p>"
    case .preformatted(let text):
      "<pre>"
        + text.split(separator: "\n", omittingEmptySubsequences: false).map(\.htmlEscaped)
        .joined(separator: "\n") + "</pre>"
    case .list(let points):
      "<ul>" + points.map { "<li>\($0.htmlEscaped)</li>" }.joined() + "</ul>"
    case .table(let table, let caption): table.html(caption: caption)
    case .facts(let facts):
      "<dl>"
        + facts.map { "<dt>\($0.name.htmlEscaped)</dt><dd>\($0.value.htmlEscaped)</dd>" }.joined()
        + "</dl>"
    case .figure(let figure):
      "<figure>\n" + (picture(figure).map { "<div class=\"picture\">\($0)</div>\n" } ?? "")
        + "<figcaption>\(figure.caption.htmlEscaped)</figcaption>\n</figure>"
    }
  }
}

extension Table {
  /// The table, in a box that scrolls by itself where it is wider than the page.
  fileprivate func html(caption: String) -> String {
    let shown = shownColumns
    let alignment = shown.map { isNumeric($0) ? " class=\"number\"" : "" }
    let head = zip(shown, alignment).map { column, alignment in
      "<th scope=\"col\"\(alignment)>\((headers[column].heading ?? "").htmlEscaped)</th>"
    }
    let body = rows.map { row in
      let cells = zip(shown, alignment).map { column, alignment in
        "<td\(alignment)>\(displayed(row[column], column).htmlEscaped)</td>"
      }
      return "<tr>\(cells.joined())</tr>"
    }
    return """
      <figure><figcaption>\(caption.htmlEscaped)</figcaption>
      <div class="wide"><table>
      <thead><tr>\(head.joined())</tr></thead>
      <tbody>
      \(body.joined(separator: "\n"))
      </tbody></table></div></figure>
      """
  }
}

extension StringProtocol {
  /// The text with what HTML would take for marks escaped, and what nobody could see made visible.
  ///
  /// Below the level of characters, as HTML is read: a quote with an accent is a quote.
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

  /// A name that links can lead to.
  fileprivate var anchor: String {
    let words = lowercased().split { !($0.isLetter || $0.isNumber) }
    return words.joined(separator: "-").htmlEscaped
  }
}
