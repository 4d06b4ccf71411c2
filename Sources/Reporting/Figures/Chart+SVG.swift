import Estimation
import Foundation
import StudyData

extension Chart {
  /// Room around the area of the marks, in CSS pixels.
  var margins: (top: Int, right: Int, bottom: Int, left: Int) {
    let names = y.ticks.map(\.text.drawnWidth).max() ?? 0
    return (
      top: (title.isEmpty ? 0 : 20) + (y.label.isEmpty ? 8 : 24), right: 14,
      bottom: (x.label.isEmpty ? 22 : 42) + (hasLane ? 10 : 0), left: 12 + Int(names)
    )
  }

  /// True if marks of drinks stand between the x axis and its numbers.
  private var hasLane: Bool {
    y.low == 0
      && layers.contains { $0.shape.symbol == .drink }
  }

  /// The chart as an element of SVG that takes the width it is given: lines are stretched, but not strokes and marks.
  ///
  /// A width that is known is kept, as some programs stretch strokes, too (librsvg 2.54).
  func element(_ place: String, width: Int? = nil, alt: String) -> String {
    let pen = Pen(width: width, height: height)
    // The child of an image is nothing to a screen reader, but readings are to be reached.
    let isGroup = layers.contains {
      if case .marks(let marks, _, _, _, _) = $0.shape {
        marks.contains(where: \.isReading)
      } else {
        false
      }
    }
    return "<svg class=\"chart\" \(place) role=\"\(isGroup ? "group" : "img")\" aria-label=\""
      + "\((title.isEmpty ? alt : "\(title): \(alt)").htmlEscaped)\">"
      + frame(pen) + layers.map { element($0, pen) }.joined() + "</svg>"
  }

  // MARK: Frame

  private func frame(_ pen: Pen) -> String {
    let lines =
      x.ticks.compactMap { x.fraction($0.value).map { "M\(pen.across($0)) 0V\(pen.bottom)" } }
      + y.ticks.compactMap { y.fraction($0.value).map { "M0 \(pen.down($0))H\(pen.right)" } }
    var text = pen.stretched("<path class=\"grid\" d=\"\(lines.joined())\"/>")
    text += pen.stretched("<path class=\"line axes\" d=\"M0 0V\(pen.bottom)H\(pen.right)\"/>")
    text += "<g class=\"ticks\" text-anchor=\"middle\">"
    for tick in x.ticks {
      guard let fraction = x.fraction(tick.value) else { continue }
      text +=
        "<text x=\"\(Self.percent(fraction))\" y=\"100%\" dy=\"\(hasLane ? 27 : 17)\">"
        + "\(tick.text.htmlEscaped)</text>"
    }
    text += "</g><g class=\"ticks\" text-anchor=\"end\">"
    for tick in y.ticks {
      guard let fraction = y.fraction(tick.value) else { continue }
      text +=
        "<text x=\"0\" dx=\"-6\" y=\"\(Self.percent(1 - fraction))\" dy=\"4\">"
        + "\(tick.text.htmlEscaped)</text>"
    }
    text += "</g>"
    if !x.label.isEmpty {
      text +=
        "<text class=\"label\" x=\"50%\" y=\"100%\" dy=\"\(hasLane ? 46 : 36)\" "
        + "text-anchor=\"middle\">\(x.label.htmlEscaped)</text>"
    }
    let left = "x=\"0\" dx=\"\(-margins.left)\""
    if !y.label.isEmpty {
      text += "<text class=\"label\" \(left) y=\"0\" dy=\"-10\">\(y.label.htmlEscaped)</text>"
    }
    if !title.isEmpty {
      text +=
        "<text class=\"title\" \(left) y=\"0\" dy=\"\(y.label.isEmpty ? -12 : -28)\">"
        + "\(title.htmlEscaped)</text>"
    }
    return text
  }

  // MARK: Layers

  private func element(_ layer: Layer, _ pen: Pen) -> String {
    let inside: String
    switch layer.shape {
    case .line(let points, let dash, let width):
      inside = pen.stretched(
        "<path class=\"line\"\(Self.stroke(width, dash)) d=\"\(path(points, pen))\"/>")
    case .band(let boxes):
      inside = pen.stretched("<path class=\"area\" d=\"\(band(boxes, pen))\"/>")
    case .boxes(let boxes):
      inside = pen.stretched("<path class=\"area\" d=\"\(boxes.map { box($0, pen) }.joined())\"/>")
    case .rule(let direction, let value, let dash):
      let axis = direction == .vertical ? x : y
      guard axis.shows(value), let part = axis.fraction(value) else { return "" }
      let line =
        direction == .vertical
        ? "M\(pen.across(part)) 0V\(pen.bottom)" : "M0 \(pen.down(part))H\(pen.right)"
      inside = pen.stretched(
        "<path class=\"line\"\(Self.stroke(Shape.ruleWidth, dash)) d=\"\(line)\"/>")
    case .marks(let marks, let symbol, let direction, let width, let dash):
      inside =
        "<g\(Self.stroke(width, dash))>"
        + marks.map { element($0, symbol, direction) }.joined() + "</g>"
    }
    return "<g class=\"\(layer.ink.name)\">\(inside)</g>"
  }

  private func element(_ mark: Mark, _ symbol: Symbol?, _ direction: Direction) -> String {
    guard x.shows(mark.x), y.shows(mark.y), let left = x.fraction(mark.x),
      let height = y.fraction(mark.y)
    else { return "" }
    let across = Self.percent(left)
    let down = Self.percent(1 - height)
    let position = "x=\"\(across)\" y=\"\(down)\""
    var inside = bar(mark, direction, across, down)
    if let symbol { inside += "<use href=\"#\(symbol.rawValue)\" \(position)/>" }
    guard !mark.text.isEmpty else { return inside }
    let text = mark.text.htmlEscaped
    guard mark.isReading else { return "<g><title>\(text)</title>\(inside)</g>" }
    let anchor = left < 0.3 ? "start" : left > 0.7 ? "end" : "middle"
    return "<g class=\"reading\" tabindex=\"0\" role=\"img\"><title>\(text)</title>"
      + "<circle cx=\"\(across)\" cy=\"\(down)\" r=\"9\"/>" + inside
      + "<text \(position) dy=\"\(height > 0.9 ? 22 : -12)\" text-anchor=\"\(anchor)\">\(text)</text></g>"
  }

  /// The bar of a mark, with arrows at the edges beyond which there is more.
  private func bar(
    _ mark: Mark, _ direction: Direction, _ across: String, _ down: String
  ) -> String {
    let axis = direction == .horizontal ? x : y
    guard let ends = mark.ends,
      let low = ends.low.isFinite ? axis.fraction(ends.low) : 0,
      let high = ends.high.isFinite ? axis.fraction(ends.high) : 1
    else { return "" }
    let from = min(max(low, 0), 1)
    let to = min(max(high, 0), 1)
    let opensLow = !ends.low.isFinite || low < -0.001
    let opensHigh = !ends.high.isFinite || high > 1.001
    var text: String
    if direction == .horizontal {
      text =
        "<line x1=\"\(Self.percent(from))\" x2=\"\(Self.percent(to))\" y1=\"\(down)\" y2=\"\(down)\"/>"
      if opensLow { text += "<use href=\"#to-left\" y=\"\(down)\"/>" }
      if opensHigh { text += "<use href=\"#to-right\" x=\"100%\" y=\"\(down)\"/>" }
    } else {
      text =
        "<line x1=\"\(across)\" x2=\"\(across)\" y1=\"\(Self.percent(1 - from))\" "
        + "y2=\"\(Self.percent(1 - to))\"/>"
      if opensLow { text += "<use href=\"#to-bottom\" x=\"\(across)\" y=\"100%\"/>" }
      if opensHigh { text += "<use href=\"#to-top\" x=\"\(across)\"/>" }
    }
    return text
  }

  // MARK: Paths

  private func path(_ points: [Point], _ pen: Pen) -> String {
    var text = ""
    for piece in points.split(whereSeparator: { !$0.x.isFinite || !$0.y.isFinite }) {
      let places = piece.compactMap { point -> (x: Double, y: Double)? in
        guard let left = x.fraction(point.x), let height = y.fraction(point.y) else { return nil }
        return (Double(pen.units.x) * left, Double(pen.units.y) * (1 - height))
      }
      text += pen.path(Self.simplified(places))
    }
    return text
  }

  private func band(_ boxes: [Box], _ pen: Pen) -> String {
    let upper = boxes.map { Point(x: $0.left, y: $0.high) }
    let lower = boxes.reversed().map { Point(x: $0.left, y: $0.low) }
    let back = path(lower, pen)
    return boxes.count < 2 || back.isEmpty ? "" : path(upper, pen) + "L" + back.dropFirst() + "z"
  }

  private func box(_ box: Box, _ pen: Pen) -> String {
    let part = { (axis: Axis, value: Double) in
      value.isFinite ? axis.fraction(value) ?? 0 : value < 0 ? 0 : 1
    }
    let left = part(x, box.left)
    let right = part(x, box.right)
    let low = part(y, box.low)
    let high = part(y, box.high)
    return "M\(pen.across(left)) \(pen.down(high))H\(pen.across(right))V\(pen.down(low))"
      + "H\(pen.across(left))z"
  }

  /// Drops points that nobody would miss: each dropped point is within 0.8 units, a third of a pixel, of the line.
  ///
  /// Source: Douglas & Peucker, Cartographica 10 (1973) 112-122.
  private static func simplified(_ points: [(x: Double, y: Double)]) -> [(x: Double, y: Double)] {
    guard points.count > 2 else { return points }
    var isKept = Array(repeating: false, count: points.count)
    isKept[0] = true
    isKept[points.count - 1] = true
    var open = [(0, points.count - 1)]
    while let (first, last) = open.popLast() {
      let start = points[first]
      let end = points[last]
      let length = hypot(end.x - start.x, end.y - start.y)
      var worst = (index: first, distance: 0.8)
      for index in (first + 1)..<max(last, first + 1) {
        let x = points[index].x - start.x
        let y = points[index].y - start.y
        let distance =
          length > 0
          ? abs((end.x - start.x) * y - (end.y - start.y) * x) / length : hypot(x, y)
        if distance > worst.distance { worst = (index, distance) }
      }
      guard worst.index > first else { continue }
      isKept[worst.index] = true
      open += [(first, worst.index), (worst.index, last)]
    }
    return zip(points, isKept).filter(\.1).map(\.0)
  }

  private static func stroke(_ width: Double, _ dash: Int) -> String {
    let pattern = Palette.dashes[dash % Palette.dashes.count]
    return " stroke-width=\"\(Axis.number(width))\""
      + (pattern.isEmpty ? "" : " stroke-dasharray=\"\(pattern)\"")
  }

  /// A part as a percentage of two decimals.
  private static func percent(_ part: Double) -> String {
    let hundredths = Int((part * 10000).rounded())
    let rest = abs(hundredths % 100)
    let whole = (hundredths < 0 && hundredths > -100 ? "-" : "") + "\(hundredths / 100)"
    return whole + (rest == 0 ? "" : rest < 10 ? ".0\(rest)" : ".\(rest)") + "%"
  }
}

/// Writes places of lines in the units of an inner SVG that fills the area of the marks.
private struct Pen {
  /// Across and down.
  let units: (x: Int, y: Int)
  /// True for units of a tenth of a pixel; else they are fractions of the stretched area.
  private let isFixed: Bool

  init(width: Int?, height: Int) {
    isFixed = width != nil
    units = width.map { (10 * $0, 10 * height) } ?? (2000, 1000)
  }

  var right: String { text(units.x) }
  var bottom: String { text(units.y) }

  func across(_ part: Double) -> String { text(Int((Double(units.x) * part).rounded())) }
  func down(_ part: Double) -> String { text(Int((Double(units.y) * (1 - part)).rounded())) }

  func path(_ places: [(x: Double, y: Double)]) -> String {
    var path = ""
    var last = (x: 0, y: 0)
    for (index, place) in places.enumerated() {
      let new = (x: Int(place.x.rounded()), y: Int(place.y.rounded()))
      let step = (x: new.x - last.x, y: new.y - last.y)
      path +=
        index == 0
        ? "M\(text(new.x)) \(text(new.y))l0 0"
        : " \(text(step.x))\(step.y < 0 ? "" : " ")\(text(step.y))"
      last = new
    }
    return path
  }

  func stretched(_ inside: String) -> String {
    "<svg viewBox=\"0 0 \(right) \(bottom)\" preserveAspectRatio=\"none\" width=\"100%\" "
      + "height=\"100%\">\(inside)</svg>"
  }

  private func text(_ unit: Int) -> String {
    guard isFixed else { return String(unit) }
    let rest = abs(unit % 10)
    return (unit < 0 ? "-" : "") + "\(abs(unit) / 10)" + (rest == 0 ? "" : ".\(rest)")
  }
}

extension Chart.Layer {
  /// The legend's sample of the layer: 26 times 14 pixels.
  var swatch: String {
    let line = { (path: String, width: Double, dash: Int) in
      let pattern = Palette.dashes[dash % Palette.dashes.count]
      return "<path class=\"line\" stroke-width=\"\(Chart.Axis.number(width))\" "
        + "stroke-dasharray=\"\(pattern.isEmpty ? "none" : pattern)\" d=\"\(path)\"/>"
    }
    let inside: String
    switch shape {
    case .line(_, let dash, let width): inside = line("M0 7H26", width, dash)
    case .rule(.horizontal, _, let dash): inside = line("M0 7H26", Chart.Shape.ruleWidth, dash)
    case .rule(.vertical, _, let dash): inside = line("M13 0V14", Chart.Shape.ruleWidth, dash)
    case .band, .boxes: inside = "<path class=\"area\" d=\"M2 1H24V13H2z\"/>"
    case .marks(let marks, let symbol, let direction, let width, _):
      let bar = direction == .horizontal ? "M3 7H23" : "M13 0V14"
      inside =
        (marks.contains { $0.ends != nil } ? line(bar, width, 0) : "")
        + (symbol.map {
          "<use href=\"#\($0.rawValue)\" x=\"13\" y=\"\($0 == .drink ? 1 : $0 == .tick ? 4 : 7)\"/>"
        } ?? "")
    }
    return "<g class=\"\(ink.name)\">\(inside)</g>"
  }
}

extension Chart {
  /// Symbols and arrows that marks are made of, once in a page or a file.
  static let symbols: String =
    "<defs>"
    + Symbol.allCases.map { symbol in
      "<path id=\"\(symbol.rawValue)\" d=\"\(symbol.path)\" "
        + (symbol.isFilled
          ? "fill=\"currentColor\" stroke=\"none\"/>"
          : "fill=\"none\" stroke=\"currentColor\" stroke-dasharray=\"none\" "
            + "stroke-width=\"\(Axis.number(symbol.strokeWidth))\"/>")
    }.joined()
    + [
      ("to-left", "M0 0l7-3.5v7z"), ("to-right", "M0 0l-7-3.5v7z"), ("to-top", "M0 0l-3.5 7h7z"),
      ("to-bottom", "M0 0l-3.5-7h7z"),
    ].map { "<path id=\"\($0)\" d=\"\($1)\" fill=\"currentColor\" stroke=\"none\"/>" }.joined()
    + "</defs>"

  /// The style sheet of charts, light and dark; letters have 12 pixels at any width.
  static let style = filledStyle(dark: Palette.dark, Palette.darkPaper)

  /// That of charts in a paper, which are light for everybody.
  static let paperStyle = filledStyle(dark: Palette.light, Palette.lightPaper)

  private typealias Paper = (ink: String, faint: String, paper: String)

  private static func filledStyle(dark: [String], _ darkPaper: Paper) -> String {
    let colors = { (names: [String], paper: Paper) in
      ".chart, .swatch { color: \(paper.ink); } .chart .f, .swatch .f { color: \(paper.faint); } "
        + ".label, .ticks { fill: \(paper.faint); } .halo, .reading text { stroke: \(paper.paper); } "
        + ".sheet { fill: \(paper.paper); } "
        + names.enumerated().map { ".c\($0) { color: \($1); }" }.joined(separator: " ")
    }
    return PackageResources.chart_css.filled([
      "light": colors(Palette.light, Palette.lightPaper), "dark": colors(dark, darkPaper),
    ])
  }
}
