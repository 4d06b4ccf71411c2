import Estimation

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
