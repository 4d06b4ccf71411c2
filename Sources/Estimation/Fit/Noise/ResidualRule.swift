import AlcoholKinetics

/// Turns predictions into residuals whose squares add up to what a fit minimises.
///
/// A residual is predicted minus measured, in standard deviations. A loss is taken into it: the
/// residual becomes plus or minus c sqrt(rho), whose square is c^2 rho. So is a censored likelihood:
/// the residual of a reading below its limit L is sqrt(-2 ln Phi((L - f)/sigma)), whose square is
/// what the reading adds to the deviance. That way Gauss-Newton steps serve all of them.
struct ResidualRule {
  /// What a row of the Jacobian is multiplied with.
  enum Slope {
    /// The slope of the residual: for the solver.
    case residual
    /// The square root of the curvature of the deviance, expected of a loss: for the covariance.
    case information
    /// None: derivatives of the predictions themselves.
    case prediction
  }

  /// Measured concentrations, or limits of detection, in g/kg.
  let levels: UnsafePointer<Double>
  let areCensored: UnsafePointer<Bool>
  /// The reciprocals of the standard deviations, in kg/g.
  let precisions: UnsafePointer<Double>
  let loss: Loss
  let tuning: Double
  /// Whether a censored reading counts by its likelihood instead of on one side.
  let hasLikelihood: Bool

  /// The residuals of a reading, and their slopes by the predictions.
  @inline(__always)
  func terms<Number: ArithmeticNumber>(
    of prediction: Number, at index: Int
  ) -> (residual: Number, slope: Number) {
    let precision = Number(everywhere: precisions[index])
    let standardised = (prediction - Number(everywhere: levels[index])) * precision
    guard areCensored[index] || loss != .linear else { return (standardised, precision) }
    return terms(standardised, precision, isCensored: areCensored[index])
  }

  /// Those of a reading below its limit, or with a loss: apart from the plain residual, which is what nearly all
  /// fits ask for.
  @inline(never)
  private func terms<Number: ArithmeticNumber>(
    _ standardised: Number, _ precision: Number, isCensored: Bool
  ) -> (residual: Number, slope: Number) {
    var (standardised, slope) = (standardised, precision)
    if isCensored {
      if hasLikelihood {
        return (
          standardised.map(BelowLimit.residual), standardised.map(BelowLimit.slope) * precision
        )
      }
      let isAbove = standardised.isAbove(.zero)
      standardised = standardised.kept(where: isAbove, else: .zero)
      slope = slope.kept(where: isAbove, else: .zero)
    }
    guard loss != .linear else { return (standardised, slope) }
    return (standardised.map(lossResidual), standardised.map(lossSlope) * slope)
  }

  /// What a row of the Jacobian is multiplied with.
  func slope(_ slope: Slope, of prediction: Double, at index: Int) -> Double {
    switch slope {
    case .prediction: return 1
    case .residual: return terms(of: prediction, at: index).slope
    case .information:
      let precision = precisions[index]
      guard areCensored[index] else { return precision }
      let standardised = (prediction - levels[index]) * precision
      guard hasLikelihood else { return standardised > 0 ? precision : 0 }
      return BelowLimit.information(standardised).squareRoot() * precision
    }
  }

  private func lossResidual(_ u: Double) -> Double {
    guard loss != .linear else { return u }
    let z = (u / tuning) * (u / tuning)
    let size = tuning * loss.cost(z).squareRoot()
    return u < 0 ? -size : size
  }

  private func lossSlope(_ u: Double) -> Double {
    let z = (u / tuning) * (u / tuning)
    let size = tuning * loss.cost(z).squareRoot()
    // Near zero every loss is the square.
    return size > 0 ? loss.weight(z) * abs(u) / size : 1
  }
}

/// The standard deviations of the readings at one noise and which errors go together, in memory that does
/// not move.
final class ResidualWeights {
  /// The reciprocals of the standard deviations, in kg/g.
  let precisions: UnsafeMutablePointer<Double>
  /// Takes what goes together out of the residuals; nil if errors are independent.
  let whitening: Whitening?

  init(_ standardDeviations: [Double], _ correlation: NoiseCorrelation?) {
    precisions = .allocate(capacity: standardDeviations.count)
    for (index, deviation) in standardDeviations.enumerated() {
      (precisions + index).initialize(to: 1 / deviation)
    }
    whitening = correlation.flatMap { $0.time > 0 ? Whitening($0) : nil }
  }

  deinit {
    precisions.deallocate()
  }
}

/// Takes out of residuals, and the rows of their Jacobian, what those before them say.
///
/// With phi the correlation with the one before, a residual becomes (u - phi u') / sqrt(1 - phi^2):
/// the inverse of the Cholesky factor of the correlation matrix, which has two entries in a row.
struct Whitening {
  /// The position of the one before, which is smaller; -1 where there is none.
  private let parents: [Int]
  /// Phi.
  private let correlations: [Double]
  /// 1 / sqrt(1 - phi^2).
  private let scales: [Double]

  init(_ correlation: NoiseCorrelation) {
    let chain = correlation.chain
    parents = chain.parents.map { $0 ?? -1 }
    correlations = chain.correlations(time: correlation.time)
    scales = chain.innovations(time: correlation.time).map { 1 / $0.squareRoot() }
  }

  /// Whitens in place.
  ///
  /// - Parameters:
  ///   - values: Row-major, a row for each observation.
  ///   - columns: How many each row has.
  func whiten(_ values: UnsafeMutablePointer<Double>, columns: Int) {
    // From the last, so that those before are still as they were.
    for index in stride(from: parents.count - 1, through: 0, by: -1) where parents[index] >= 0 {
      let row = values + index * columns
      let before = values + parents[index] * columns
      for column in 0..<columns {
        row[column] = (row[column] - correlations[index] * before[column]) * scales[index]
      }
    }
  }
}
