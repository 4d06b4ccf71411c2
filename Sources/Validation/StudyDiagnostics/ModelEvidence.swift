import AlcoholKinetics
package import Estimation
import GSL

/// Test over all series of a study of another model against Widmark's without a lag.
///
/// AICc of a short series rarely supports another parameter; the same small gain in every series
/// does. The fall of -2 ln L is summed over series. If Widmark's model is right, one more parameter
/// multiplies the sum of squares of n readings by a factor with the beta distribution of nu / 2 and
/// 1 / 2, nu being n minus the number of parameters; the mean and variance of the fall follow from
/// digamma and trigamma functions (Mardia, Kent & Bibby 1979, section 3.7). The sum is compared
/// with a multiple of chi-squared with the same moments (Satterthwaite 1946). Neither a lag nor K_m
/// can be negative, which makes the test conservative.
package struct ModelEvidence: Codable, Hashable, Sendable {
  /// The other model, which has one parameter more.
  package let candidate: ModelCandidate
  /// The number of series that both models fit, which is also the number of extra parameters.
  package let series: Int
  /// The fall of the sum of -2 ln L.
  package let fall: Double
  /// The expected fall if Widmark's model is right.
  package let expected: Double
  /// The probability of a fall at least this large if Widmark's model is right.
  package let pValue: Double
  /// The number of series for which AICc prefers the other model.
  package let chosen: Int

  /// Whether the other model is significantly better.
  package var isNoteworthy: Bool { pValue < StudyDiagnostics.rarity }

  /// Tests the candidates with one parameter more than Widmark's model without a lag.
  ///
  /// - Returns: One result for the lag and one for Michaelis-Menten elimination; none for a
  ///   candidate with fewer than ``StudyDiagnostics/fewestSeries`` series.
  package static func all(of selections: [ModelSelection]) -> [ModelEvidence] {
    var sums = ModelEvidenceSums()
    for selection in selections { sums.add(selection) }
    return sums.evidence
  }
}

/// Sums behind ``ModelEvidence``, in constant memory.
package struct ModelEvidenceSums: Sendable {
  private struct Sum {
    var series = 0
    var fall = 0.0
    var mean = 0.0
    var variance = 0.0
    var chosen = 0
  }

  private static let base = ModelCandidate(model: .widmark, hasLag: false)
  /// The lag, and models with Widmark's as a limit: others are not nested, and have no likelihood
  /// ratio.
  private static let alternatives = ModelCandidate.all.filter { candidate in
    candidate.hasLag
      ? candidate.model == base.model : candidate.model.kinetics.hasWidmarkAsLimit
  }

  private var sums = [Sum](repeating: Sum(), count: alternatives.count)

  package init() {}

  /// Adds a series; one that a model does not fit adds nothing about that model.
  package mutating func add(_ selection: ModelSelection) {
    guard let base = selection.minimum(of: Self.base) else { return }
    for (index, candidate) in Self.alternatives.enumerated() {
      guard let fit = selection.minimum(of: candidate), fit.readings == base.readings,
        fit.parameters == base.parameters + 1
      else { continue }
      let n = Double(fit.readings)
      // The scale of the noise is profiled out and loses no degree of freedom here.
      let left = n - Double(fit.parameters - 1)
      guard let upper = PolyGamma.digamma((left + 1) / 2), let lower = PolyGamma.digamma(left / 2),
        let narrow = PolyGamma.trigamma((left + 1) / 2), let wide = PolyGamma.trigamma(left / 2)
      else { continue }
      sums[index].series += 1
      sums[index].fall += base.deviance - fit.deviance
      sums[index].mean += n * (upper - lower)
      sums[index].variance += n * n * (wide - narrow)
      if let old = base.aicc, let new = fit.aicc, new < old { sums[index].chosen += 1 }
    }
  }

  /// The warnings for the study.
  package var warnings: [StudyWarning] {
    evidence.filter(\.isNoteworthy).map { .betterModel($0) }
  }

  /// The tests so far, of each model with enough series.
  package var evidence: [ModelEvidence] {
    zip(Self.alternatives, sums).compactMap { candidate, sum in
      guard sum.series >= StudyDiagnostics.fewestSeries, sum.variance > 0,
        let distribution = try? ChiSquared(
          degreesOfFreedom: 2 * sum.mean * sum.mean / sum.variance),
        let tail = try? distribution.upperTail(max(0, 2 * sum.mean * sum.fall / sum.variance))
      else { return nil }
      return ModelEvidence(
        candidate: candidate, series: sum.series, fall: sum.fall, expected: sum.mean, pValue: tail,
        chosen: sum.chosen)
    }
  }
}

extension ModelSelection {
  /// The criteria of a candidate whose search converged; nil otherwise.
  fileprivate func minimum(of candidate: ModelCandidate) -> InformationCriteria? {
    guard let fit = candidates.first(where: { $0.candidate == candidate }),
      case .success(let value) = fit.result, value.isConverged
    else { return nil }
    return value.criteria
  }
}
