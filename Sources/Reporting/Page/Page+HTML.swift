import StudyData

extension Page {
  /// The page in HTML, complete in itself: no scripts, and nothing loaded from anywhere.
  var html: String {
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
      \(symbols)<main>
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
  /// How the page looks: on a phone and on paper, in light and in dark. Letters have 12 pixels at least.
  static let style = """
    :root { --ink: #1a1c1e; --paper: #ffffff; --faint: #5b6167; --rule: #d6d9dc; --shade: #f3f5f6;
      --edge: #b4b9be; }
    @media screen and (prefers-color-scheme: dark) {
      :root { --ink: #e4e6e8; --paper: #16181a; --faint: #a3a9af; --rule: #3a3f44; --shade: #202326;
        --edge: #6a7077; }
    }
    * { box-sizing: border-box; }
    body { margin: 0; background: var(--paper); color: var(--ink); line-height: 1.5;
      font-family: system-ui, "Segoe UI", "Liberation Sans", Arial, sans-serif; overflow-wrap: break-word; }
    body > svg { position: absolute; }
    main { max-width: 56rem; margin: 0 auto; padding: 1rem; }
    h1 { font-size: 1.7rem; line-height: 1.2; }
    h2 { margin-top: 2.5rem; padding-top: .5rem; border-top: 1px solid var(--rule); font-size: 1.3rem; }
    h3 { margin-top: 1.8rem; font-size: 1.1rem; }
    a { color: inherit; }
    nav ul { display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; padding: 0; list-style: none;
      font-size: .9rem; }
    .summary { padding: .8rem 1rem; border-left: 4px solid #0072b2; background: var(--shade);
      font-size: 1.05rem; }
    figure { margin: 1.2rem 0; }
    figcaption { color: var(--faint); font-size: .88rem; }
    .legend { display: flex; flex-wrap: wrap; gap: .15rem 1rem; margin: .4rem 0; padding: 0;
      list-style: none; font-size: .82rem; }
    .legend li { display: flex; align-items: center; gap: .4rem; }
    .swatch { flex: none; overflow: visible; fill: currentColor; }
    .panels { display: grid; grid-template-columns: minmax(0, 1fr); }
    .many { grid-template-columns: repeat(auto-fit, minmax(min(100%, var(--w)), 1fr)); gap: .3rem 0; }
    .small { grid-template-columns: repeat(auto-fill, minmax(max(var(--w), 8.6rem), 1fr)); }
    .chart { height: var(--h); }
    /* Shades stand at the edges beyond which there is more: paper covers them where there is none. */
    .wide { margin-top: .4rem; overflow-x: auto; background:
      linear-gradient(to right, var(--paper) 40%, transparent) left / 2.5rem 100% no-repeat local,
      linear-gradient(to left, var(--paper) 40%, transparent) right / 2.5rem 100% no-repeat local,
      linear-gradient(to right, var(--edge), transparent) left / .9rem 100% no-repeat scroll,
      linear-gradient(to left, var(--edge), transparent) right / .9rem 100% no-repeat scroll; }
    table { border-collapse: collapse; font-size: .85rem; font-variant-numeric: tabular-nums; }
    th, td { padding: .25rem .7rem .25rem 0; text-align: left; vertical-align: top;
      border-bottom: 1px solid var(--rule); white-space: nowrap; }
    th { font-weight: 600; }
    \((1...40).map { ".n\($0) :is(th, td):nth-child(\($0))" }.joined(separator: ", ")) { text-align: right; }
    .option { white-space: nowrap; }
    pre { padding: .7rem 1rem; overflow-x: auto; background: var(--shade); font-size: .85rem; }
    dl { display: grid; grid-template-columns: fit-content(45%) 1fr; gap: .15rem 1rem; font-size: .92rem; }
    dt { color: var(--faint); overflow-wrap: anywhere; }
    dd { margin: 0; overflow-wrap: anywhere; }
    details { font-size: .92rem; }
    summary { cursor: pointer; color: var(--faint); }
    @media print {
      @page { size: A4; margin: 10mm; }
      body { font-size: 8.5pt; line-height: 1.28; }
      main { max-width: none; padding: 0; }
      nav, details:not([open]), h2:has(+ p + details:not([open])), h2:has(+ p + details:not([open])) + p { display: none; }
      h1 { font-size: 14pt; margin: 0 0 .3rem; }
      h2 { font-size: 11.5pt; margin: .6rem 0 .2rem; padding-top: .2rem; }
      h3 { font-size: 10pt; margin: .7rem 0 .2rem; }
      p, ul, dl, figure { margin: .35rem 0; }
      figcaption, .legend, dl, table { font-size: 8pt; } .legend { gap: 0 .7rem; }
      .summary { padding: .4rem .7rem; font-size: 9pt; }
      .chart { height: var(--p); font-size: 9px; }
      .small { grid-template-columns: repeat(6, minmax(0, 1fr)); } .small .chart { break-inside: avoid; }
      .picture:has(.small) { break-inside: auto; } p:has(+ .picture) { break-after: avoid; }
      section h3 { margin-top: 0; }
      .picture, .short, section:has(.picture) { break-inside: avoid; }
      .columns { columns: 2; column-gap: 8mm; } .columns ul { font-size: 7.5pt; }
      ul { padding-left: 1.2rem; } pre { padding: .2rem .5rem; margin: .3rem 0; font-size: 7.5pt; }
      pre { white-space: pre-wrap; overflow-wrap: anywhere; }
      .wide { overflow: visible; background: none; }
      th, td { white-space: normal; padding: .05rem .4rem .05rem 0; }
      figcaption { break-after: avoid; } .picture figcaption { break-before: avoid; break-after: auto; }
      tr { break-inside: avoid; }
      h2, h3 { break-after: avoid; }
    }

    """
}
