/// Computes curves on a grid of times, about as fast as memory takes them.
///
/// The values are those of ``Trajectory`` at the times of the grid, within 1e-9 g/kg. How it is done,
/// and what limits it, is told in <doc:TheEngine>.
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
  ///   - regimen: What was drunk.
  ///   - parameters: By whom.
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

  /// The plain way: from time to time along the exact curve.
  private func step(
    _ regimen: Regimen, _ parameters: KineticParameters,
    to row: Slice<UnsafeMutableBufferPointer<Double>>
  ) {
    var walk = CurveWalk(regimen, parameters)
    for index in row.indices {
      walk.advance(toHours: grid.time(index).value)
      row.base[index] = walk.concentration
    }
  }
}
