import RealModule

/// Fisher information on one person's parameters from readings at candidate times, and the design criterion.
///
/// The contributions of readings add up to Fisher's information M of the coordinates. Nuisance coordinates
/// come first, so that the pivots of M's Cholesky factor behind them multiply to the determinant of the
/// information on the others. The criterion to maximise is
///
/// - D: ln det M, for all coordinates;
/// - Ds: ln det M - ln det of M's block of nuisance coordinates;
/// - c: -ln(c^T M^-1 c), with c the derivatives of a derived quantity: the logarithm of its precision
///
/// (Atkinson, Donev & Tobias 2007, chapter 10). If the errors of readings dt apart correlate with rho = exp(-dt/tau), a
/// reading adds what it does not share with the one before it: (g - rho g_before)(...)^T / (1 - rho^2), rows in
/// standard deviations.
struct CaseInformation: Sendable {
  /// The number of coordinates.
  let size: Int
  /// The number of nuisance coordinates; they come first.
  let nuisance: Int
  /// The derivatives of the quantity of interest, in the order of the rows; nil for D and Ds.
  let direction: [Double]?
  /// The sensitivities of each candidate's reading, in its standard deviations.
  private let rows: [Double]
  /// When the candidates are, in h.
  private let hours: [Double]
  /// The correlation time of errors, in h; nil if they are independent.
  private let correlationTime: Double?

  /// The smallest pivot: a standard error of a million in the logarithm. With it a design that determines
  /// nothing has a finite criterion, too, which exchanges can improve.
  private static let leastPivot = 1e-12

  /// - Parameters:
  ///   - rows: Of each candidate, coordinates without interest first.
  ///   - hours: Of each candidate, ascending.
  init(
    _ rows: [[Double]], hours: [Double], nuisance: Int, direction: [Double]? = nil,
    correlationTime: Double? = nil
  ) {
    size = rows.first?.count ?? 0
    self.rows = rows.flatMap(\.self)
    self.hours = hours
    self.nuisance = nuisance
    self.direction = direction
    self.correlationTime = correlationTime
  }

  /// Zero information: the lower triangle of M, row by row.
  var zeroInformation: [Double] { [Double](repeating: 0, count: size * (size + 1) / 2) }

  /// Adds the information of a reading, given the one before it.
  ///
  /// - Parameter factor: 1, or -1 to take it away.
  @inline(__always)
  func add(_ reading: Int, after previous: Int?, _ factor: Double = 1, to sum: inout [Double]) {
    var decay = 0.0
    var before = 0
    if let previous, let time = correlationTime {
      decay = .exp((hours[previous] - hours[reading]) / time)
      before = previous * size
    }
    let start = reading * size
    let scale = factor / (1 - decay * decay)
    var index = 0
    for i in 0..<size {
      let left = scale * (rows[start + i] - decay * rows[before + i])
      for j in 0...i {
        sum[index] += left * (rows[start + j] - decay * rows[before + j])
        index += 1
      }
    }
  }

  /// The information of readings, by their candidates in order of time.
  func information(of readings: [Int]) -> [Double] {
    var sum = zeroInformation
    for (position, reading) in readings.enumerated() {
      add(reading, after: position > 0 ? readings[position - 1] : nil, to: &sum)
    }
    return sum
  }

  /// Adds the information gained by inserting a reading between two others.
  @inline(__always)
  func insert(_ reading: Int, between previous: Int?, and next: Int?, into sum: inout [Double]) {
    add(reading, after: previous, to: &sum)
    guard correlationTime != nil, let next else { return }
    add(next, after: reading, to: &sum)
    add(next, after: previous, -1, to: &sum)
  }

  /// Returns the criterion for an information matrix.
  ///
  /// - Parameter scratch: At least as long as the sum and a row together.
  func value(_ sum: [Double], _ scratch: inout [Double]) -> Double {
    var determinant = 1.0
    for i in 0..<size {
      let row = i * (i + 1) / 2
      for j in 0...i {
        let rowJ = j * (j + 1) / 2
        var rest = sum[row + j]
        for k in 0..<j { rest -= scratch[row + k] * scratch[rowJ + k] }
        if j < i {
          scratch[row + j] = rest / scratch[rowJ + j]
        } else {
          let pivot = max(rest, Self.leastPivot)
          scratch[row + j] = pivot.squareRoot()
          if i >= nuisance { determinant *= pivot }
        }
      }
    }
    guard let direction else { return .log(determinant) }
    // c^T M^-1 c = |L^-1 c|^2
    let solved = sum.count
    var variance = 0.0
    for i in 0..<size {
      let row = i * (i + 1) / 2
      var rest = direction[i]
      for k in 0..<i { rest -= scratch[row + k] * scratch[solved + k] }
      scratch[solved + i] = rest / scratch[row + i]
      variance += scratch[solved + i] * scratch[solved + i]
    }
    return -.log(variance)
  }

  /// The number of coordinates the criterion concerns: a difference of criteria divided by it is
  /// the logarithm of an efficiency, as a ratio of numbers of readings.
  var criterionDimension: Int { direction == nil ? size - nuisance : 1 }
}
