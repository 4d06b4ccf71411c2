import Estimation

/// A chart, as ``Figure`` draws it: layers of marks over two axes, each of which says what it shows.
struct Chart: Hashable, Sendable {
  /// What stands above it; empty for a chart alone.
  var title = ""
  let x: Axis
  let y: Axis
  /// From the bottom to the top.
  let layers: [Layer]
  /// Of the area with the marks, in CSS pixels.
  let height: Int

  /// Marks of one kind.
  struct Layer: Hashable, Sendable {
    /// What they are, for the legend; layers of one kind in several charts have one label.
    let label: String
    let ink: Ink
    let shape: Shape
    /// Whether a legend names it; what has its name beside it needs none.
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
    /// What lies between a lower and an upper line.
    case band([Box])
    /// Filled rectangles, without limit where an end is infinite.
    case boxes([Box])
    /// Points with what they are known to lie between, along one axis.
    case marks([Mark], Symbol?, along: Direction = .vertical, width: Double = 1.2)
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

  /// A point, and what it lies between along the direction of its layer.
  struct Mark: Hashable, Sendable {
    let x: Double
    let y: Double
    /// The ends of its bar; infinite where there is no limit, which an arrow shows; nil for no bar.
    var ends: Interval?
    /// What people read when they point at it.
    let text: String
    /// Whether the keyboard and a finger reach it.
    var isReading = false

    typealias Interval = Estimation.Interval
  }

  /// Shapes of points, which tell them apart without colours.
  enum Symbol: String, CaseIterable, Hashable, Sendable {
    case dot, cross, ring, drink
    /// The same where there is little room.
    case point, speck, bead, tick

    var path: String {
      switch self {
      case .dot: "M-3 0a3 3 0 1 0 6 0a3 3 0 1 0-6 0z"
      case .cross: "M-3.5-3.5l7 7m0-7l-7 7"
      case .ring: "M0-4.5l4 7.5h-8z"
      // Below the axis, so that it hides no curve.
      case .drink: "M0 2l5 9h-10z"
      case .point: "M-1.7 0a1.7 1.7 0 1 0 3.4 0a1.7 1.7 0 1 0-3.4 0z"
      case .speck: "M-1.7-1.7l3.4 3.4m0-3.4l-3.4 3.4"
      case .bead: "M-2 0a2 2 0 1 0 4 0a2 2 0 1 0-4 0z"
      case .tick: "M0 1v5"
      }
    }

    var isFilled: Bool { [.dot, .drink, .point].contains(self) }
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
  }
}

/// Colours that people with any colour vision can tell apart, darker for light paper and lighter for dark:
/// each has a contrast of 3 at least with its paper, as WCAG 2.2 asks of graphics.
///
/// After Okabe & Ito (2008), "Color universal design".
enum Palette {
  static let light = [
    "#0072b2", "#c24f00", "#00805c", "#b0568a", "#9a6a00", "#3b8bc0", "#7d5c26", "#6f6f6f",
  ]
  static let dark = [
    "#56b4e9", "#ff8f4a", "#2ec99a", "#e09cc6", "#e6b400", "#9fc3ff", "#c9a36a", "#b4b4b4",
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
  static func legend(of charts: [Chart]) -> [Layer] {
    let layers = charts.flatMap(\.layers).filter(\.isNamed).reduce(into: [Layer]()) { list, layer in
      if !list.contains(where: { $0.label == layer.label }) { list.append(layer) }
    }
    return (0...3).flatMap { rank in layers.filter { $0.shape.rank == rank } }
  }

  /// A place of a layer, as a row.
  typealias Row = (
    layer: String, shape: String, x: Double?, y: Double?, row: String?, low: Double?, high: Double?
  )

  /// What is drawn; an end without limit is missing.
  var rows: [Row] {
    layers.flatMap { layer in
      let ends = { (x: Double?, y: Double?, low: Double?, high: Double?) in
        (
          layer.label, layer.shape.name, x?.ifFinite, y?.ifFinite, y.flatMap(self.y.name(of:)),
          low?.ifFinite, high?.ifFinite
        ) as Row
      }
      return switch layer.shape {
      case .line(let points, _, _): points.map { ends($0.x, $0.y, nil, nil) }
      case .band(let boxes): boxes.map { ends($0.left, nil, $0.low, $0.high) }
      case .boxes(let boxes):
        boxes.flatMap {
          [ends($0.left, nil, $0.low, $0.high), ends($0.right, nil, $0.low, $0.high)]
        }
      case .marks(let marks, _, _, _): marks.map { ends($0.x, $0.y, $0.ends?.low, $0.ends?.high) }
      case .rule(.vertical, let place, _): [ends(place, nil, nil, nil)]
      case .rule(.horizontal, let place, _): [ends(nil, place, nil, nil)]
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

  /// What it is called in tables. What lies between ends across the chart is said to be so.
  fileprivate var name: String {
    switch self {
    case .line: "line"
    case .band: "band"
    case .boxes: "boxes"
    case .marks(_, let symbol, let direction, _):
      (symbol == nil ? "bars" : "points") + (direction == .horizontal ? "-across" : "")
    case .rule: "rule"
    }
  }
}
