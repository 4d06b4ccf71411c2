import AlcoholKinetics

/// What the residuals of one series add to those of its study.
///
/// Residuals of a fit are in the standard deviations that the error model gives the readings; where errors go
/// together, what the reading before says is taken away first. Counted are quantified readings whose
/// prediction is three standard deviations above what can be told from nothing: nearer to it, readings
/// are cut off, so that residuals of a right model are not about zero.
package struct ResidualSums: Codable, Hashable, Sendable {
  /// A reading: what pooling needs of it.
  package struct Residual {
    /// Hours since the first drink.
    let time: Double
    /// Predicted, in g/kg.
    let concentration: Double
    /// In standard deviations.
    package let value: Double
    let leverage: Double
    /// The element of the hat matrix that it shares with the fitted reading before; nil if that does
    /// not count.
    let shared: Double?

    package init(
      time: Double, concentration: Double, value: Double, leverage: Double, shared: Double?
    ) {
      self.time = time
      self.concentration = concentration
      self.value = value
      self.leverage = leverage
      self.shared = shared
    }
  }

  /// How many predictions, in standard deviations, are too near to nothing.
  static let clearance = 3.0

  /// The products of neighbours, and what they are expected to be of independent errors.
  package var products = 0.0
  package var expectedProducts = 0.0
  /// The squares, and what they are expected to be.
  package var squares = 0.0
  package var expectedSquares = 0.0
  package var count = 0
  /// The sums over each bin.
  package var byTime = [BinSum](repeating: BinSum(), count: ResidualBins.time.count)
  package var byConcentration = [BinSum](
    repeating: BinSum(), count: ResidualBins.concentration.count)
  /// With how many functions of time or concentration residuals are multiplied to find a trend: 1, x and x^2, a level, a
  /// slope and a curvature.
  package static let shapeCount = 3
  /// The sums of residuals times each of them.
  package var timeMoments: [Double]
  package var concentrationMoments: [Double]

  /// The readings and their residuals that fall in one bin.
  package struct BinSum: Codable, Hashable, Sendable {
    package var count = 0.0
    package var sum = 0.0
  }

  /// Sums up; nil if no reading counts.
  ///
  /// - Parameter residuals: In order of time.
  package init?(_ residuals: [Residual]) {
    guard !residuals.isEmpty else { return nil }
    timeMoments = Array(repeating: 0, count: Self.shapeCount)
    concentrationMoments = timeMoments
    for (index, residual) in residuals.enumerated() {
      count += 1
      squares += residual.value * residual.value
      expectedSquares += 1 - residual.leverage
      if index > 0, let shared = residual.shared {
        products += residual.value * residuals[index - 1].value
        // Residuals are (I - H) e, whose covariance is I - H (Box & Pierce 1970).
        expectedProducts -= shared
      }
      Self.add(residual.value, at: residual.time, &timeMoments, &byTime, .time)
      Self.add(
        residual.value, at: residual.concentration, &concentrationMoments, &byConcentration,
        .concentration)
    }
  }

  private static func add(
    _ value: Double, at x: Double, _ moments: inout [Double], _ sums: inout [BinSum],
    _ bins: ResidualBins
  ) {
    moments[0] += value
    moments[1] += value * x
    moments[2] += value * (x * x)
    let bin = bins.index(of: x)
    sums[bin].count += 1
    sums[bin].sum += value
  }
}

/// Into which ranges of time or concentration residuals are sorted.
package struct ResidualBins: Codable, Hashable {
  /// Where one bin ends and the next begins.
  let edges: [Double]

  /// Hours since the first drink.
  package static let time = ResidualBins(edges: [0.5, 1, 1.5, 2, 3, 4, 6, 8])
  /// Predicted concentration in g/kg.
  package static let concentration = ResidualBins(edges: [0.1, 0.2, 0.3, 0.4, 0.6, 0.8, 1, 1.5])

  package var count: Int { edges.count + 1 }

  package func index(of x: Double) -> Int {
    // A reading taken at an edge belongs to the bin that begins there, however its time is rounded.
    edges.firstIndex { x < $0 - 1e-9 } ?? edges.count
  }

  /// Where a bin begins and ends; nil for the end of the last.
  package func range(of index: Int) -> (low: Double, high: Double?) {
    (index == 0 ? 0 : edges[index - 1], index < edges.count ? edges[index] : nil)
  }
}
