/// Eight neighbouring points of a curve, and a way to the eight after them.
///
/// The types are small and generic code over them is specialised, so that a loop over points is as
/// good as written by hand.
protocol GridPoints {
  /// The points, in g/kg.
  var values: SIMD8<Double> { get }
  /// Goes on to the next eight.
  mutating func goOn()
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
  mutating func goOn() {
    values += step
  }
}

/// Points of a straight line minus what is still to be absorbed.
struct FallingPoints: GridPoints {
  private var line: LinePoints
  private var decaying: SIMD8<Double>
  private let kept: Double

  /// - Parameters:
  ///   - line: Where all is absorbed.
  ///   - decaying: What is still to be absorbed at the first eight points.
  ///   - kept: The share of it that is left eight points later.
  init(line: LinePoints, decaying: SIMD8<Double>, kept: Double) {
    self.line = line
    self.decaying = decaying
    self.kept = kept
  }

  @inline(__always)
  var values: SIMD8<Double> { line.values - decaying }

  @inline(__always)
  mutating func goOn() {
    line.goOn()
    decaying *= kept
  }
}

/// Points that are zero where others are below.
struct ClampedPoints<Points: GridPoints>: GridPoints {
  var points: Points

  @inline(__always)
  var values: SIMD8<Double> {
    let values = points.values
    return values.replacing(with: 0, where: values .< 0)
  }

  @inline(__always)
  mutating func goOn() {
    points.goOn()
  }
}
