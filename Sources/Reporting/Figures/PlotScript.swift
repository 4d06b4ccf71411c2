import Foundation

/// Parts of gnuplot scripts.
enum PlotScript {
  /// The look that all figures share.
  static let look = """
    set border 3 lw 1
    set tics nomirror
    set grid lc rgb '\(PlotColor.grid)' lt 1 lw 0.5
    set key noenhanced
    """

  /// A string in gnuplot's single quotes, in which nothing but the quote has a meaning.
  static func quoted(_ text: String) -> String {
    let line = text.printable.replacing("'", with: "''")
    return "'\(line)'"
  }

  /// A number as gnuplot reads it; NaN, which it does not draw, where there is none.
  static func number(_ value: Double?) -> String {
    guard let value, value.isFinite else { return "NaN" }
    return String(format: "%.6g", value)
  }

  /// A block of data under a name.
  static func data(_ name: String, _ rows: [[Double?]]) -> String {
    let lines = rows.map { row in row.map(number).joined(separator: " ") }
    // A block without any row is an error to gnuplot.
    return (["$\(name) << EOD"] + (lines.isEmpty ? ["NaN NaN NaN NaN"] : lines) + ["EOD"])
      .joined(separator: "\n")
  }

  /// A range with some room at both ends.
  static func range(_ values: [Double], isLogarithmic: Bool = false) -> String {
    let scaled = isLogarithmic ? values.filter { $0 > 0 }.map { log10($0) } : values
    let finite = scaled.filter(\.isFinite)
    guard let low = finite.min(), let high = finite.max() else { return "[*:*]" }
    let room = max((high - low) * 0.08, isLogarithmic ? 0.08 : max(abs(high) * 0.05, 1e-3))
    let ends = [low - room, high + room].map { isLogarithmic ? pow(10, $0) : $0 }
    return "[\(number(ends[0])):\(number(ends[1]))]"
  }

  /// Names instead of numbers on the y axis, from the top down.
  static func rowNames(_ names: [String]) -> String {
    let tics = names.enumerated().map { "\(quoted($1)) \(names.count - $0)" }
    return "set ytics noenhanced (\(tics.joined(separator: ", ")))\n"
      + "set yrange [0.4:\(Double(names.count) + 0.6)]"
  }
}
