import RealModule

// The fast path. Its invariants:
//
// 1. Between two changes of the input, cut once more where the absorption rate rises through beta,
//    the concentration is max(0, v) with v = line - G e^(-k tau), and v crosses zero at most once,
//    downward (see ``Compartments``). No point depends on the one before. Where v is above zero
//    at both ends of a piece it is above zero between them.
// 2. On the grid the line is a running sum and the exponential a running product. Both are computed
//    afresh at each change of the input and after 2048 points, so that rounding stays below 1e-12
//    of what was drunk. Pieces that come nearer to zero than 1e-10 of it are clamped point by point.
// 3. After 32 / k hours the exponential is below 1.3e-14 of what it was, and is left out.
// 4. Points are written in order, eight at a time. A piece may write beyond its end, but never beyond
//    the row's; what follows overwrites it.
// 5. Where that loses digits (an input rate above 1000 k, or an absorption within milliseconds), or a
//    dose goes straight into the blood, nothing is written and the caller takes the plain way.

/// Writes one curve on a grid from left to right.
struct CurveWriter {
  private static let reanchoring = 2048
  private static let lanes = 8
  /// Clearing more at once makes C's memset choose instructions that are slow outside the cache.
  private static let clearing = 240

  private let row: UnsafeMutablePointer<Double>
  private let count: Int
  private let grid: TimeGrid
  private let ka: Double
  private let beta: Double
  /// Time between two points, in h.
  private let step: Double
  /// The fraction of the gut content left after 0 to 7 points, and after 8.
  private let kept: SIMD8<Double>
  private let keptOverLanes: Double

  /// Points written so far.
  private var written = 0
  private var blood = 0.0
  private var gut = 0.0

  /// - Parameter count: The number of points of the grid to write, for which the row has memory.
  init(
    to row: UnsafeMutablePointer<Double>, count: Int, of grid: TimeGrid,
    _ parameters: KineticParameters
  ) {
    self.row = row
    self.count = count
    self.grid = grid
    ka = parameters.ka.value
    beta = parameters.beta.value
    step = grid.everyMinutes / 60
    let first = Double.exp(-ka * step)
    let second = first * first
    let fourth = second * second
    kept = SIMD8(
      1, first, second, second * first, fourth, fourth * first, fourth * second,
      fourth * second * first)
    keptOverLanes = fourth * fourth
  }

  /// Writes the curve; returns false, without writing, if the fast path does not apply (invariant 5).
  mutating func write(_ regimen: Regimen, _ parameters: KineticParameters) -> Bool {
    let changes = regimen.changes
    let scale = parameters.concentrationPerDose
    let lag = parameters.lag.value
    guard ka <= 1e6, !regimen.hasIntravenous, changes.allSatisfy({ $0.rate * scale <= 1000 * ka })
    else { return false }
    clear(upTo: changes.first.map { index(from: $0.time + lag) } ?? count)
    var position = 0
    while position < changes.count, written < count {
      let change = changes[position]
      let end = changes.end(position) + lag
      position += 1
      gut += change.bolus * scale
      writeInterval(from: change.time + lag, to: end, inputRate: change.rate * scale)
    }
    return true
  }

  @inline(__always)
  private func index(from time: Double) -> Int {
    min(count, grid.firstIndex(from: time))
  }

  /// Writes the points between two changes of the input.
  private mutating func writeInterval(from start: Double, to end: Double, inputRate: Double) {
    guard inputRate > beta else {
      advance(from: start, to: end, inputRate: inputRate, isLosing: ka * gut <= beta)
      return
    }
    let turn = Compartments(blood: blood, gut: gut)
      .turn(inputRate: inputRate, ka: ka, beta: beta)
    let rise = min(end, start + (turn ?? 0))
    advance(from: start, to: rise, inputRate: inputRate, isLosing: true)
    advance(from: rise, to: end, inputRate: inputRate, isLosing: false)
  }

  /// Writes the points of a stretch that satisfies invariant 1, and advances to its end.
  ///
  /// - Parameter isLosing: Whether the absorption rate is below beta throughout.
  private mutating func advance(
    from start: Double, to end: Double, inputRate: Double, isLosing: Bool
  ) {
    guard start < end else { return }
    let steady = inputRate / ka
    let stretch = Stretch(
      start: start, level: blood + gut - steady, slope: inputRate - beta, decaying: gut - steady)
    let startBlood = blood
    let isEmpty = blood == 0 && isLosing
    blood = 0
    var endValue = -Double.infinity
    if end.isFinite {
      let left = Double.exp(-ka * (end - start))
      endValue = stretch.line(at: end) - stretch.decaying * left
      gut = gut * left + steady * (1 - left)
      blood = isEmpty ? 0 : max(0, endValue)
    }
    let endIndex = index(from: end)
    guard endIndex > written else { return }
    if isEmpty {
      clear(upTo: endIndex)
    } else {
      write(stretch, upTo: endIndex, from: startBlood, to: endValue)
    }
  }

  private mutating func write(
    _ stretch: Stretch, upTo end: Int, from startValue: Double, to endValue: Double
  ) {
    let margin = 1e-10 * (abs(stretch.level) + abs(stretch.decaying))
    let absorbed = min(end, index(from: stretch.start + 32 / ka))
    guard endValue <= margin else {
      absorb(stretch, upTo: absorbed, isClamped: startValue <= margin)
      fall(stretch, upTo: end, isClamped: false)
      return
    }
    // The curve is below the line where the gut empties, and above it where the gut fills.
    let cleared = min(end, index(from: stretch.lineEnd))
    let isFlat = -stretch.slope * step <= margin
    absorb(
      stretch, upTo: stretch.decaying >= 0 ? min(absorbed, cleared) : absorbed,
      isClamped: startValue <= margin || cleared <= absorbed + 1 || isFlat)
    if cleared > written {
      fall(stretch, upTo: cleared, isClamped: isFlat)
      row[cleared - 1] = max(0, row[cleared - 1])
    }
    clear(upTo: end)
  }

  /// Writes points of line and exponential.
  private mutating func absorb(_ stretch: Stretch, upTo end: Int, isClamped: Bool) {
    while written < end {
      let time = grid.time(written).value
      let decaying = stretch.decaying * .exp(-ka * max(0, time - stretch.start))
      let points = FallingPoints(
        line: line(of: stretch, at: time), decaying: kept * decaying, kept: keptOverLanes)
      fill(upTo: min(end, written + Self.reanchoring), from: points, isClamped: isClamped)
    }
  }

  /// Writes points of the line alone.
  private mutating func fall(_ stretch: Stretch, upTo end: Int, isClamped: Bool) {
    while written < end {
      let points = line(of: stretch, at: grid.time(written).value)
      fill(upTo: min(end, written + Self.reanchoring), from: points, isClamped: isClamped)
    }
  }

  private func line(of stretch: Stretch, at time: Double) -> LinePoints {
    LinePoints(first: stretch.line(at: time), step: stretch.slope * step)
  }

  private mutating func fill(upTo end: Int, from points: some GridPoints, isClamped: Bool) {
    if isClamped {
      fill(upTo: end, from: ClampedPoints(points: points))
    } else {
      fill(upTo: end, from: points)
    }
  }

  @inline(__always)
  private mutating func fill(upTo end: Int, from points: some GridPoints) {
    var points = points
    var position = written
    let wholeEnd = min(end, count - Self.lanes + 1)
    while position < wholeEnd {
      UnsafeMutableRawPointer(row + position)
        .storeBytes(of: points.values, as: SIMD8<Double>.self)
      points.advance()
      position += Self.lanes
    }
    if position < end {
      let values = points.values
      for lane in 0..<(end - position) {
        row[position + lane] = values[lane]
      }
    }
    written = end
  }

  private mutating func clear(upTo end: Int) {
    while written < end {
      let stop = min(end, written + Self.clearing)
      UnsafeMutableRawPointer(row + written).initializeMemory(
        as: UInt8.self, repeating: 0, count: (stop - written) * MemoryLayout<Double>.stride)
      written = stop
    }
  }
}

/// v(tau) = level + slope tau - decaying e^(-k tau), in g/kg and h; tau begins at the start.
private struct Stretch {
  let start: Double
  let level: Double
  let slope: Double
  let decaying: Double

  func line(at time: Double) -> Double {
    level + slope * max(0, time - start)
  }

  /// When the line reaches zero; infinite if it does not fall.
  var lineEnd: Double {
    slope < 0 ? start - min(0, level / slope) : .infinity
  }
}

/// Eight neighbouring points of a curve, and their advance to the next eight.
///
/// The types are small and generic code over them is specialised, so that a loop over points is as fast as
/// one written by hand.
protocol GridPoints {
  /// The points, in g/kg.
  var values: SIMD8<Double> { get }
  /// Advances to the next eight points.
  mutating func advance()
}

/// Points of a straight line.
struct LinePoints: GridPoints {
  private(set) var values: SIMD8<Double>
  private let step: Double

  init(first: Double, step: Double) {
    values = first + SIMD8(0, 1, 2, 3, 4, 5, 6, 7) * step
    self.step = 8 * step
  }

  @inline(__always)
  mutating func advance() {
    values += step
  }
}

/// Points of a straight line minus the amount still to be absorbed.
struct FallingPoints: GridPoints {
  private var line: LinePoints
  private var decaying: SIMD8<Double>
  private let kept: Double

  /// - Parameters:
  ///   - line: The line after absorption.
  ///   - decaying: The amount still to be absorbed at the first eight points.
  ///   - kept: The fraction of it left eight points later.
  init(line: LinePoints, decaying: SIMD8<Double>, kept: Double) {
    self.line = line
    self.decaying = decaying
    self.kept = kept
  }

  @inline(__always)
  var values: SIMD8<Double> { line.values - decaying }

  @inline(__always)
  mutating func advance() {
    line.advance()
    decaying *= kept
  }
}

/// Points clamped at zero.
struct ClampedPoints<Points: GridPoints>: GridPoints {
  var points: Points

  @inline(__always)
  var values: SIMD8<Double> {
    let values = points.values
    return values.replacing(with: 0, where: values .< 0)
  }

  @inline(__always)
  mutating func advance() {
    points.advance()
  }
}
