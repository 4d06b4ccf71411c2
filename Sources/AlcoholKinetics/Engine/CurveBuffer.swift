/// Many curves on one grid in one piece of memory, to be used again and again.
///
/// Fresh memory is slower to write than everything else about a curve; a buffer that is kept costs
/// nothing. Curve after curve, each ``TimeGrid/count`` numbers in g/kg: shape [curve][time].
///
///     var buffer = try CurveBuffer(grid: grid, curveCount: regimens.count * methods)
///     buffer.fill { curve in (regimens[curve / methods], parameters[curve]) }
///     buffer[3].max()
public struct CurveBuffer: Sendable {
  /// The times of every curve.
  public let grid: TimeGrid
  /// How many curves there are.
  public let curveCount: Int
  /// All concentrations, in g/kg; those of curve i begin at i x ``TimeGrid/count``.
  public private(set) var values: [Double]

  /// Makes room for curves; all are zero at first.
  ///
  /// - Throws: ``KineticsError/outOfRange(name:value:allowed:)`` for a negative number of curves, or
  ///   more of them than can be addressed.
  public init(grid: TimeGrid, curveCount: Int) throws(KineticsError) {
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
  /// - Parameter input: What was drunk, and by whom, for the curve of an index.
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
