import AlcoholKinetics
package import Estimation
import GSL

/// How much better another model fits all series of a study together than Widmark's without a lag.
///
/// AICc of a short series hardly ever pays for a parameter; the same small gain in every series does.
/// The fall of -2 ln L is summed up over series. If Widmark's model is right, a parameter more lowers
/// the sum of squares of n readings by a factor that has the beta distribution of nu / 2 and 1 / 2, nu
/// being n less the number of parameters; mean and variance of the fall follow from digamma and
/// trigamma functions (Mardia, Kent & Bibby 1979, section 3.7), and the sum is compared with a multiple
/// of chi-squared that has both (Satterthwaite 1946). A lag cannot be below zero, nor K_m, which makes
/// the p value too large rather than too small.
package struct ModelEvidence: Codable, Hashable, Sendable {
  /// The other model, which has one parameter more.
  package let candidate: ModelCandidate
  /// How many series both models fit; as many parameters more has the other.
  package let series: Int
  /// By how much the sum of -2 ln L falls.
  package let fall: Double
  /// By how much it would fall if Widmark's model were right.
  package let expected: Double
  /// The probability of a fall as large as this, if it were.
  package let pValue: Double
  /// In how many series AICc chooses the other model of the two.
  package let chosen: Int

  /// Whether the other model is better, by more than can be an accident.
  package var isNoteworthy: Bool { pValue < StudyDiagnostics.rarity }

  /// Sums up the candidates that have one parameter more than Widmark's model without a lag.
  ///
  /// - Returns: One for the lag and one for Michaelis-Menten elimination; none of a candidate for which
  ///   there are fewer than ``StudyDiagnostics/fewestSeries`` series.
  package static func all(of selections: [ModelSelection]) -> [ModelEvidence] {
    var sums = ModelEvidenceSums()
    for selection in selections { sums.add(selection) }
    return sums.evidence
  }
}

/// The sums behind ``ModelEvidence``, which do not grow with the study.
package struct ModelEvidenceSums: Sendable {
  private struct Sum {
    var series = 0
    var fall = 0.0
    var mean = 0.0
    var variance = 0.0
    var chosen = 0
  }

  private static let base = ModelCandidate(model: .widmark, hasLag: false)
  /// The lag, and what has Widmark's model as its limit: with others there is no likelihood ratio.
  private static let others = ModelCandidate.all.filter { candidate in
    candidate.hasLag
      ? candidate.model == base.model : candidate.model.kinetics.hasWidmarkAsLimit
  }

  private var sums = [Sum](repeating: Sum(), count: others.count)

  package init() {}

  /// Takes in a series; one that a model does not fit adds nothing about that model.
  package mutating func add(_ selection: ModelSelection) {
    guard let base = selection.minimum(of: Self.base) else { return }
    for (index, other) in Self.others.enumerated() {
      guard let fit = selection.minimum(of: other), fit.readings == base.readings,
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

  /// What the reader of the study should know.
  package var warnings: [StudyWarning] {
    evidence.filter(\.isNoteworthy).map { .betterModel($0) }
  }

  /// What is known so far, of each model with enough series.
  package var evidence: [ModelEvidence] {
    zip(Self.others, sums).compactMap { candidate, sum in
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
  /// The criteria of a candidate whose search ended in a minimum; nil if there are none.
  fileprivate func minimum(of candidate: ModelCandidate) -> InformationCriteria? {
    guard let fit = candidates.first(where: { $0.candidate == candidate }),
      case .success(let value) = fit.result, value.isConverged
    else { return nil }
    return value.criteria
  }
}
