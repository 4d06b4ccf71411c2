import Foundation
import StudyData
import StudyFiles
import TestSupport
import Testing

@testable import Reporting
@testable import Validation

/// Names are data in every format: each writer escapes what its readers would take for more.
@Suite struct HostileNamesTests {
  private static let table = Table(
    [Column<String>("name", heading: "name") { $0 }], rows: HostileNames.all)

  /// A picture with the name wherever one can stand.
  private static func figure(_ name: String) -> Figure {
    let axis = Chart.Axis(name, [0, 1], length: nil, height: 100)
    let mark = Chart.Mark(x: 0.5, y: 1, text: name, isReading: true)
    let chart = Chart(
      title: name, x: axis, y: Chart.Axis(rows: [name]),
      layers: [Chart.Layer(name, .text, .marks([mark], .dot))], height: 100)
    return Figure(name: "one", alt: name, caption: name, charts: [chart])
  }

  private static func page(_ name: String) -> Page {
    let figure = Self.figure(name)
    return Page(
      title: name,
      blocks: [
        .heading(1, name), .heading(3, name), .paragraph(name), .list([name]),
        .table(
          Table([Column<String>("n", heading: name) { $0 }], rows: [name]), caption: name),
        .facts([(name: name, value: name)]), .figure(figure),
      ])
  }

  @Test func csvAndJSONKeepHostileNames() throws {
    let rows = try CSVText.rows(Self.table.csv).map { $0["name"] }
    #expect(rows == HostileNames.all)
    let json = try JSONSerialization.jsonObject(with: Data(Self.table.json.document.utf8))
    #expect((json as? [[String: String]])?.map { $0["name"] } == HostileNames.all)
    #expect(HostileNames.isHarmless(Self.table.json.document))
    #expect(
      HostileNames.isHarmless(String(decoding: Self.table.bytes(as: .ndjson), as: UTF8.self)))
  }

  @Test(arguments: HostileNames.all)
  func pagesEscapeHostileNames(name: String) {
    let html = Self.page(name).html
    #expect(HostileNames.isHarmless(html))
    let inside = html.components(separatedBy: "<main>").last ?? ""
    let tags = inside.matches(of: /<\/?([a-zA-Z]+)/).map { String($0.output.1) }
    let own: Set = [
      "nav", "ul", "li", "h", "p", "figure", "figcaption", "div", "table", "thead", "tr", "th",
      "tbody", "td", "dl", "dt", "dd", "main", "body", "html", "svg", "g", "path", "text", "use",
      "circle", "title",
    ]
    #expect(own.isSuperset(of: tags), "\(tags)")
    // That of the page and that of the mark.
    #expect(html.components(separatedBy: "</title>").count == 3)
    #expect(XMLChecker(Self.figure(name).svg).isWellFormed)
    #expect(HostileNames.isHarmless(Self.figure(name).svg))
  }

  @Test(arguments: HostileNames.all)
  func markdownEscapesHostileNames(name: String) {
    let markdown = Self.page(name).markdown(picturesIn: "figures")
    #expect(HostileNames.isHarmless(markdown))
    // As many lines as of any other name: none begins something.
    let plain = Self.page("name").markdown(picturesIn: "figures")
    #expect(markdown.split(separator: "\n").count == plain.split(separator: "\n").count)
    #expect(!markdown.contains("<"))
    let unescaped = markdown.replacing(/\\./, with: "")
    #expect(unescaped.ranges(of: "](").count == 1)
    for line in markdown.split(separator: "\n") where line.hasPrefix("- ") {
      #expect(line.dropFirst(2).prefixMatch(of: /[-+=] |\d+[.)] | {4}/) == nil, "\(line)")
    }
  }

  @Test func linksLeadToFilesOfAnyName() {
    let figure = Figure(name: "one", alt: "alt", caption: "", charts: [])
    let markdown = Page(title: "", blocks: [.figure(figure)]).markdown(picturesIn: "a b)c")
    #expect(markdown.contains("![alt](a%20b%29c/one.svg)"))
  }

  @Test(arguments: HostileNames.all)
  func notebookTitlesAreEscaped(title: String) throws {
    let notebook = Notebook(
      titled: title, version: "1", name: StudyNotebook.name,
      options: .object([]))
    let text = notebook.json.document
    #expect(HostileNames.isHarmless(text))
    let json = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
    let cells = try #require(json?["cells"] as? [[String: Any]])
    let source = try #require(cells.first?["source"] as? [String])
    #expect(source.first?.hasPrefix("# ") == true)
    #expect(source.dropFirst().first == "\n")
    #expect(!source.joined().contains("<"))
    #expect(HostileNames.isHarmless(source.joined()))
  }
}
