import AlcoholKinetics
package import Estimation
import Foundation
import StudyData

package struct TerminalPlot: Sendable {
  package struct Layer: Sendable {
    let mark: Character
    /// Hours and g/kg.
    let points: [(x: Double, y: Double)]

    /// Draws a mark at points given as hours and g/kg.
    package init(mark: Character, points: [(x: Double, y: Double)]) {
      self.mark = mark
      self.points = points.filter { $0.x.isFinite && $0.y.isFinite }
    }
  }

  private static let columns = 84
  private static let rows = 14

  private let title: String
  private let layers: [Layer]

  /// Puts layers on top of each other, the last one on top.
  package init(title: String, layers: [Layer]) {
    self.title = title
    self.layers = layers
  }

  /// The lines of the plot, with an axis of g/kg on the left and one of hours below.
  package var text: String {
    let points = layers.flatMap(\.points)
    guard let left = points.map(\.x).min(), let right = points.map(\.x).max(), right > left,
      let top = points.map(\.y).max(), top > 0
    else { return "\(title.printable): nothing to draw\n" }
    let frame = Frame(left: left, right: right, top: top)
    var canvas = Array(
      repeating: [Character](repeating: " ", count: Self.columns), count: Self.rows)
    for layer in layers {
      for point in layer.points {
        canvas[frame.row(point.y)][frame.column(point.x)] = layer.mark
      }
    }
    let lines = canvas.enumerated().map { index, line in
      let label = index % 4 == 0 || index == Self.rows - 1 ? frame.label(row: index) : ""
      let text = String(line).replacing(/\ +$/, with: "")
      return pad(label, to: 6) + " |" + text
    }
    return ([title.printable] + lines + frame.axis).joined(separator: "\n") + "\n"
  }

  private func pad(_ text: String, to width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
  }

  /// Turns hours and g/kg into columns and rows.
  private struct Frame {
    let left: Double
    let right: Double
    let top: Double

    func column(_ x: Double) -> Int {
      Self.cell((x - left) / (right - left), of: columns)
    }

    func row(_ y: Double) -> Int {
      Self.cell(1 - y / top, of: rows)
    }

    /// Held to the canvas as a number, since what lies far away has no index.
    private static func cell(_ part: Double, of count: Int) -> Int {
      guard !part.isNaN else { return 0 }
      return Int((min(max(part, 0), 1) * Double(count - 1)).rounded())
    }

    func label(row: Int) -> String {
      NumberStyle.decimals(2).format(top * (1 - Double(row) / Double(rows - 1)))
    }

    /// The axis of hours and, below it, its ends.
    var axis: [String] {
      let first = NumberStyle.decimals(1).format(left)
      let last = NumberStyle.decimals(1).format(right) + " h"
      let space = max(1, columns - first.count - last.count)
      return [
        "       +" + String(repeating: "-", count: columns),
        "        " + first + String(repeating: " ", count: space) + last,
      ]
    }
  }
}

extension TerminalPlot {
  /// The fitted curve of a series as dots, its readings as circles, those left out as crosses.
  package init(_ fit: StudyFit) {
    let series = fit.series
    let start = series.drinks.map(\.time).min() ?? 0
    let value = fit.result.value
    let last = max(series.readings.last?.time ?? start, start)
    let steps = 4 * Self.columns
    let times = (0...steps).map { start + Hours((last - start).value * Double($0) / Double(steps)) }
    let curve = value?.band(at: times, level: Interval.defaultLevel) ?? []
    let readings = (value?.readings ?? []).map { reading in
      (
        point: (x: (reading.time - start).value, y: reading.observed.value),
        isUsed: reading.use.isUsed
      )
    }
    self.init(
      title:
        "\(series.label): . fitted, o readings, x left out (g/kg, hours since the first drink)",
      layers: [
        Layer(mark: ".", points: curve.map { (($0.time - start).value, $0.concentration.value) }),
        Layer(mark: "x", points: readings.filter { !$0.isUsed }.map(\.point)),
        Layer(mark: "o", points: readings.filter(\.isUsed).map(\.point)),
      ])
  }
}
