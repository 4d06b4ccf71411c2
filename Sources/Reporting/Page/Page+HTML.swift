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
    case .paragraph(let text): "<p>\(text.htmlSentence)</p>"
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

  /// The same of running text, in which no line ends at a hyphen inside an option.
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
  /// How the page looks: on a phone and on paper, in light and in dark. All figures have one scale, so that
  /// their letters are of one size: 720 units across fill the page.
  static let style = """
    :root { --ink: #1a1c1e; --paper: #ffffff; --faint: #5b6167; --rule: #d6d9dc; --shade: #f3f5f6;
      --edge: #b4b9be; }
    @media (prefers-color-scheme: dark) {
      :root { --ink: #e4e6e8; --paper: #16181a; --faint: #a3a9af; --rule: #3a3f44; --shade: #202326;
        --edge: #5a6067; }
    }
    * { box-sizing: border-box; }
    body { margin: 0; background: var(--paper); color: var(--ink); line-height: 1.5;
      font-family: system-ui, "Segoe UI", "Liberation Sans", Arial, sans-serif; }
    main { max-width: 56rem; margin: 0 auto; padding: 1rem; }
    h1 { font-size: 1.7rem; line-height: 1.2; }
    h2 { margin-top: 2.5rem; padding-top: .5rem; border-top: 1px solid var(--rule); font-size: 1.3rem; }
    h3 { margin-top: 1.8rem; font-size: 1.1rem; }
    a { color: inherit; }
    nav ul { display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; padding: 0; list-style: none;
      font-size: .9rem; }
    figure { margin: 1.2rem 0; }
    figure svg { display: block; width: 100%; height: auto; color: var(--ink);
      max-width: calc(var(--width) * .075rem); }
    figcaption { color: var(--faint); font-size: .88rem; }
    /* Shades stand at the edges beyond which there is more: paper covers them where there is none. */
    .picture, .wide { overflow-x: auto; background:
      linear-gradient(to right, var(--paper) 40%, transparent) left / 2.5rem 100% no-repeat local,
      linear-gradient(to left, var(--paper) 40%, transparent) right / 2.5rem 100% no-repeat local,
      linear-gradient(to right, var(--edge), transparent) left / .9rem 100% no-repeat scroll,
      linear-gradient(to left, var(--edge), transparent) right / .9rem 100% no-repeat scroll; }
    .wide { margin-top: .4rem; }
    table { border-collapse: collapse; font-size: .88rem; font-variant-numeric: tabular-nums; }
    th, td { padding: .25rem .7rem .25rem 0; text-align: left; vertical-align: top;
      border-bottom: 1px solid var(--rule); white-space: nowrap; }
    th { font-weight: 600; }
    .number { text-align: right; }
    .option { white-space: nowrap; }
    pre { padding: .7rem 1rem; overflow-x: auto; background: var(--shade); font-size: .85rem; }
    dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1rem; font-size: .92rem; }
    dt { color: var(--faint); }
    dd { margin: 0; overflow-wrap: anywhere; }
    @media screen and (max-width: 40rem) { figure svg { min-width: calc(var(--width) * .047rem); } }
    @media (max-width: 32rem) { dl { grid-template-columns: 1fr; } dd { margin-bottom: .4rem; } }
    @media print {
      main { max-width: none; padding: 0; }
      nav { display: none; }
      .picture, figure:has(.picture) { break-inside: avoid; }
      .picture, .wide { overflow: visible; background: none; }
      figcaption:has(+ .wide) { break-after: avoid; }
      th, td { white-space: normal; padding-right: .4rem; }
      table { font-size: .75rem; break-inside: auto; }
      tr { break-inside: avoid; }
      h2, h3 { break-after: avoid; }
    }

    """
}
