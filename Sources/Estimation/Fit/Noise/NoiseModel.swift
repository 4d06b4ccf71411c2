import GSL
import RealModule

/// The error model of one series: estimates the standard deviations of its readings from predictions and residuals.
///
/// The parameters of the error model are those that minimise the restricted deviance
///
///     sum over readings (2 ln sigma + u^2) - 2 sum over censored ln Phi - 2 p ln s,
///
/// u being residuals in standard deviations, p the number of parameters of the curve and s the
/// geometric mean of sigma over the quantified readings. For additive errors without censoring this
/// gives s^2 = RSS / (n - p). Source: pseudo-likelihood, Davidian & Giltinan (1995),
/// section 2.4.2; the last term is the part of the determinant of a restricted likelihood that depends
/// on the size of sigma. With a ``Loss`` the scale is a ``RobustScale`` instead.
struct NoiseModel: Hashable, Sendable {
  let error: ErrorModel
  let loss: Loss
  /// The tuning constant of the loss, in residual SDs.
  let tuning: Double
  let instrument: ObservationModel
  let censoring: Censoring
  private(set) var observations: Observations
  /// The correlated neighbours of each reading; nil if errors are independent.
  var chain: CorrelationChain?
  /// The prior of the SD of additive errors; nil for none.
  var size: ErrorSizePrior?
  /// The time constant in h with which residuals are whitened before their scale is estimated.
  var time = 0.0

  /// The scale, in g/kg or as a fraction, below which a fit is perfect but for rounding.
  static let smallestScale = 1e-9

  /// The lower bound of an estimated standard deviation at zero, in g/kg; nil if none is estimated, or no bound is
  /// needed.
  var smallestSD: Double? {
    guard error.isEstimated, error.hasSD, error.hasRatio || loss != .linear else { return nil }
    return instrument.smallestSD
  }

  /// Returns true if the scale of a noise is at that bound.
  func isAtSmallest(_ noise: Noise) -> Bool {
    smallestSD.map { noise.isScaleEstimated && noise.scale <= $0 } ?? false
  }

  /// True if censored readings contribute by their likelihood (M3).
  var hasLikelihood: Bool { censoring == .m3 && observations.hasCensored }

  /// True if standard deviations or the correlation depend on predictions, so that both are estimated in turns.
  var needsPredictions: Bool {
    !error.isConstant || loss != .linear || hasLikelihood || estimatesCorrelation
  }

  /// True if the correlation time is estimated from this series.
  var estimatesCorrelation: Bool { chain.map { $0.givenTime == nil } ?? false }

  /// Returns standard deviations for the first descent, with measured concentrations in the place of predictions.
  /// Parameters to be estimated get an arbitrary value, since only ratios matter; with a prior the size matters as well,
  /// and is that of a usual breathalyser.
  func preliminary(besidePrior: Bool) -> Noise {
    withGivenParameters(
      observations.all.lazy.map(\.level),
      error.observation(unit: besidePrior ? 0.05 : 1, ratio: 5, instrument))
  }

  /// Estimates the noise for predictions.
  ///
  /// - Parameters:
  ///   - predictions: One for each observation, in g/kg.
  ///   - parameterCount: The number p of parameters of the curve; 0 for maximum likelihood.
  /// - Returns: The noise; nil if there are too few readings to estimate it.
  func noise(for predictions: [Double], parameterCount: Int) -> Noise? {
    if error.hasRatio { return combined(predictions, parameterCount, ratios: ratios) }
    let model = error.observation(instrument)
    return error.estimatedCount == 0
      ? withGivenParameters(predictions, model) : scaled(predictions, parameterCount, model)
  }

  /// Re-estimates the scale of a noise for predictions, and the correlation time of correlated errors; its shape stays.
  /// A known scale is kept.
  func rescaled(_ noise: Noise, for predictions: [Double], parameterCount: Int) -> Noise {
    noise.correlation == nil
      ? rescaledOnly(noise, for: predictions, parameterCount: parameterCount)
      : bestTime(noise, for: predictions, parameterCount: parameterCount)
  }

  /// Re-estimates the scale of a noise for predictions; shape and correlation time stay.
  func rescaledOnly(
    _ noise: Noise, for predictions: [Double], parameterCount: Int, time: Double = 0
  ) -> Noise {
    guard noise.isScaleEstimated,
      let scale = scale(of: noise.shape, predictions, parameterCount, time: time)
    else {
      return noise
    }
    let change = scale / noise.scale
    var noise = noise
    noise.scale = scale
    noise.sd = noise.sd.map { $0 * change }
    noise.cv = noise.cv.map { $0 * change }
    return noise
  }

  /// Returns the model for other readings.
  func replicate(_ observations: Observations, _ chain: CorrelationChain? = nil) -> NoiseModel {
    var model = self
    model.observations = observations
    model.chain = chain
    return model
  }

  /// The noise of predictions for given error parameters.
  private func withGivenParameters(
    _ predictions: some Collection<Double>, _ model: ObservationModel
  ) -> Noise {
    // Results do not report the errors of an instrument as parameters of the fit.
    let isReported = error != .instrument
    return Noise(
      shape: predictions.map(model.deviation), scale: 1, isScaleEstimated: false,
      sd: isReported && model.sd > 0 ? model.sd : nil,
      cv: isReported && model.cv > 0 ? model.cv : nil)
  }

  /// The noise of predictions with an estimated scale.
  private func scaled(_ predictions: [Double], _ parameterCount: Int, _ model: ObservationModel)
    -> Noise?
  {
    let shape = predictions.map(model.deviation)
    return scale(of: shape, predictions, parameterCount).map { scale in
      Noise(
        shape: shape, scale: scale, isScaleEstimated: true,
        sd: model.sd > 0 ? model.sd * scale : nil, cv: model.cv > 0 ? model.cv * scale : nil)
    }
  }

  /// The search range of the ratio b / a of the combined model, in kg/g.
  ///
  /// Beyond it one of the two parameters is negligible: at the lower end b is a ten-thousandth of a at 1 g/kg, and at
  /// the upper end, as a has its floor, b is at least 10. The range is finite for any resolution that a study may state.
  var ratios: ClosedRange<Double> { 1e-4...min(max(1e3, 10 / instrument.smallestSD), 1e12) }

  /// Estimates both parameters of the combined model: the best scale for each ratio, and the best ratio.
  func combined(
    _ predictions: [Double], _ parameterCount: Int, ratios: ClosedRange<Double>
  ) -> Noise? {
    func noise(_ logRatio: Double) -> Noise? {
      scaled(predictions, parameterCount, error.observation(ratio: .exp(logRatio), instrument))
    }
    let low = Double.log(ratios.lowerBound)
    let high = Double.log(ratios.upperBound)
    // A grid of two points for each factor of e.
    let points = Int(2 * (high - low)) + 3
    let best = try? BracketedMinimum.find(from: low, to: high, points: points) { logRatio in
      guard let noise = noise(logRatio) else { return .infinity }
      return loss == .linear
        ? deviance(of: predictions, noise, parameterCount: parameterCount)
        : meanLogarithm(noise.standardDeviations)
    }
    return best.flatMap { noise($0.x) }
  }
}

// MARK: - Scale

extension NoiseModel {
  /// Returns the scale that minimises the restricted deviance for a shape, or its robust counterpart; nil without degrees
  /// of freedom.
  private func scale(
    of shape: [Double], _ predictions: [Double], _ parameterCount: Int, time: Double? = nil
  ) -> Double? {
    let residuals = standardised(
      predictions, shape, time: time ?? self.time, keepsAll: loss != .linear)
    var sumOfSquares = residuals.squares
    if let size { sumOfSquares += Double(size.degreesOfFreedom) * size.sd * size.sd }
    let degreesOfFreedom = degreesOfFreedom(
      of: loss == .linear ? residuals.count : positiveCount, parameterCount: parameterCount)
    guard degreesOfFreedom > 0 else { return nil }
    let scale =
      if loss != .linear {
        RobustScale.scale(of: residuals.counted, degreesOfFreedom: degreesOfFreedom) ?? 0
      } else if residuals.censored.isEmpty {
        (sumOfSquares / Double(degreesOfFreedom)).squareRoot()
      } else {
        likelihoodScale(sumOfSquares, degreesOfFreedom, residuals.censored)
      }
    return max(scale, smallestSD ?? Self.smallestScale)
  }

  /// Returns the degrees of freedom of the scale: n - p, plus those of a prior.
  func degreesOfFreedom(of count: Int, parameterCount: Int) -> Int {
    size.map { $0.degreesOfFreedom + max(0, count - parameterCount) } ?? count - parameterCount
  }

  /// Returns the scale with censored readings: the root of the derivative of the deviance by ln s.
  ///
  /// - Parameter excesses: The prediction minus the limit of the censored readings, over the shape.
  private func likelihoodScale(
    _ sumOfSquares: Double, _ degreesOfFreedom: Int, _ excesses: [Double]
  ) -> Double {
    func slope(_ logScale: Double) -> Double {
      let scale = Double.exp(logScale)
      let censored = excesses.reduce(0) { sum, excess in
        let z = -excess / scale
        return sum + BelowLimit.hazard(z) * z
      }
      return Double(degreesOfFreedom) - sumOfSquares / (scale * scale) + censored
    }
    let uncensored = max(
      (sumOfSquares / Double(degreesOfFreedom)).squareRoot(), Self.smallestScale)
    let largest = excesses.reduce(uncensored) { max($0, abs($1)) }
    // For tiny scales the slope goes to minus infinity; for scales beyond all residuals to the
    // degrees of freedom.
    let root = try? BracketedRoot.find(
      from: .log(uncensored / 10), to: .log(largest * 1e4), absoluteTolerance: 1e-12,
      relativeTolerance: 0, of: slope)
    return (root ?? nil).map { .exp($0) } ?? uncensored
  }

  /// Residuals in standard deviations.
  private struct Standardised {
    /// The number of residuals that contribute by their square.
    var count = 0
    /// The sum of their squares.
    var squares = 0.0
    /// The residuals themselves, if requested.
    var counted: [Double] = []
    /// The residuals of readings that contribute by their censored likelihood.
    var censored: [Double] = []
  }

  /// Returns residuals in units of the shape times a scale.
  ///
  /// - Parameter keepsAll: Whether to keep the residuals besides their sums.
  private func standardised(
    _ predictions: [Double], _ shape: [Double], times scale: Double = 1, time: Double,
    keepsAll: Bool = false
  ) -> Standardised {
    let all = observations.all
    func residual(_ index: Int) -> Double {
      (predictions[index] - all[index].level) / (shape[index] * scale)
    }
    let whitened =
      time > 0 ? chain.map { $0.whitened(all.indices.map(residual), time: time) } : nil
    var result = Standardised()
    for index in all.indices {
      let residual = whitened?[index] ?? residual(index)
      let isCensored = all[index].isCensored
      if isCensored, hasLikelihood {
        result.censored.append(residual)
      } else if !isCensored || residual > 0 {
        // One-sided: a prediction above the limit is a residual like any other.
        result.count += 1
        result.squares += residual * residual
        if keepsAll { result.counted.append(residual) }
      }
    }
    return result
  }
}

// MARK: - Robust deviations

extension NoiseModel {
  /// The number of readings that determine a robust scale: those above zero. A zero is like a reading below detection,
  /// and once the curve is at zero its residual is exactly zero.
  var positiveCount: Int { observations.all.count { !$0.isCensored && $0.level > 0 } }

  /// Returns the noise for predictions, the robust standard deviations of their residuals (``RobustScale``), and the
  /// logarithm of the geometric mean of these, which an S-estimate minimises; nil if there are too few readings.
  ///
  /// The standard deviations are those of the noise if its scale is estimated; given ones are rescaled.
  func robustDeviations(
    of predictions: [Double], parameterCount: Int
  ) -> (noise: Noise, deviations: [Double], logarithm: Double)? {
    guard let noise = noise(for: predictions, parameterCount: parameterCount) else { return nil }
    var deviations = noise.standardDeviations
    if !noise.isScaleEstimated {
      guard let scale = scale(of: deviations, predictions, parameterCount) else { return nil }
      deviations = deviations.map { $0 * scale }
    }
    return (noise, deviations, meanLogarithm(deviations))
  }

  /// Returns the mean logarithm of the standard deviations of readings above zero.
  private func meanLogarithm(_ deviations: [Double]) -> Double {
    let sum = zip(observations.all, deviations).reduce(0) { sum, pair in
      pair.0.isCensored || pair.0.level <= 0 ? sum : sum + .log(pair.1)
    }
    return sum / Double(max(1, positiveCount))
  }
}

// MARK: - Deviance

extension NoiseModel {
  /// Returns the restricted deviance without the constant n ln 2 pi; for `parameterCount` = 0 it is -2 ln L without that constant.
  func deviance(of predictions: [Double], _ noise: Noise, parameterCount: Int) -> Double {
    let residuals = standardised(
      predictions, noise.shape, times: noise.scale, time: noise.correlation?.time ?? 0)
    var sum = residuals.squares
    sum += residuals.censored.reduce(0) { $0 + BelowLimit.cost(-$1) }
    var logDeviations = 0.0
    var quantifiedLogDeviations = 0.0
    // The last logarithm is reused: often all standard deviations are the same.
    var deviation = 1.0
    var logarithm = 0.0
    for (index, observation) in observations.all.enumerated() {
      let next = noise.shape[index] * noise.scale
      if next != deviation {
        deviation = next
        logarithm = .log(next)
      }
      if !observation.isCensored { quantifiedLogDeviations += logarithm }
      if counts(observation, predictions[index]) { logDeviations += logarithm }
    }
    sum += 2 * logDeviations + (noise.correlation?.logDeterminants ?? 0)
    guard noise.isScaleEstimated else { return sum }
    let scale = quantifiedLogDeviations / Double(max(1, observations.quantifiedCount))
    guard let size else { return sum - 2 * Double(parameterCount) * scale }
    let nu = Double(size.degreesOfFreedom)
    let ratio = size.sd / noise.scale
    let free = Double(min(parameterCount, observations.quantifiedCount))
    return sum - 2 * free * scale + nu * (2 * .log(noise.scale) + ratio * ratio)
  }

  /// Returns true if an observation contributes by a residual: if it is quantified, or censored on one side and exceeded.
  private func counts(_ observation: Observations.Observation, _ prediction: Double) -> Bool {
    !observation.isCensored || (!hasLikelihood && prediction > observation.level)
  }

  /// Returns the number of readings with a contribution: quantified ones, and censored ones with a likelihood or residual.
  func effectiveCount(_ predictions: [Double]) -> Int {
    zip(observations.all, predictions).count { observation, prediction in
      (observation.isCensored && hasLikelihood) || counts(observation, prediction)
    }
  }
}
