public import Foundation
import StudyData

/// A picture: charts side by side with a legend, drawn as SVG.
public struct Figure: Hashable, Sendable {
  /// A name for files: letters, digits and hyphens.
  public let name: String
  /// The alternative text, for people who cannot see the picture.
  public let alt: String
  /// The caption below the picture.
  public let caption: String
  /// One over the whole width, or several side by side as far as there is room.
  let charts: [Chart]
  /// The axes that many small charts share; nil for other figures.
  var common: Labels?
  /// Whether the legend of a file, which has no caption, names what the caption explains.
  var namesAllInFiles = false
  /// The plotted numbers, for a table behind the figure; nil where there is none.
  var values: Table?

  /// The labels of two axes.
  struct Labels: Hashable, Sendable {
    let x: String
    let y: String
  }

  private var isMultiple: Bool { common != nil }

  // MARK: In a page

  /// One legend for several figures, as HTML; empty if every layer has its name beside it.
  static func legend(of figures: [Figure]) -> String {
    let entries = Chart.legend(of: figures.flatMap(\.charts)).map { layer in
      "<li><svg class=\"swatch\" width=\"26\" height=\"14\" aria-hidden=\"true\">\(layer.swatch)</svg>"
        + "\(layer.label.htmlEscaped)</li>"
    }
    return entries.isEmpty ? "" : "<ul class=\"legend\">\(entries.joined())</ul>"
  }

  /// The charts as a page shows them below their legend; ``Chart/symbols`` must be in the page.
  var panels: String {
    let panels = charts.map { chart in
      let room = chart.margins
      return chart.element(
        "style=\"width:calc(100% - \(room.left + room.right)px);--h:\(chart.height)px;"
          + "--p:\(printed(chart))px;"
          + "margin:\(room.top)px \(room.right)px \(room.bottom)px \(room.left)px\"", alt: alt)
    }
    let kind = isMultiple ? " many small" : charts.count > 1 ? " many" : ""
    return "<div class=\"panels\(kind)\" style=\"--w:\(narrowest)px\">\(panels.joined())</div>"
  }

  /// The height of a chart on paper, in pixels; names of rows need more room than curves.
  private func printed(_ chart: Chart) -> Int {
    chart.height * (isMultiple ? 15 : chart.y.label.isEmpty || chart.y.low < 0 ? 13 : 10) / 20
  }

  /// The narrowest width at which the widest chart is still readable, in CSS pixels.
  private var narrowest: Int {
    charts.map { $0.margins.left + $0.margins.right + Int($0.x.length) }.max() ?? 0
  }

  // MARK: As a file

  private static let width = 720
  /// Room left of each chart.
  private static let edge = 8
  private static let legendLine = 22
  /// Letters of 12 pixels have 8 points on paper.
  private static let pixelsPerMillimetre = 12 * 72 / (8 * 25.4)

  /// A picture complete in itself, 720 pixels wide, in light or dark colours as whoever shows it prefers.
  public var svg: String { drawn(width: Self.width, unit: nil).svg }

  /// The picture for a page of a paper, in light colours, with letters of 8 points.
  package func svg(millimetres: Double) -> String { drawn(millimetres).svg }

  /// The height of the picture for a page of a paper, in mm, by its width.
  package func height(millimetres: Double) -> Double {
    Double(drawn(millimetres).height) / Self.pixelsPerMillimetre
  }

  private func drawn(_ millimetres: Double) -> (svg: String, height: Int) {
    drawn(width: Int(millimetres * Self.pixelsPerMillimetre), unit: millimetres)
  }

  private func drawn(width total: Int, unit millimetres: Double?) -> (svg: String, height: Int) {
    let columns = max(1, min(isMultiple ? 6 : 3, charts.count, total / max(1, narrowest)))
    let share = total / columns
    let (entries, lines) = legend(upTo: total)
    var text = ""
    var top = 10 + Self.legendLine * lines
    if let common {
      text +=
        "<text class=\"label\" x=\"\(Self.edge)\" y=\"\(top + 12)\">\(common.y.htmlEscaped)</text>"
      top += 18
    }
    for row in stride(from: 0, to: charts.count, by: columns) {
      let line = charts[row..<min(row + columns, charts.count)]
      let head = line.map(\.margins.top).max() ?? 0
      for (index, chart) in line.enumerated() {
        let room = chart.margins
        let width = share - Self.edge - room.left - room.right
        text += chart.element(
          "x=\"\(index * share + Self.edge + room.left)\" y=\"\(top + head)\" "
            + "width=\"\(width)\" height=\"\(chart.height)\"", width: width, alt: alt)
      }
      top += head + (line.map { $0.height + $0.margins.bottom }.max() ?? 0)
    }
    if let common {
      text +=
        "<text class=\"label\" x=\"\(total / 2)\" y=\"\(top + 10)\" text-anchor=\"middle\">"
        + "\(common.x.htmlEscaped)</text>"
      top += 18
    }
    let size = { (pixels: Int) in
      millimetres.map { "\(Chart.Axis.number($0 * Double(pixels) / Double(total)))mm" }
        ?? "\(pixels)"
    }
    let svg = """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(total) \(top)" width="\(size(total))" \
      height="\(size(top))" role="img">
      <title>\(name.htmlEscaped)</title>
      <desc>\(alt.htmlEscaped)</desc>
      <style>
      \(millimetres == nil ? Chart.style : Chart.paperStyle)</style>
      \(Chart.symbols)
      <rect class="sheet" width="100%" height="100%"/>
      <g class="chart">\(entries)\(text)</g>
      </svg>

      """
    return (svg, top)
  }

  /// Entries side by side, as many as a line has room for.
  private func legend(upTo total: Int) -> (text: String, lines: Int) {
    var text = ""
    var x = 12
    var line = 0
    for layer in Chart.legend(of: charts, all: namesAllInFiles) {
      let width = 46 + Int(layer.label.drawnWidth)
      if x > 12, x + width > total {
        x = 12
        line += 1
      }
      let y = 8 + Self.legendLine * line
      text +=
        "<svg class=\"swatch\" x=\"\(x)\" y=\"\(y)\" width=\"26\" height=\"14\">\(layer.swatch)</svg>"
        + "<text x=\"\(x + 33)\" y=\"\(y + 11)\">\(layer.label.htmlEscaped)</text>"
      x += width
    }
    return (text, text.isEmpty ? 0 : line + 1)
  }

  /// The plotted values as CSV, a row for each point of each layer, with what it looks like on light paper.
  public var csv: String {
    let rows = charts.flatMap { chart in chart.rows.map { (chart: chart, row: $0) } }
    return Table(
      [
        Column<(chart: Chart, row: Chart.Row)>("chart", heading: "chart") { $0.chart.title },
        Column("layer", heading: "layer") { $0.row.layer?.label ?? "frame" },
        Column("shape", heading: "shape") { $0.row.layer?.shape.name ?? "frame" },
        Column("x_label", heading: "x label") { common?.x ?? $0.chart.x.label },
        Column("x", heading: "x", \.row.x),
        Column("y_label", heading: "y label") { common?.y ?? $0.chart.y.label },
        Column("y", heading: "y", \.row.y),
        Column("row", heading: "row", \.row.row),
        Column("low", heading: "low", \.row.low),
        Column("high", heading: "high", \.row.high),
        Column("color", heading: "colour", \.row.layer?.ink.onLight),
        Column("symbol", heading: "symbol", \.row.layer?.shape.symbol?.rawValue),
        Column("width", heading: "width", \.row.layer?.shape.stroke?.width),
        Column("dashes", heading: "dashes") {
          $0.row.layer?.shape.stroke.map { Palette.dashes[$0.dash % Palette.dashes.count] }
        },
        Column("x_scale", heading: "x scale") { $0.chart.x.isLogarithmic ? "log" : "linear" },
      ], rows: rows
    ).csv
  }

  /// Pictures for files: each with its name, and its values as CSV if they are wanted.
  public static func files(
    of figures: [Figure], withValues: Bool = false
  ) -> [(name: String, data: Data)] {
    figures.flatMap { figure in
      [("\(figure.name).svg", Data(figure.svg.utf8))]
        + (withValues ? [("\(figure.name).csv", Data(figure.csv.utf8))] : [])
    }
  }
}
