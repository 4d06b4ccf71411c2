import Estimation
import Foundation
import StudyData

/// Parts of gnuplot scripts.
enum PlotScript {
  /// The look that all figures share.
  static let look = """
    set border 3 lw 1
    set tics nomirror
    set grid lc rgb '\(PlotColor.grid)' lt 1 lw 0.5
    set key noenhanced
    set pointintervalbox 0
    """

  /// A string in gnuplot's single quotes, in which nothing but the quote has a meaning.
  static func quoted(_ text: String) -> String {
    // Below the level of characters, as gnuplot reads: a quote with an accent is a quote.
    let line = text.printable.unicodeScalars.flatMap { $0 == "'" ? [$0, $0] : [$0] }
    return "'\(String(String.UnicodeScalarView(line)))'"
  }

  /// The label of a tic in quotes: gnuplot takes it for a format, in which % is doubled, and of a
  /// format it makes no more than 49 bytes.
  private static func quotedTic(_ name: String) -> String {
    var shown = name.ticLabel
    while shown.contains("%"), shown.utf8.count > 49 { shown.removeLast() }
    return quoted(shown.replacing("%", with: "%%"))
  }

  /// A number as gnuplot reads it; NaN, which it does not draw, where there is none.
  static func number(_ value: Double?) -> String {
    guard let value, value.isFinite else { return "NaN" }
    return String(format: "%.6g", value.heldToScale)
  }

  /// A block of data under a name.
  static func data(_ name: String, _ rows: [[Double?]]) -> String {
    let lines = rows.map { row in row.map(number).joined(separator: " ") }
    // A block without any row is an error to gnuplot.
    return (["$\(name) << EOD"] + (lines.isEmpty ? ["NaN NaN NaN NaN"] : lines) + ["EOD"])
      .joined(separator: "\n")
  }

  /// Range and tics of an axis: some room at both ends, and few enough tics that their numbers do not
  /// run into each other in a narrow panel.
  static func axis(_ axis: String, _ values: [Double], isLogarithmic: Bool = false) -> String {
    let held = values.filter { $0.isFinite && (!isLogarithmic || $0 > 0) }.map(\.heldToScale)
    let finite = isLogarithmic ? held.map { log10($0) } : held
    guard let low = finite.min(), let high = finite.max() else {
      return "unset logscale \(axis)\nset \(axis)range [*:*]\nset \(axis)tics autofreq"
    }
    let room = max((high - low) * 0.08, isLogarithmic ? 0.15 : max(abs(high) * 0.05, 1e-3))
    let ends = (low: low - room, high: high + room)
    let bounds =
      isLogarithmic
      ? (low: pow(10, max(ends.low, -300)), high: pow(10, min(ends.high, 300))) : ends
    let tics =
      isLogarithmic
      ? "(\(decades(bounds).joined(separator: ", ")))" : number(step(from: ends.low, to: ends.high))
    return """
      \(isLogarithmic ? "set" : "unset") logscale \(axis)
      set \(axis)range [\(number(bounds.low)):\(number(bounds.high))]
      set \(axis)tics \(tics)
      """
  }

  /// The smallest round step that divides a span into four at most, and whose numbers have room beside
  /// each other in a narrow panel.
  private static func step(from low: Double, to high: Double) -> Double {
    let span = high - low
    let power = pow(10, log10(span / 4).rounded(.down))
    let steps = [1, 2, 5, 10, 20, 50].map { $0 * power }
    return steps.first { step in
      let first = (low / step).rounded(.up)
      let last = (high / step).rounded(.down)
      guard last - first < 5 else { return false }
      let numbers = stride(from: first, through: last, by: 1).map { number($0 * step) }
      return numbers.map(\.count).reduce(0, +) + numbers.count <= charactersOfPanel
    } ?? span
  }

  /// How many characters fit below a panel.
  private static let charactersOfPanel = 21

  /// Tics at 1, 2 and 5 times the powers of ten; with many decades at the powers alone, or at some of
  /// them.
  private static func decades(_ bounds: (low: Double, high: Double)) -> [String] {
    let first = Int(log10(bounds.low).rounded(.down))
    let last = Int(log10(bounds.high).rounded(.up))
    let powers = stride(from: first, through: last, by: 1 + (last - first) / 12)
    let factors = bounds.high / bounds.low > 200 ? [1.0] : [1, 2, 5]
    return Array(powers).flatMap { power in factors.map { $0 * pow(10, Double(power)) } }
      .filter { $0 >= bounds.low && $0 <= bounds.high }.map(number)
  }

  // MARK: Panels

  private static let widthOfPanel = 215
  private static let gapOfPanels = 35

  /// Panels side by side, of one height and width whatever stands on their axes, with the names of
  /// rows left of the first alone.
  static func panels(_ panels: [String], besideNames names: [String]) -> String {
    let width = Double(widthOfPanels(panels.count, besideNames: names))
    let placed = panels.enumerated().map { index, panel in
      let left = widthOfNames(names) + index * widthOfPanel
      return """
        set lmargin at screen \(number(Double(left) / width))
        set rmargin at screen \(number(Double(left + widthOfPanel - gapOfPanels) / width))
        \(rowNames(index == 0 ? names : names.map { _ in "" }))
        \(panel)
        """
    }
    return "set multiplot layout 1,\(panels.count)\nset bmargin 4.5\nset tmargin 1\n"
      + placed.joined(separator: "\n") + "\nunset multiplot"
  }

  /// How wide a figure of such panels is, in pixels.
  static func widthOfPanels(_ count: Int, besideNames names: [String]) -> Int {
    widthOfNames(names) + count * widthOfPanel
  }

  private static func widthOfNames(_ names: [String]) -> Int {
    30 + 8 * (names.map(\.ticLabel.count).max() ?? 0)
  }

  /// Names instead of numbers on the y axis, from the top down.
  static func rowNames(_ names: [String]) -> String {
    let tics = names.enumerated().map { "\(quotedTic($1)) \(names.count - $0)" }
    return "set ytics noenhanced (\(tics.joined(separator: ", ")))\n"
      + "set yrange [0.4:\(Double(names.count) + 0.6)]"
  }
}

extension String {
  /// The name of a row, its middle left out where it would take the room of the panels.
  fileprivate var ticLabel: String {
    let shown = printable
    return shown.count <= 40 ? shown : "\(shown.prefix(24))...\(shown.suffix(13))"
  }
}

extension Double {
  /// The number, between 1e-300 and 1e300 in size unless it is zero: so no end and no span of an axis
  /// overflows, and no point lies beyond its axis.
  fileprivate var heldToScale: Double {
    guard self != 0 else { return 0 }
    return Double(signOf: self, magnitudeOf: min(max(magnitude, 1e-300), 1e300))
  }
}

/// Colours that people with any colour vision can tell apart, on white and on black.
///
/// Source: Okabe & Ito (2008), "Color universal design".
enum PlotColor {
  /// Text and what was measured; a page shows it in the colour of its text.
  static let ink = "#000000"
  /// Lines of the grid and bands.
  static let grid = "#9a9a9a"
  /// What was left out.
  static let leftOut = "#7a7a7a"
  /// The same as gnuplot writes it.
  static let leftOutInSVG = "rgb(122, 122, 122)"

  private static let palette = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c6d31", "#7f7f7f",
  ]

  /// Dashes that tell lines apart without colours.
  static func dashes(_ index: Int) -> String {
    let patterns = ["(10,4)", "(2,3)", "(10,3,2,3)", "(10,3,2,3,2,3)", "(18,4)", "(5,3)"]
    return patterns[index % patterns.count]
  }

  /// The colour of the r-factor method at a position.
  static func method(_ index: Int) -> String {
    palette[index % palette.count]
  }
}

/// What a number lies between, as a figure shows it: a bar, with an arrow to the edge of the figure where
/// there is no limit.
struct LimitedRange {
  /// The lower limit; nil if there is none.
  let least: Double?
  /// The upper limit; nil if there is none.
  let most: Double?

  /// What a figure of some ranges, and of 0, has to span so that arrows have room beyond all limits.
  static func edges(of ranges: [LimitedRange]) -> Interval {
    let ends: [Double] = ranges.compactMap(\.least) + ranges.compactMap(\.most) + [0]
    let (low, high) = (ends.min() ?? 0, ends.max() ?? 0)
    let room = max(0.15 * (high - low), 1)
    return Interval(
      low: ranges.contains { $0.least == nil } ? low - room : low,
      high: ranges.contains { $0.most == nil } ? high + room : high)
  }

  /// Rows of x, y, length along x, length along y, whether it is an arrow (0 or 1), and a tag.
  func horizontal(
    at height: Double, within edges: Interval, tag: Double = 0
  ) -> [[Double?]] {
    strokes(within: edges).map { from, to, isArrow in
      [from, height, to - from, 0, isArrow ? 1 : 0, tag]
    }
  }

  /// The same upright.
  func vertical(at x: Double, within edges: Interval) -> [[Double?]] {
    strokes(within: edges).map { from, to, isArrow in
      [x, from, 0, to - from, isArrow ? 1 : 0, 0]
    }
  }

  private func strokes(within edges: Interval) -> [(from: Double, to: Double, isArrow: Bool)] {
    switch (least, most) {
    case (let least?, let most?): [(least, most, false)]
    case (let least?, nil): [(least, edges.high, true)]
    case (nil, let most?): [(most, edges.low, true)]
    case (nil, nil):
      [
        ((edges.low + edges.high) / 2, edges.low, true),
        ((edges.low + edges.high) / 2, edges.high, true),
      ]
    }
  }

  /// What plots the rows of a block: bars, arrows, and a dot where the limits are so near to each other
  /// that a bar would not be seen.
  static func plots(
    _ block: String, width: Double, color: String = PlotColor.ink, tag: Int = 0
  ) -> String {
    let look = "lw \(PlotScript.number(width)) lc rgb '\(color)' notitle"
    let chosen = { (column: Int, isArrow: Int) in
      "($5 == \(isArrow) && $6 == \(tag) ? $\(column) : NaN)"
    }
    return """
      $\(block) using \(chosen(1, 0)):2:3:4 with vectors nohead \(look), \\
        $\(block) using \(chosen(1, 1)):2:3:4 with vectors head size screen 0.008,25 \(look), \\
        $\(block) using (abs($3) + abs($4) < 1e-9 && $6 == \(tag) ? $1 : NaN):2 with points pt 7 ps 0.5 \
      lc rgb '\(color)' notitle
      """
  }
}
