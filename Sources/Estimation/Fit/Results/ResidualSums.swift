import AlcoholKinetics

/// The sums of the residuals of one series, to be pooled over its study.
///
/// Residuals are standardised by the error model and, with correlated errors, whitened. Only quantified readings whose
/// prediction is at least three standard deviations above the limit of detection, or zero, are used: closer to it readings
/// are truncated, so that the residuals of a correct model do not have mean zero.
package struct ResidualSums: Codable, Hashable, Sendable {
  /// A residual with the properties that pooling needs.
  package struct Residual {
    /// The time since the first drink, in h.
    let time: Double
    /// The prediction, in g/kg.
    let concentration: Double
    /// The residual in standard deviations.
    package let value: Double
    let leverage: Double
    /// The element h(i, i - 1) of the hat matrix; nil if the previous fitted reading is not used.
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

  /// The smallest distance of a prediction from the limit of detection, in standard deviations.
  static let clearance = 3.0

  /// The sum of products of neighbouring residuals.
  package var products = 0.0
  /// Its expectation for independent errors.
  package var expectedProducts = 0.0
  /// The sum of squared residuals.
  package var squares = 0.0
  /// Its expectation.
  package var expectedSquares = 0.0
  /// The number of residuals.
  package var count = 0
  /// The sums over each bin of time.
  package var byTime = [BinSum](repeating: BinSum(), count: ResidualBins.time.count)
  package var byConcentration = [BinSum](
    repeating: BinSum(), count: ResidualBins.concentration.count)
  /// The number of trend functions of time or concentration: 1, x and x^2.
  package static let shapeCount = 3
  /// The sums of residuals times each trend function of time.
  package var timeMoments: [Double]
  /// The sums of residuals times each trend function of the predicted concentration.
  package var concentrationMoments: [Double]

  /// The number and the sum of the residuals in one bin.
  package struct BinSum: Codable, Hashable, Sendable {
    package var count = 0.0
    package var sum = 0.0
  }

  /// Sums residuals up; nil if there are none.
  ///
  /// - Parameter residuals: The residuals, in order of time.
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

/// The bins of time or concentration for residuals.
package struct ResidualBins: Codable, Hashable {
  /// The edges between bins, ascending.
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

  /// Returns the edges of a bin; nil for the end of the last.
  package func range(of index: Int) -> (low: Double, high: Double?) {
    (index == 0 ? 0 : edges[index - 1], index < edges.count ? edges[index] : nil)
  }
}
