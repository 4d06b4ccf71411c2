import Estimation
import Foundation
import StudyData

/// A chart, as ``Figure`` draws it: layers of marks over two labelled axes.
struct Chart: Hashable, Sendable {
  /// The title above the chart; empty for a chart alone.
  var title = ""
  let x: Axis
  let y: Axis
  /// The layers, from the bottom to the top.
  let layers: [Layer]
  /// The height of the plotting area, in CSS pixels.
  let height: Int

  /// Marks of one kind.
  struct Layer: Hashable, Sendable {
    /// The entry in the legend; layers of one kind in several charts share one label.
    let label: String
    let ink: Ink
    let shape: Shape
    /// True if the legend names it; false for layers with their names beside them.
    let isNamed: Bool

    init(_ label: String, _ ink: Ink, _ shape: Shape, isNamed: Bool = true) {
      self.label = label
      self.ink = ink
      self.shape = shape
      self.isNamed = isNamed
    }
  }

  enum Shape: Hashable, Sendable {
    /// A line through points; it ends at one that is not finite.
    case line([Point], dash: Int = 0, width: Double = 1.6)
    /// The area between a lower and an upper line.
    case band([Box])
    /// Filled rectangles, without limit where an end is infinite.
    case boxes([Box])
    /// Points with their intervals along one axis.
    case marks(
      [Mark], Symbol?, along: Direction = .vertical, width: Double = 1.2, dash: Int = 0)
    /// A line across the whole chart: where x, or y, has a value.
    case rule(Direction, at: Double, dash: Int = 1)
  }

  enum Direction: Hashable, Sendable { case horizontal, vertical }

  struct Point: Hashable, Sendable {
    let x: Double
    let y: Double
  }

  struct Box: Hashable, Sendable {
    let left: Double
    let right: Double
    let low: Double
    let high: Double

    /// A rectangle, or with equal sides a place along a band.
    init(_ left: Double, _ right: Double, _ low: Double, _ high: Double) {
      self.left = left
      self.right = right
      self.low = low
      self.high = high
    }
  }

  /// A point with its interval along the direction of its layer.
  struct Mark: Hashable, Sendable {
    let x: Double
    let y: Double
    /// The ends of its bar; infinite where there is no limit, which an arrow shows; nil for no bar.
    var ends: Interval?
    /// The tooltip and the text for screen readers.
    let text: String
    /// True if the keyboard and a finger can reach the mark.
    var isReading = false

    typealias Interval = Estimation.Interval
  }

  /// Shapes of points, distinct without colours.
  enum Symbol: String, CaseIterable, Hashable, Sendable {
    case dot, cross, triangle, drink
    /// Smaller shapes, for charts with little room.
    case point, speck, wedge, tick, block, plus, hollow, lozenge

    /// Shapes that tell rows of small charts apart where colours do not.
    static let ofRows: [Symbol] = [.point, .block, .plus, .hollow, .lozenge, .wedge]

    var path: String {
      switch self {
      case .dot: "M-3 0a3 3 0 1 0 6 0a3 3 0 1 0-6 0z"
      case .cross: "M-3.5-3.5l7 7m0-7l-7 7"
      // Points down: the value is below.
      case .triangle: "M0 4.5l-4-7.5h8z"
      // Below the axis, so that it hides no curve.
      case .drink: "M0 2l5 9h-10z"
      case .point: "M-1.7 0a1.7 1.7 0 1 0 3.4 0a1.7 1.7 0 1 0-3.4 0z"
      case .speck: "M-1.7-1.7l3.4 3.4m0-3.4l-3.4 3.4"
      case .wedge: "M0 2.6l-2.4-4.4h4.8z"
      case .tick: "M0 1v5"
      case .block: "M-1.6-1.6h3.2v3.2h-3.2z"
      case .plus: "M-2.4 0h4.8M0-2.4v4.8"
      case .hollow: "M-1.7 0a1.7 1.7 0 1 0 3.4 0a1.7 1.7 0 1 0-3.4 0z"
      case .lozenge: "M0-2.5l2.3 2.5l-2.3 2.5l-2.3-2.5z"
      }
    }

    var isFilled: Bool { [.dot, .drink, .point, .block].contains(self) }

    /// Thin enough that a small shape stays open.
    var strokeWidth: Double { Self.ofRows.contains(self) ? 1.1 : 1.5 }
  }

  /// A colour by its place in the palette, or that of text.
  enum Ink: Hashable, Sendable {
    case text, faint
    case color(Int)

    var name: String {
      switch self {
      case .text: "k"
      case .faint: "f"
      case .color(let index): "c\(index % Palette.light.count)"
      }
    }

    /// The colour on light paper.
    var onLight: String {
      switch self {
      case .text: Palette.lightPaper.ink
      case .faint: Palette.lightPaper.faint
      case .color(let index): Palette.light[index % Palette.light.count]
      }
    }
  }
}

/// Colours that people with any colour vision can tell apart, darker for light paper and lighter for dark:
/// each has a contrast of 3 at least with its paper, as WCAG 2.2 asks of graphics. No two are equally light, so that
/// they stay different in grey.
///
/// The hues are those of Okabe & Ito (2008), "Color universal design".
enum Palette {
  static let light = [
    "#035181", "#ce580e", "#017151", "#6b124c", "#bc8728", "#1976a9", "#71511c", "#424242",
  ]
  static let dark = [
    "#4f9bdf", "#ffae84", "#57bd95", "#be6397", "#ffd6a0", "#75bdf5", "#ab854d", "#727272",
  ]
  static let lightPaper = (ink: "#1a1c1e", faint: "#5b6167", paper: "#ffffff")
  static let darkPaper = (ink: "#e4e6e8", faint: "#a3a9af", paper: "#16181a")

  /// Dashes in pixels that tell lines apart without colours; the first is solid.
  static let dashes = [
    "", "5 4", "2 3", "9 4", "9 3 2 3", "9 3 2 3 2 3", "14 4", "4 2",
  ]
}

extension Chart {
  /// Every label once, points first, with the layer that shows what it looks like.
  ///
  /// - Parameter all: Whether layers that stand beside their names have a label, too.
  static func legend(of charts: [Chart], all: Bool = false) -> [Layer] {
    let named = charts.flatMap(\.layers).filter { all || $0.isNamed }
    let layers = named.reduce(into: [Layer]()) { list, layer in
      if !list.contains(where: { $0.label == layer.label }) { list.append(layer) }
    }
    return (0...3).flatMap { rank in layers.filter { $0.shape.rank == rank } }
  }

  /// A place of a layer, or without one a corner of the area, as a row.
  typealias Row = (
    layer: Layer?, x: Double?, y: Double?, row: String?, low: Double?, high: Double?
  )

  /// The drawn values, a row for each point, behind the ends of the axes; an end without limit is nil.
  var rows: [Row] {
    let corners: [Row] = [(x.low, y.low), (x.high, y.high)].map { (nil, $0.0, $0.1, nil, nil, nil) }
    return corners
      + layers.flatMap { layer in
        let ends = { (x: Double?, y: Double?, low: Double?, high: Double?) in
          (
            layer, x?.ifFinite, y?.ifFinite, y.flatMap(self.y.name(of:)), low?.ifFinite,
            high?.ifFinite
          ) as Row
        }
        return switch layer.shape {
        case .line(let points, _, _): points.map { ends($0.x, $0.y, nil, nil) }
        case .band(let boxes): boxes.map { ends($0.left, nil, $0.low, $0.high) }
        case .boxes(let boxes):
          boxes.flatMap {
            [ends($0.left, nil, $0.low, $0.high), ends($0.right, nil, $0.low, $0.high)]
          }
        case .marks(let marks, _, _, _, _):
          marks.map { ends($0.x, $0.y, $0.ends?.low, $0.ends?.high) }
        case .rule(.vertical, let value, _): [ends(value, nil, nil, nil)]
        case .rule(.horizontal, let value, _): [ends(nil, value, nil, nil)]
        }
      }
  }
}

extension Chart.Shape {
  fileprivate var rank: Int {
    switch self {
    case .marks: 0
    case .line: 1
    case .band, .boxes: 2
    case .rule: 3
    }
  }

  /// The name in tables; "-across" marks intervals along x.
  var name: String {
    switch self {
    case .line: "line"
    case .band: "band"
    case .boxes: "boxes"
    case .marks(_, let symbol, let direction, _, _):
      (symbol == nil ? "bars" : "points") + (direction == .horizontal ? "-across" : "")
    case .rule: "rule"
    }
  }

  /// The symbol of points; nil for anything else.
  var symbol: Chart.Symbol? {
    if case .marks(_, let symbol, _, _, _) = self { symbol } else { nil }
  }

  /// The width of lines and bars, in CSS pixels, and the place of their dashes in the palette; nil for areas.
  var stroke: (width: Double, dash: Int)? {
    switch self {
    case .line(_, let dash, let width), .marks(_, _, _, let width, let dash): (width, dash)
    case .rule(_, _, let dash): (Self.ruleWidth, dash)
    case .band, .boxes: nil
    }
  }

  static let ruleWidth = 1.2
}

extension Chart {
  /// An axis: its ends, and numbers or names beside it that never run into each other.
  struct Axis: Hashable, Sendable {
    let label: String
    private(set) var low: Double
    let high: Double
    var isLogarithmic = false
    /// True for names of rows, one below the other, instead of a scale.
    private(set) var hasNames = false
    /// The rows below zero of a scale, named or not.
    private(set) var rows: [Tick] = []
    private(set) var ticks: [Tick] = []
    /// The shortest length on any screen, in CSS pixels.
    let length: Double

    struct Tick: Hashable, Sendable {
      let value: Double
      let text: String
    }

    /// The unit whose multiples stand beside an axis.
    enum Steps: Hashable, Sendable {
      case tens
      /// Whole hours and parts of them, in min.
      case minutes
    }

    /// The shortest that an x axis is on a phone, where one chart fills the width of the page.
    static let page = 265.0
    /// The shortest x axis of one of several charts, which stand side by side on wider screens.
    static let panel = 165.0
    /// The shortest x axis of one of many charts, of which a printed page has six in a row.
    static let small = 72.0
  }
}

extension Chart.Axis {
  /// An axis that spans finite values, with some room at ends that are not given; `length` is nil for a y axis.
  init(
    _ label: String, _ values: [Double], from low: Double? = nil, to high: Double? = nil,
    steps: Steps = .tens, isLogarithmic: Bool = false, length: Double?, height: Int = 0
  ) {
    let held = values.filter { $0.isFinite && (!isLogarithmic || $0 > 0) }.map(\.clampedToAxis)
    let scaled = isLogarithmic ? held.map { log10($0) } : held
    let least = scaled.min() ?? 0
    let most = scaled.max() ?? (isLogarithmic ? 0 : 1)
    let room = max((most - least) * 0.06, isLogarithmic ? 0.15 : max(abs(most) * 0.04, 1e-3))
    var ends = (low: low ?? least - room, high: high ?? most + room)
    if isLogarithmic {
      ends = (low: pow(10, max(ends.low, -300)), high: pow(10, min(ends.high, 300)))
    }
    if !(ends.low < ends.high) { ends.high = ends.low + max(1, abs(ends.low)) }
    self.init(
      label: label, low: ends.low, high: ends.high, isLogarithmic: isLogarithmic,
      length: length ?? Double(height))
    let candidates = isLogarithmic ? Self.decades(ends) : Self.multiples(ends, steps)
    ticks = candidates.first { !collide($0, isUpright: length == nil) } ?? []
  }

  /// Names from the top down.
  init(rows names: [String]) {
    let count = names.count
    let ticks = names.enumerated().map { Tick(value: Double(count - $0), text: $1.nameOfRow) }
    self.init(
      label: "", low: 0.4, high: Double(count) + 0.6, hasNames: true, ticks: ticks,
      length: Double(22 * count))
  }

  /// Given ticks, as many as have room.
  init(_ label: String, _ low: Double, _ high: Double, ticks: [Tick]) {
    self.init(label: label, low: low, high: max(high, low + 1e-6), length: Self.page)
    self.ticks =
      (1...max(1, ticks.count)).lazy.map { step in
        stride(from: 0, to: ticks.count, by: step).map { ticks[$0] }
      }.first { !collide($0, isUpright: false) } ?? []
  }

  /// An axis of y with rows below zero, from the top down, whose names stand beside it if they are shown.
  func with(
    rows: [String], at places: [Double], downTo low: Double, areShown: Bool
  ) -> Self {
    var axis = self
    axis.low = low
    axis.rows = zip(rows, places).map { Tick(value: $1, text: $0) }
    if areShown { axis.ticks += axis.rows }
    return axis
  }

  /// The name of the row at a value; nil on a scale of numbers.
  func name(of value: Double) -> String? {
    (hasNames ? ticks.first { abs($0.value - value) < 0.5 } : rows.first { $0.value == value })?
      .text
  }

  /// The position of a value: 0 to 1 on the axis; nil for NaN.
  func fraction(_ value: Double) -> Double? {
    let fraction = unclampedFraction(value)
    return fraction.isNaN ? nil : min(max(fraction, -10), 11)
  }

  func shows(_ value: Double) -> Bool {
    fraction(value).map { (-0.001...1.001).contains($0) } == true
  }

  private func unclampedFraction(_ value: Double) -> Double {
    let (value, low, high) =
      isLogarithmic
      ? (log10(value.clampedToAxis), log10(low), log10(high)) : (value.clampedToAxis, low, high)
    return value / (high - low) - low / (high - low)
  }

  /// True if any two neighbouring texts would overlap.
  private func collide(_ ticks: [Tick], isUpright: Bool) -> Bool {
    zip(ticks, ticks.dropFirst()).contains { tick, next in
      let distance = abs(unclampedFraction(next.value) - unclampedFraction(tick.value)) * length
      let room = isUpright ? 20 : (tick.text.drawnWidth + next.text.drawnWidth) / 2 + 8
      return distance < room
    }
  }

  /// Lists of round numbers between the ends, the longest first.
  private static func multiples(_ ends: (low: Double, high: Double), _ steps: Steps) -> [[Tick]] {
    let span = ends.high - ends.low
    let power = pow(10, log10(span / 12).rounded(.down))
    var list = (0...2).flatMap { decade in [1, 2, 5].map { $0 * power * pow(10, Double(decade)) }
    }
    if steps == .minutes, span > 20, span < 1e5 {
      list = [
        1, 2, 5, 10, 15, 20, 30, 60, 120, 180, 240, 360, 720, 1440, 2880, 4320, 7200, 14400,
        43200,
      ]
    }
    return list.compactMap { step in
      let first = (ends.low / step).rounded(.up)
      let last = (ends.high / step).rounded(.down)
      guard last - first < 12 else { return nil }
      return stride(from: first, through: last, by: 1).map { tick($0 * step + 0) }
    }
  }

  /// Lists of 1, 2 and 5 times the powers of ten, then the powers alone, then some of them.
  private static func decades(_ ends: (low: Double, high: Double)) -> [[Tick]] {
    let first = Int(log10(ends.low).rounded(.down))
    let last = Int(log10(ends.high).rounded(.up))
    let choices: [(step: Int, factors: [Double])] =
      [(1, [1, 2, 5]), (1, [1])]
      + [2, 3, 5, 10, 20, 50, 100, 200].map { ($0, [1]) }
    let lists = choices.map { step, factors -> [Tick] in
      let powers = stride(from: first, through: last, by: step).map { pow(10, Double($0)) }
      let places = powers.flatMap { power in factors.map { $0 * power } }
      return places.filter { $0 >= ends.low && $0 <= ends.high }.map(tick)
    }
    return lists.filter { $0.count > 1 }
      + (ends.high < 100 * ends.low ? multiples(ends, .tens) : [])
  }

  private static func tick(_ value: Double) -> Tick { Tick(value: value, text: number(value)) }

  /// A number beside an axis or in a hint: six digits at most.
  static func number(_ value: Double) -> String { String(format: "%.6g", value.clampedToAxis) }
}

extension String {
  /// The name of a row, its middle left out where it would take the room of a chart on a phone.
  var nameOfRow: String {
    let shown = printable
    return shown.drawnWidth <= 150 ? shown : "\(shown.prefix(6))...\(shown.suffix(3))"
  }

  /// Estimated width in a chart, in CSS pixels; rather too large.
  var drawnWidth: Double {
    unicodeScalars.reduce(0) { $0 + ($1.isASCII ? 6.9 : 13) }
  }
}

extension Double {
  /// The number, between 1e-300 and 1e300 in size unless zero, so that no end and no span of an axis overflows.
  fileprivate var clampedToAxis: Double {
    guard self != 0, !isNaN else { return self }
    return Double(signOf: self, magnitudeOf: min(max(magnitude, 1e-300), 1e300))
  }
}
