/// Computes curves on a grid of times, about as fast as memory takes them.
///
/// The values are those of ``Trajectory`` at the times of the grid, within 1e-9 g/kg. <doc:TheEngine> describes
/// the method and its limits.
///
///     let grid = try TimeGrid(count: 7 * 1440)
///     let curve = CurveEngine(grid).concentrations(of: regimen, parameters)
public struct CurveEngine: Hashable, Sendable {
  /// The times of every curve.
  public let grid: TimeGrid

  /// Sets up the engine for a grid.
  public init(_ grid: TimeGrid) {
    self.grid = grid
  }

  /// Blood concentration at each time of the grid, in g/kg.
  public func concentrations(of regimen: Regimen, _ parameters: KineticParameters) -> [Double] {
    [Double](unsafeUninitializedCapacity: grid.count) { row, count in
      write(regimen, parameters, to: row)
      count = grid.count
    }
  }

  /// Writes the blood concentration at each time of the grid, in g/kg, without allocating.
  ///
  /// - Parameters:
  ///   - regimen: The doses.
  ///   - parameters: The parameters of the person.
  ///   - row: Memory for ``TimeGrid/count`` numbers. If it is shorter, it takes the first of them; if
  ///     it is longer, the rest stays as it is.
  public func write(
    _ regimen: Regimen, _ parameters: KineticParameters,
    to row: UnsafeMutableBufferPointer<Double>
  ) {
    guard let start = row.baseAddress else { return }
    let count = min(row.count, grid.count)
    var writer = CurveWriter(to: start, count: count, of: grid, parameters)
    if !writer.write(regimen, parameters) {
      step(regimen, parameters, to: row.prefix(count))
    }
  }

  /// Writes the exact curve point by point, where the fast path does not apply.
  private func step(
    _ regimen: Regimen, _ parameters: KineticParameters,
    to row: Slice<UnsafeMutableBufferPointer<Double>>
  ) {
    var walk = CurveWalk(regimen, parameters)
    for index in row.indices {
      walk.advance(toHours: grid.time(index).value)
      row.base[index] = walk.state.compartments.blood
    }
  }
}

/// Equally spaced times at which a curve is computed.
public struct TimeGrid: Hashable, Sendable {
  /// The first time, on the clock of the regimen.
  public let start: Hours
  /// Minutes from one time to the next; positive.
  public let everyMinutes: Double
  /// The number of times; 0 or more.
  public let count: Int
  private let pointsPerHour: Double

  /// Checks and keeps a grid; by default it begins at 0 and has a point every minute.
  ///
  /// - Throws: ``Problem`` for a start that is not finite, a
  ///   spacing that is not positive and finite, a negative count, or a last time that is not finite.
  public init(
    start: Hours = 0, everyMinutes: Double = 1, count: Int
  ) throws(Problem) {
    self.start = try start.checked("start of a grid", "finite") { _ in true }
    self.everyMinutes = try everyMinutes.checked("spacing of a grid in min")
    _ = try Double(count).checked("number of points of a grid", "0 or more") { $0 >= 0 }
    self.count = count
    pointsPerHour = 60 / everyMinutes
    _ = try time(count).checked("end of a grid", "finite") { _ in true }
  }

  /// The time with an index; the first has 0.
  public func time(_ index: Int) -> Hours {
    Hours(start.value + Double(index) * everyMinutes / 60)
  }

  /// The index of the first time at or after an instant, between 0 and the number of times.
  ///
  /// Within rounding, a time at the instant itself may be counted to either side.
  @inline(__always)
  func firstIndex(from hours: Double) -> Int {
    // Clamped before conversion, since a distant instant overflows an integer.
    let index = max(0, min(Double(count), (hours - start.value) * pointsPerHour))
    let before = Int(index)
    return Double(before) < index ? before + 1 : before
  }
}

/// A reusable buffer for many curves on one grid.
///
/// Writing to fresh memory takes longer than computing a curve, so a buffer should be reused. The shape is
/// [curve][time], with ``TimeGrid/count`` numbers in g/kg for each curve.
///
///     var buffer = try CurveBuffer(grid: grid, curveCount: regimens.count * methods)
///     buffer.fill { curve in (regimens[curve / methods], parameters[curve]) }
///     buffer[3].max()
public struct CurveBuffer: Sendable {
  /// The times of every curve.
  public let grid: TimeGrid
  /// The number of curves.
  public let curveCount: Int
  /// All concentrations, in g/kg; those of curve i begin at i x ``TimeGrid/count``.
  public private(set) var values: [Double]

  /// Allocates a buffer of zeros.
  ///
  /// - Throws: ``Problem`` for a negative number of curves, or
  ///   more of them than can be addressed.
  public init(grid: TimeGrid, curveCount: Int) throws(Problem) {
    let total = curveCount.multipliedReportingOverflow(by: grid.count)
    _ = try Double(curveCount).checked("number of curves", "0 or more, and fit into memory") {
      $0 >= 0 && !total.overflow && total.partialValue <= Int.max / MemoryLayout<Double>.stride
    }
    self.grid = grid
    self.curveCount = curveCount
    values = [Double](repeating: 0, count: total.partialValue)
  }

  /// Computes all curves, in order.
  ///
  /// - Parameter input: Returns the doses and parameters of the curve of an index.
  public mutating func fill(_ input: (Int) -> (Regimen, KineticParameters)) {
    let engine = CurveEngine(grid)
    let stride = grid.count
    values.withUnsafeMutableBufferPointer { all in
      for curve in 0..<curveCount {
        let (regimen, parameters) = input(curve)
        engine.write(
          regimen, parameters,
          to: UnsafeMutableBufferPointer(rebasing: all[(curve * stride)..<((curve + 1) * stride)]))
      }
    }
  }

  /// The concentrations of one curve, in g/kg.
  public subscript(curve: Int) -> ArraySlice<Double> {
    values[(curve * grid.count)..<((curve + 1) * grid.count)]
  }
}
