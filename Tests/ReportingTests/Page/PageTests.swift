import Foundation
import Testing

@testable import Reporting

@Suite struct PageTests {
  private static let spiteful = "<script>alert('x & \"y\"')</script>"

  private static let table = Table(
    [
      Column<(String, Double)>("name", heading: "name") { $0.0 },
      Column("value", heading: "value", style: .decimals(2)) { $0.1 },
      Column("hidden") { _ in "for programs" },
    ], rows: [(spiteful, 1.234), ("a|b", .nan)])

  private static let figure = Figure(
    name: "one", alt: "Alt \(spiteful)", caption: "Caption \(spiteful)", charts: [])

  private static let page = Page(
    title: spiteful,
    blocks: [
      .heading(1, spiteful), .heading(2, "Data & more"), .paragraph(spiteful),
      .preformatted(spiteful), .list([spiteful]), .table(table, caption: spiteful),
      .facts([(name: spiteful, value: spiteful)]), .figure(figure),
    ])

  @Test func studyTextsAreEscaped() {
    let html = Self.page.html
    #expect(!html.contains("<script"))
    #expect(!html.contains("alert('"))
    #expect(html.contains("&lt;script&gt;alert(&#39;x &amp; &quot;y&quot;&#39;)&lt;/script&gt;"))
  }

  /// A quote with a combining accent is one character to Swift, but still a quote in HTML.
  @Test func accentedMarkupIsEscaped() {
    let accented = "\"\u{301} '\u{308} <\u{338}b>\u{338} &\u{301}"
    #expect(
      Array(accented.htmlEscaped.unicodeScalars)
        == Array(
          "&quot;\u{301} &#39;\u{308} &lt;\u{338}b&gt;\u{338} &amp;\u{301}".unicodeScalars))
    let page = Page(title: "", blocks: [.paragraph("<\u{338}b> *\u{301} |\u{301} [\u{301}")])
    let markdown = page.markdown(picturesIn: "figures")
    #expect(
      Array(markdown.unicodeScalars)
        == Array("&lt;\u{338}b\\> \\*\u{301} \\|\u{301} \\[\u{301}\n".unicodeScalars))
  }

  @Test func htmlLoadsNothingFromElsewhere() {
    let html = Self.page.html
    #expect(html.hasPrefix("<!DOCTYPE html>"))
    for loading in ["src=", "<link", "@import", "url(", "<script"] {
      #expect(!html.contains(loading), "\(loading)")
    }
    #expect(html.contains("<a href=\"#data-more\">Data &amp; more</a>"))
    #expect(html.contains("<h2 id=\"data-more\">"))
  }

  @Test func htmlTablesShowRoundedValues() {
    let html = Self.page.html
    #expect(html.contains("<table class=\"n2\">") && html.contains("<th scope=\"col\">value"))
    #expect(Page.style.contains(".n2 :is(th, td):nth-child(2)"))
    #expect(html.contains("<td>1.23") && html.contains("<td>-"))
    #expect(!html.contains("for programs"))
  }

  @Test func optionsAreNotBrokenAcrossLines() {
    let page = Page(
      title: "", blocks: [.paragraph("use --standard-errors robust"), .list(["--by"])])
    let html = page.html
    #expect(html.contains("use <span class=\"option\">--standard-errors</span> robust"))
    #expect(html.contains("<li><span class=\"option\">--by</span></li>"))
    #expect(Page.style.contains(".option { white-space: nowrap; }"))
  }

  /// A table that is too long to be kept together may break; a short one may not, nor leave its caption.
  @Test func tablesStayWithTheirCaptions() {
    #expect(Self.page.html.contains("<figure class=\"short\"><figcaption>"))
    let rows = Table(
      [Column<Int>("n", heading: "n") { $0 }], rows: Array(0..<60))
    let long = Page(title: "", blocks: [.table(rows, caption: "many")]).html
    #expect(long.contains("<figure><figcaption>many</figcaption>"))
    let print = Page.style.components(separatedBy: "@media print")[1]
    #expect(print.contains("figcaption { break-after: avoid; }"))
    #expect(print.contains(".picture, .short, section:has(.picture) { break-inside: avoid; }"))
  }

  @Test func markdownMarksAreEscaped() {
    let markdown = Self.page.markdown(picturesIn: "figures")
    // What is indented is shown as it is.
    let lines = markdown.split(separator: "\n").filter { !$0.hasPrefix("    ") }
    #expect(!lines.contains { $0.contains("<script") })
    #expect(markdown.contains("| a\\|b | - |"))
    #expect(markdown.contains("| :-- | --: |"))
    #expect(markdown.contains("](figures/one.svg)"))
    #expect(markdown.hasPrefix("# &lt;script\\>"))
    #expect(markdown.contains("*Caption "))
  }

  /// Details open on demand in every format, and are printed where they are open.
  @Test func detailsAreInEveryFormat() {
    for isOpen in [false, true] {
      let page = Page(
        title: "",
        blocks: [
          .details("All <options>", [.facts([(name: "lod", value: "none")])], isOpen: isOpen)
        ])
      let line = "<details\(isOpen ? " open" : "")><summary>All &lt;options&gt;</summary>"
      #expect(page.html.contains(line))
      #expect(page.html.contains("<dt>lod</dt><dd>none</dd></dl></details>"))
      #expect(page.markdown(picturesIn: "") == "\(line)\n\n- lod: none\n\n</details>\n")
    }
    let print = Page.style.components(separatedBy: "@media print")[1]
    #expect(print.contains("details:not([open])"))
  }

  /// Pictures of one kind have one legend, and are all among the figures of the page.
  @Test func figuresOfAKindShareALegend() {
    let axis = Chart.Axis("x", 0, 1, ticks: [])
    let layer = Chart.Layer("line", .text, .line([]))
    let figures = ["a", "b"].map {
      Figure(
        name: $0, alt: "", caption: "",
        charts: [Chart(x: axis, y: axis, layers: [layer], height: 10)])
    }
    let page = Page(title: "", blocks: [.details("more", [.figures(figures)])])
    #expect(page.figures.map(\.name) == ["a", "b"])
    #expect(page.html.ranges(of: "class=\"legend\"").count == 1)
    #expect(page.html.ranges(of: "<figure class=\"picture\">").count == 2)
  }
}
