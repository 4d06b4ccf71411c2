import GSL
import RealModule

/// How the standard deviations of the readings follow from predictions and residuals.
///
/// The parameters of the error model are those that minimise the restricted deviance
///
///     sum over readings (2 ln sigma + u^2) - 2 sum over censored ln Phi - 2 p ln s,
///
/// u being residuals in standard deviations, p the number of parameters lost to the curve and s the
/// geometric mean of sigma over the quantified readings. For additive errors without censoring that
/// is the familiar s^2 = RSS / (n - p). Source: pseudo-likelihood, Davidian & Giltinan (1995),
/// section 2.4.2; the last term stands for the determinant of a restricted likelihood, of which it
/// is what depends on the size of sigma. With a ``Loss`` the scale is a ``RobustScale`` instead.
struct NoiseModel: Hashable, Sendable {
  let error: ErrorModel
  let loss: Loss
  /// The tuning constant of the loss, in residual SDs.
  let tuning: Double
  let instrument: ObservationModel
  let censoring: Censoring
  private(set) var observations: Observations
  /// Which errors go together; nil if they are independent.
  var chain: CorrelationChain?
  /// What is known of the size of additive errors before there are readings; nil for nothing.
  var size: ErrorSizePrior?
  /// The time constant in h with which residuals are whitened before their scale is estimated.
  var time = 0.0

  /// A scale below this is a perfect fit but for rounding, in g/kg or as a fraction.
  static let smallestScale = 1e-9

  /// The smallest standard deviation at zero that is estimated, in g/kg; nil where none is, or where
  /// none is needed.
  var smallestSD: Double? {
    guard error.isEstimated, error.hasSD, error.hasRatio || loss != .linear else { return nil }
    return instrument.smallestSD
  }

  /// Whether that is what decides on a scale.
  func isAtSmallest(_ noise: Noise) -> Bool {
    smallestSD.map { noise.isScaleEstimated && noise.scale <= $0 } ?? false
  }

  /// Whether censored readings count by their likelihood.
  var hasLikelihood: Bool { censoring == .m3 && observations.hasCensored }

  /// Whether standard deviations can only be had from predictions, round after round.
  var needsPredictions: Bool {
    !error.isConstant || loss != .linear || hasLikelihood || chain != nil
  }

  /// Standard deviations before anything is predicted: measured concentrations stand in for
  /// predictions, and what is to be estimated has some value, since only ratios count. Beside a prior
  /// sizes count as well, and the value is one that breathalysers have.
  func preliminary(besidePrior: Bool) -> Noise {
    known(
      observations.all.lazy.map(\.level),
      error.observation(unit: besidePrior ? 0.05 : 1, ratio: 5, instrument))
  }

  /// The noise for predictions.
  ///
  /// - Parameters:
  ///   - predictions: One for each observation.
  ///   - lost: The number p of parameters lost to the curve; 0 for the maximum of the likelihood.
  /// - Returns: nil if there are too few readings for what is to be estimated.
  func noise(for predictions: [Double], lost: Int) -> Noise? {
    if error.hasRatio { return combined(predictions, lost, ratios: ratios) }
    let model = error.observation(instrument)
    return error.estimatedCount == 0
      ? known(predictions, model) : scaled(predictions, lost, model)
  }

  /// The noise of the same shape with the scale that fits predictions best; the same noise if its
  /// scale is known. Where errors go together, their time constant is estimated anew, too.
  func rescaled(_ noise: Noise, for predictions: [Double], lost: Int) -> Noise {
    noise.correlation == nil
      ? rescaledOnly(noise, for: predictions, lost: lost)
      : bestTime(noise, for: predictions, lost: lost)
  }

  /// The noise of the same shape and correlation with the scale that fits predictions best.
  func rescaledOnly(_ noise: Noise, for predictions: [Double], lost: Int) -> Noise {
    guard noise.isScaleEstimated, let scale = scale(of: noise.shape, predictions, lost) else {
      return noise
    }
    let change = scale / noise.scale
    var noise = noise
    noise.scale = scale
    noise.sd = noise.sd.map { $0 * change }
    noise.cv = noise.cv.map { $0 * change }
    return noise
  }

  /// The same model of other readings.
  func replicate(_ observations: Observations, _ chain: CorrelationChain? = nil) -> NoiseModel {
    var model = self
    model.observations = observations
    model.chain = chain
    return model
  }

  /// The standard deviations of predictions by a model of which nothing is estimated.
  private func known(_ predictions: some Collection<Double>, _ model: ObservationModel) -> Noise {
    // The parameters of an instrument are not those of a fit.
    let isOwn = error != .instrument
    return Noise(
      shape: predictions.map(model.deviation), scale: 1, isScaleEstimated: false,
      sd: isOwn && model.sd > 0 ? model.sd : nil, cv: isOwn && model.cv > 0 ? model.cv : nil)
  }

  /// Those by a model whose scale is estimated.
  private func scaled(_ predictions: [Double], _ lost: Int, _ model: ObservationModel) -> Noise? {
    let shape = predictions.map(model.deviation)
    return scale(of: shape, predictions, lost).map { scale in
      Noise(
        shape: shape, scale: scale, isScaleEstimated: true,
        sd: model.sd > 0 ? model.sd * scale : nil, cv: model.cv > 0 ? model.cv * scale : nil)
    }
  }

  /// The ratios b / a among which that of the combined model is looked for, in kg/g.
  ///
  /// Beyond, one of the two is all: with the least of them b is a ten-thousandth of a at 1 g/kg, and with
  /// the largest, as a has its floor, b is at least 10. No resolution that a study may state makes the
  /// range empty or endless.
  var ratios: ClosedRange<Double> { 1e-4...min(max(1e3, 10 / instrument.smallestSD), 1e12) }

  /// Both parameters of the combined model: the best scale for each ratio, and the best ratio.
  func combined(
    _ predictions: [Double], _ lost: Int, ratios: ClosedRange<Double>
  ) -> Noise? {
    func noise(_ logRatio: Double) -> Noise? {
      scaled(predictions, lost, error.observation(ratio: .exp(logRatio), instrument))
    }
    let (low, high) = (Double.log(ratios.lowerBound), Double.log(ratios.upperBound))
    // Two points for each factor of e.
    let points = Int(2 * (high - low)) + 3
    let best = try? BracketedMinimum.find(from: low, to: high, points: points) { logRatio in
      guard let noise = noise(logRatio) else { return .infinity }
      return loss == .linear
        ? deviance(of: predictions, noise, lost: lost) : logSpread(noise.standardDeviations)
    }
    return best.flatMap { noise($0.x) }
  }
}

// MARK: - Scale

extension NoiseModel {
  /// The scale that minimises the restricted deviance for a shape, or its robust counterpart.
  private func scale(of shape: [Double], _ predictions: [Double], _ lost: Int) -> Double? {
    let residuals = standardised(predictions, shape, time: time, keepsAll: loss != .linear)
    var sumOfSquares = residuals.squares
    if let size { sumOfSquares += Double(size.degreesOfFreedom) * size.sd * size.sd }
    let degreesOfFreedom = degreesOfFreedom(
      of: loss == .linear ? residuals.count : positiveCount, lost: lost)
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

  /// The degrees of freedom of the scale of so many readings: n - p, and those of prior knowledge.
  func degreesOfFreedom(of count: Int, lost: Int) -> Int {
    size.map { $0.degreesOfFreedom + max(0, count - lost) } ?? count - lost
  }

  /// The root of the derivative of the deviance by ln s.
  ///
  /// - Parameter excesses: Predicted minus limit of the censored readings, over the shape.
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
    /// Of the readings that count as such: how many there are, and the sum of their squares.
    var count = 0
    var squares = 0.0
    /// These themselves, if they are asked for.
    var counted: [Double] = []
    /// Of those that count by their likelihood.
    var censored: [Double] = []
  }

  /// Residuals in units of the shape times a scale.
  ///
  /// - Parameter keepsAll: Whether more than sums is needed.
  private func standardised(
    _ predictions: [Double], _ shape: [Double], times scale: Double = 1, time: Double,
    keepsAll: Bool = false
  ) -> Standardised {
    let all = observations.all
    func residual(_ index: Int) -> Double {
      (predictions[index] - all[index].level) / (shape[index] * scale)
    }
    let whitened = chain.map { $0.whitened(all.indices.map(residual), time: time) }
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

// MARK: - Robust spread

extension NoiseModel {
  /// How many readings determine the size of errors if not all can be trusted: those above
  /// zero. A zero says no more than one below detection, that there was no alcohol to be seen, and
  /// where the curve has stopped it is met exactly.
  var positiveCount: Int { observations.all.count { !$0.isCensored && $0.level > 0 } }

  /// The noise for predictions, the standard deviations that their residuals have by a
  /// ``RobustScale``, and the logarithm of the geometric mean of these, by which an S-estimate is
  /// found; nil if there are too few readings.
  ///
  /// The standard deviations are those of the noise, unless the noise is known and not believed.
  func spread(
    of predictions: [Double], lost: Int
  ) -> (noise: Noise, deviations: [Double], logarithm: Double)? {
    guard let noise = noise(for: predictions, lost: lost) else { return nil }
    var deviations = noise.standardDeviations
    if !noise.isScaleEstimated {
      guard let scale = scale(of: deviations, predictions, lost) else { return nil }
      deviations = deviations.map { $0 * scale }
    }
    return (noise, deviations, logSpread(deviations))
  }

  /// The mean of the logarithms of the standard deviations of readings above zero.
  private func logSpread(_ deviations: [Double]) -> Double {
    let sum = zip(observations.all, deviations).reduce(0) { sum, pair in
      pair.0.isCensored || pair.0.level <= 0 ? sum : sum + .log(pair.1)
    }
    return sum / Double(max(1, positiveCount))
  }
}

// MARK: - Deviance

extension NoiseModel {
  /// The restricted deviance, without the constant n ln 2 pi; with nothing lost, -2 ln L without it.
  func deviance(of predictions: [Double], _ noise: Noise, lost: Int) -> Double {
    let residuals = standardised(
      predictions, noise.shape, times: noise.scale, time: noise.correlation?.time ?? 0)
    var sum = residuals.squares
    sum += residuals.censored.reduce(0) { $0 + BelowLimit.cost(-$1) }
    var logDeviations = 0.0
    var quantifiedLogDeviations = 0.0
    // Often they are all the same.
    var (deviation, logarithm) = (1.0, 0.0)
    for (index, observation) in observations.all.enumerated() {
      let next = noise.shape[index] * noise.scale
      if next != deviation { (deviation, logarithm) = (next, .log(next)) }
      if !observation.isCensored { quantifiedLogDeviations += logarithm }
      if counts(observation, predictions[index]) { logDeviations += logarithm }
    }
    sum += 2 * logDeviations + (noise.correlation?.logDeterminants ?? 0)
    guard noise.isScaleEstimated else { return sum }
    let scale = quantifiedLogDeviations / Double(max(1, observations.quantifiedCount))
    guard let size else { return sum - 2 * Double(lost) * scale }
    let nu = Double(size.degreesOfFreedom)
    let ratio = size.sd / noise.scale
    let free = Double(min(lost, observations.quantifiedCount))
    return sum - 2 * free * scale + nu * (2 * .log(noise.scale) + ratio * ratio)
  }

  /// Whether an observation counts by a residual: unless it is censored, and then on one side.
  private func counts(_ observation: Observations.Observation, _ prediction: Double) -> Bool {
    !observation.isCensored || (!hasLikelihood && prediction > observation.level)
  }

  /// How many readings count: all quantified ones, and censored ones that have a say.
  func effectiveCount(_ predictions: [Double]) -> Int {
    zip(observations.all, predictions).count { observation, prediction in
      (observation.isCensored && hasLikelihood) || counts(observation, prediction)
    }
  }
}
