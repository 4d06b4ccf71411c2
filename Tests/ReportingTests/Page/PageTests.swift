import Testing

@testable import Reporting

@Suite struct PageTests {
  private static let spiteful = "<script>alert('x & \"y\"')</script>"

  private static let table = Table(
    [
      Column<(String, Double)>("name", heading: "name", "") { $0.0 },
      Column("value", heading: "value", style: .decimals(2), "") { $0.1 },
      Column("hidden", "") { _ in "for programs" },
    ], rows: [(spiteful, 1.234), ("a|b", .nan)])

  private static let figure = Figure(
    name: "one", alt: "Alt \(spiteful)", caption: "Caption \(spiteful)",
    size: Figure.Size(width: 10, height: 20), script: "")

  private static let page = Page(
    title: spiteful,
    blocks: [
      .heading(1, spiteful), .heading(2, "Data & more"), .paragraph(spiteful),
      .preformatted(spiteful), .list([spiteful]), .table(table, caption: spiteful),
      .facts([(name: spiteful, value: spiteful)]), .figure(figure),
    ])

  @Test func nothingInAStudyBecomesMarkup() {
    let html = Self.page.html { _ in "<svg></svg>" }
    #expect(!html.contains("<script"))
    #expect(!html.contains("alert('"))
    #expect(html.contains("&lt;script&gt;alert(&#39;x &amp; &quot;y&quot;&#39;)&lt;/script&gt;"))
  }

  /// One character with its accent, but still a quote to whoever reads the page.
  @Test func marksWithAccentsAreMarks() {
    let accented = "\"\u{301} '\u{308} <\u{338}b>\u{338} &\u{301}"
    #expect(
      Array(accented.htmlEscaped.unicodeScalars)
        == Array(
          "&quot;\u{301} &#39;\u{308} &lt;\u{338}b&gt;\u{338} &amp;\u{301}".unicodeScalars))
    let figure = Figure(
      name: "one", alt: accented, caption: "", size: Figure.Size(width: 10, height: 20), script: "")
    let element = InlineSVG.element("<svg>\n</svg>", of: figure) ?? ""
    #expect(element.unicodeScalars.count { $0 == "\"" } == 12)
    let page = Page(title: "", blocks: [.paragraph("<\u{338}b> *\u{301} |\u{301} [\u{301}")])
    let markdown = page.markdown { _ in nil }
    #expect(
      Array(markdown.unicodeScalars)
        == Array("&lt;\u{338}b\\> \\*\u{301} \\|\u{301} \\[\u{301}\n".unicodeScalars))
  }

  @Test func htmlIsCompleteInItself() {
    let html = Self.page.html { _ in nil }
    #expect(html.hasPrefix("<!DOCTYPE html>"))
    for loading in ["src=", "<link", "@import", "url(", "<script"] {
      #expect(!html.contains(loading), "\(loading)")
    }
    #expect(html.contains("<a href=\"#data-more\">Data &amp; more</a>"))
    #expect(html.contains("<h2 id=\"data-more\">"))
  }

  @Test func tablesAreAsPeopleSeeThem() {
    let html = Self.page.html { _ in nil }
    #expect(html.contains("<th scope=\"col\" class=\"number\">value</th>"))
    #expect(html.contains("<td class=\"number\">1.23</td>"))
    #expect(html.contains("<td class=\"number\">-</td>"))
    #expect(!html.contains("for programs"))
  }

  @Test func noLineEndsInsideAnOption() {
    let page = Page(
      title: "", blocks: [.paragraph("use --standard-errors robust"), .list(["--by"])])
    let html = page.html { _ in nil }
    #expect(html.contains("use <span class=\"option\">--standard-errors</span> robust"))
    #expect(html.contains("<li><span class=\"option\">--by</span></li>"))
    #expect(Page.style.contains(".option { white-space: nowrap; }"))
  }

  /// On dark paper, too.
  @Test func whatWasLeftOutStandsOut() throws {
    let drawn = "<svg>\n<use color='rgb(122, 122, 122)'/><path stroke='rgb(  0,   0,   0)'/></svg>"
    let element = try #require(InlineSVG.element(drawn, of: Self.figure))
    #expect(element.contains("color='var(--faint)'") && element.contains("stroke='currentColor'"))
    #expect(PlotColor.leftOut == "#7a7a7a" && PlotColor.leftOutInSVG == "rgb(122, 122, 122)")
  }

  /// A point has a rim in the colour of the paper, so that it stands out from the lines below it.
  @Test func rimsOfPointsAreAsThePaper() throws {
    let drawn = "<svg>\n<g color=\"white\"><use xlink:href='#gpPt6' color='white'/></g></svg>"
    let element = try #require(InlineSVG.element(drawn, of: Self.figure))
    #expect(element.contains("color=\"var(--paper)\"") && element.contains("color='var(--paper)'"))
    #expect(!element.contains("white"))
  }

  @Test func aFigureWithoutPictureKeepsItsCaption() {
    #expect(Self.page.html { _ in nil }.contains("<figcaption>Caption "))
    #expect(Self.page.html { _ in "<svg id=\"s\"></svg>" }.contains("<svg id=\"s\"></svg>"))
  }

  @Test func markdownMarksAreEscaped() {
    let markdown = Self.page.markdown { "figures/\($0.name).svg" }
    // What is indented is shown as it is.
    let lines = markdown.split(separator: "\n").filter { !$0.hasPrefix("    ") }
    #expect(!lines.contains { $0.contains("<script") })
    #expect(markdown.contains("| a\\|b | - |"))
    #expect(markdown.contains("| :-- | --: |"))
    #expect(markdown.contains("](figures/one.svg)"))
    #expect(markdown.hasPrefix("# &lt;script\\>"))
    let without = Self.page.markdown { _ in nil }
    #expect(!without.contains("figures/one.svg"))
    #expect(without.contains("*Caption "))
  }
}
