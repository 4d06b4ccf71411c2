import RealModule

/// How the evidence is divided between models that were fitted to the same readings.
///
/// With Delta the difference of a model's AICc from the lowest, its weight is exp(-Delta/2) over the
/// sum of that for all models. Source: Burnham & Anderson (2002), section 2.9.
struct AkaikeWeights {
  /// AICc less the lowest; nil where there is none.
  let differences: [Double?]
  /// The weights, which add up to 1; nil where there is no AICc.
  let weights: [Double?]

  /// Divides the evidence by AICc; a model without one gets no part.
  init(_ criteria: [Double?]) {
    let lowest = criteria.compactMap(\.self).min() ?? 0
    let differences = criteria.map { criterion in criterion.map { $0 - lowest } }
    let likelihoods = differences.map { difference in difference.map { Double.exp(-$0 / 2) } }
    let sum = likelihoods.reduce(0) { $0 + ($1 ?? 0) }
    self.differences = differences
    weights = likelihoods.map { likelihood in likelihood.map { $0 / sum } }
  }
}
