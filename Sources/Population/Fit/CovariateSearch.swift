import Estimation
import RealModule
package import StudyData

/// Which covariates a population needs, by likelihood ratio: forward, each time the one that lowers -2 ln L most, as long
/// as p is below a limit; then backward, each time the one that is missed least, down to a stricter limit (Mould & Upton
/// 2013, CPT Pharmacometrics Syst Pharmacol 2:e38).
///
/// Effects that are chosen so are too large on average, and their intervals too narrow, since the choice is not in them.
/// So the model with all candidates is fitted, too: its intervals know of no choice.
package struct CovariateSearch: Sendable {
  /// A covariate that was tried.
  package struct Step: Hashable, Sendable {
    /// What was done with it.
    package enum Phase: String, CaseIterable, Codable, Sendable { case forward, backward }

    /// In which part of the search.
    package let phase: Phase
    /// Which round of all, from 1.
    package let round: Int
    /// The covariate that was added or taken away.
    package let covariate: PopulationModel.Covariate
    /// By how much -2 ln L is lower with it.
    package let fall: Double
    /// The p value, with one degree of freedom; nil if the fit did not converge.
    package let pValue: Double?
    /// Whether it was added or taken away for good.
    package let isTaken: Bool
  }

  /// The limits of p.
  package struct Limits: Hashable, Sendable {
    /// Below which a covariate is added.
    package var forward = 0.05
    /// From which on one is taken away.
    package var backward = 0.01

    /// The usual ones.
    package init() {}
  }

  /// All trials in their order.
  package let steps: [Step]
  /// The fit with the covariates that were kept.
  package let fit: PopulationFit
  /// The fit with all candidates.
  package let full: PopulationFit
  /// All candidates against none of them.
  package let ofAll: NestedFitsTest
  /// The candidates.
  package let candidates: [PopulationModel.Covariate]
  /// The limits.
  package let limits: Limits

  /// The chance that at least one of the candidates would enter if none had an effect and they were independent.
  package var chanceOfFalseEntry: Double { 1 - .pow(1 - limits.forward, candidates.count) }

  /// The covariates that were kept.
  package var kept: [PopulationModel.Covariate] {
    fit.model.covariates.filter(candidates.contains)
  }

  /// Searches.
  ///
  /// - `model`: With the covariates that are not in question.
  /// - Throws: ``PopulationFailure``.
  package init(
    _ study: [Series], instrument: Instrument?, _ model: PopulationModel,
    _ candidates: [PopulationModel.Covariate], _ limits: Limits, options: PopulationFit.Options
  ) throws(PopulationFailure) {
    let quick = options.withoutUncertainty
    // A fit with a covariate begins at that without, or with one more, and has other starts if it ends above.
    func tried(
      _ covariates: [PopulationModel.Covariate], from fit: PopulationFit
    ) throws(PopulationFailure) -> PopulationFit {
      var own = quick
      own.starts = 1
      own.beginning = fit.values
      own.beginning?.coefficients = covariates.map { covariate in
        fit.model.covariates.firstIndex(of: covariate).map { fit.values.coefficients[$0] } ?? 0
      }
      var model = model
      model.covariates = covariates
      let found = try PopulationFit(study, instrument: instrument, model: model, options: own)
      let isLarger = covariates.count > fit.model.covariates.count
      guard !found.isConverged || isLarger && found.objective > fit.objective + 0.01 else {
        return found
      }
      let again = try PopulationFit(study, instrument: instrument, model: model, options: quick)
      return again.objective < found.objective ? again : found
    }
    let first = try PopulationFit(study, instrument: instrument, model: model, options: quick)
    var (current, round) = (first, 0)
    var steps: [Step] = []
    // Tries to add or take away each, and does so with the best if its p value allows it.
    func step(
      _ phase: Step.Phase, _ choices: [PopulationModel.Covariate]
    ) throws(PopulationFailure) -> PopulationModel.Covariate? {
      round += 1
      var trials: [(covariate: PopulationModel.Covariate, fit: PopulationFit)] = []
      for covariate in choices {
        let before = current.model.covariates
        let after = phase == .forward ? before + [covariate] : before.filter { $0 != covariate }
        trials.append((covariate, try tried(after, from: current)))
      }
      let tests = trials.map { _, fit in
        let fall = (current.objective - fit.objective) * (phase == .forward ? 1 : -1)
        return (fall: fall, p: LikelihoodRatio.pValue(fall, numbers: 1, variances: 0))
      }
      let best = trials.indices.min { trials[$0].fit.objective < trials[$1].fit.objective }
      let taken = best.flatMap { index in
        tests[index].p.flatMap { p in
          (phase == .forward ? p < limits.forward : p >= limits.backward) ? index : nil
        }
      }
      for (index, trial) in trials.enumerated() {
        steps.append(
          Step(
            phase: phase, round: round, covariate: trial.covariate, fall: tests[index].fall,
            pValue: trial.fit.isConverged ? tests[index].p : nil, isTaken: index == taken))
      }
      guard let taken else { return nil }
      current = trials[taken].fit
      return trials[taken].covariate
    }
    var added: [PopulationModel.Covariate] = []
    while added.count < candidates.count,
      let covariate = try step(.forward, candidates.filter { !added.contains($0) })
    {
      added.append(covariate)
    }
    while !added.isEmpty, let covariate = try step(.backward, added) {
      added.removeAll { $0 == covariate }
    }
    self.steps = steps
    var (chosen, whole) = (model, model)
    chosen.covariates += candidates.filter(added.contains)
    whole.covariates += candidates
    fit = try PopulationFit(study, instrument: instrument, model: chosen, options: options)
    full = try PopulationFit(study, instrument: instrument, model: whole, options: options)
    ofAll = try NestedFitsTest(first.likelihood, full.likelihood)
    self.candidates = candidates
    self.limits = limits
  }
}
