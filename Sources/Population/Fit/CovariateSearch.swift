package import AlcoholKinetics
import Estimation
import RealModule
package import StudyData

/// Stepwise covariate modelling by likelihood ratio (Mould & Upton 2013, CPT Pharmacometrics Syst Pharmacol 2:e38).
///
/// Forward inclusion adds the covariate that lowers -2 ln L most while p is below a limit. Backward elimination then removes
/// the one whose removal raises it least, by a stricter limit. Effects selected so are too large on average, and their
/// intervals too narrow, as they ignore the selection. The full model with all candidates is therefore fitted as well.
package struct CovariateSearch: Sendable {
  /// A covariate that was tried.
  package struct Step: Hashable, Sendable {
    /// The direction of the search.
    package enum Phase: String, CaseIterable, Codable, Sendable { case forward, backward }

    /// The direction of the search.
    package let phase: Phase
    /// The round, counted from 1 over both directions.
    package let round: Int
    /// The covariate whose addition or removal was tried.
    package let covariate: PopulationModel.Covariate
    /// The decrease of -2 ln L by the covariate.
    package let fall: Double
    /// The p value, with one degree of freedom; nil if the fit did not converge.
    package let pValue: Double?
    /// Whether the addition or removal was adopted.
    package let isTaken: Bool
  }

  /// The limits of p.
  package struct Limits: Hashable, Sendable {
    /// A covariate is added if p is below this.
    package var forward = 0.05
    /// A covariate is removed if p is this or more.
    package var backward = 0.01

    /// The defaults: 0.05 and 0.01.
    package init() {}
  }

  /// All trials in their order.
  package let steps: [Step]
  /// The fit with the covariates that were kept.
  package let fit: PopulationFit
  /// The fit with all candidates.
  package let full: PopulationFit
  /// The test of all candidates against none.
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

  /// Runs the search.
  ///
  /// - `model`: The base model, with the covariates that are always kept.
  /// - Throws: ``Problem``.
  package init(
    _ study: [Series], instrument: Instrument?, _ model: PopulationModel,
    _ candidates: [PopulationModel.Covariate], _ limits: Limits, options: PopulationFit.Options
  ) throws(Problem) {
    let quick = options.withoutUncertainty
    // Each fit starts at the values of the current model. If it does not converge, or a larger model ends above the
    // smaller one, that was a local minimum, and the usual starts are tried.
    func tried(
      _ covariates: [PopulationModel.Covariate], from fit: PopulationFit
    ) throws(Problem) -> PopulationFit {
      var warm = quick
      warm.starts = 1
      warm.startValues = fit.values
      warm.startValues?.coefficients = covariates.map { covariate in
        fit.model.covariates.firstIndex(of: covariate).map { fit.values.coefficients[$0] } ?? 0
      }
      var model = model
      model.covariates = covariates
      let next = try PopulationFit(study, instrument: instrument, model: model, options: warm)
      let isLarger = covariates.count > fit.model.covariates.count
      guard !next.isConverged || isLarger && next.objective > fit.objective + 0.01 else {
        return next
      }
      let again = try PopulationFit(study, instrument: instrument, model: model, options: quick)
      return again.objective < next.objective ? again : next
    }
    let first = try PopulationFit(study, instrument: instrument, model: model, options: quick)
    var current = first
    var round = 0
    var steps: [Step] = []
    // Tries to add or remove each choice, and adopts the best if its p value allows.
    func step(
      _ phase: Step.Phase, _ choices: [PopulationModel.Covariate]
    ) throws(Problem) -> PopulationModel.Covariate? {
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
    var chosen = model
    var whole = model
    chosen.covariates += candidates.filter(added.contains)
    whole.covariates += candidates
    fit = try PopulationFit(study, instrument: instrument, model: chosen, options: options)
    full = try PopulationFit(study, instrument: instrument, model: whole, options: options)
    ofAll = try NestedFitsTest(first.likelihood, full.likelihood)
    self.candidates = candidates
    self.limits = limits
  }
}
