import Estimation
import RealModule
public import StudyData

/// Which covariates a population needs, by likelihood ratio: forward, each time the one that lowers -2 ln L most, as long
/// as p is below a limit; then backward, each time the one that is missed least, down to a stricter limit (Mould & Upton
/// 2013, CPT Pharmacometrics Syst Pharmacol 2:e38).
///
/// Effects that are chosen so are too large on average, and their intervals too narrow, since the choice is not in them.
/// So the model with all candidates is fitted, too: its intervals know of no choice.
public struct CovariateSearch: Sendable {
  /// A covariate that was tried.
  public struct Step: Hashable, Sendable {
    /// What was done with it.
    public enum Phase: String, CaseIterable, Codable, Sendable { case forward, backward }

    /// In which part of the search.
    public let phase: Phase
    /// Which round of all, from 1.
    public let round: Int
    /// The covariate that was added or taken away.
    public let covariate: PopulationModel.Covariate
    /// By how much -2 ln L is lower with it.
    public let fall: Double
    /// The p value, with one degree of freedom; nil if the fit did not converge.
    public let pValue: Double?
    /// Whether it was added or taken away for good.
    public let isTaken: Bool
  }

  /// The limits of p.
  public struct Limits: Hashable, Sendable {
    /// Below which a covariate is added.
    public var forward = 0.05
    /// From which on one is taken away.
    public var backward = 0.01

    /// The usual ones.
    public init() {}
  }

  /// All trials in their order.
  public private(set) var steps: [Step] = []
  /// The fit with the covariates that were kept.
  public private(set) var fit: PopulationFit
  /// The fit with all candidates.
  public let full: PopulationFit
  /// All candidates against none of them.
  public let ofAll: NestedFitsTest
  /// The candidates.
  public let candidates: [PopulationModel.Covariate]
  /// The limits.
  public let limits: Limits

  /// The chance that at least one of the candidates would enter if none had an effect and they were independent.
  public var chanceOfFalseEntry: Double { 1 - .pow(1 - limits.forward, candidates.count) }

  /// The covariates that were kept.
  public var kept: [PopulationModel.Covariate] {
    fit.model.covariates.filter(candidates.contains)
  }

  /// Searches.
  ///
  /// - Parameter model: With the covariates that are not in question.
  /// - Throws: ``PopulationFailure``.
  public init(
    _ study: [Series], instrument: Instrument?, _ model: PopulationModel,
    _ candidates: [PopulationModel.Covariate], _ limits: Limits, options: PopulationFit.Options
  ) throws(PopulationFailure) {
    var quick = options
    quick.isUncertaintyWanted = false
    quick.intervals = .wald
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
    func pValue(_ fall: Double) -> Double? {
      LikelihoodRatio.pValue(fall, numbers: 1, variances: 0)
    }
    let first = try PopulationFit(study, instrument: instrument, model: model, options: quick)
    var current = first
    var round = 0
    var added: [PopulationModel.Covariate] = []
    while added.count < candidates.count {
      round += 1
      var trials: [(covariate: PopulationModel.Covariate, fit: PopulationFit)] = []
      for covariate in candidates where !added.contains(covariate) {
        trials.append(
          (covariate, try tried(current.model.covariates + [covariate], from: current)))
      }
      let best = trials.min { $0.fit.objective < $1.fit.objective }
      let isTaken =
        best.flatMap { pValue(current.objective - $0.fit.objective) } ?? 1 < limits.forward
      for trial in trials {
        let fall = current.objective - trial.fit.objective
        steps.append(
          Step(
            phase: .forward, round: round, covariate: trial.covariate, fall: fall,
            pValue: trial.fit.isConverged ? pValue(fall) : nil,
            isTaken: isTaken && trial.covariate == best?.covariate))
      }
      guard isTaken, let best else { break }
      added.append(best.covariate)
      current = best.fit
    }
    while !added.isEmpty {
      round += 1
      var trials: [(covariate: PopulationModel.Covariate, fit: PopulationFit)] = []
      for covariate in added {
        trials.append(
          (covariate, try tried(current.model.covariates.filter { $0 != covariate }, from: current))
        )
      }
      let best = trials.min { $0.fit.objective < $1.fit.objective }
      let isTaken =
        best.flatMap { pValue($0.fit.objective - current.objective) } ?? 0 >= limits.backward
      for trial in trials {
        let fall = trial.fit.objective - current.objective
        steps.append(
          Step(
            phase: .backward, round: round, covariate: trial.covariate, fall: fall,
            pValue: trial.fit.isConverged ? pValue(fall) : nil,
            isTaken: isTaken && trial.covariate == best?.covariate))
      }
      guard isTaken, let best else { break }
      added.removeAll { $0 == best.covariate }
      current = best.fit
    }
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
