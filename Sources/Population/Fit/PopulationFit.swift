public import AlcoholKinetics
package import Estimation
import RealModule
public import StudyData

/// A population model fitted to a study, or evaluated at given values.
public struct PopulationFit: Sendable {
  /// The empirical Bayes estimate (EBE) of one subject: the posterior mode of the random effects.
  public struct Individual: Codable, Hashable, Sendable {
    /// The subject's name.
    public let subject: String
    /// The random effects of the subject, in the order of the model's random parameters, those of the
    /// subject's study added; then those of each occasion.
    public let effects: [Double]
    /// Their standard errors, from the curvature of the posterior.
    public let standardErrors: [Double]
    /// The subject's parameters on the first occasion, each in its unit, in the order of the model's.
    public let values: [Double]
    /// The subject's contribution to the OFV (-2 ln L without n ln 2 pi). NaN where studies differ: the subjects of
    /// one study then share a contribution.
    public let contribution: Double
    /// The number of readings, including those below detection.
    public let readings: Int
  }

  /// Standard errors of the estimates.
  public struct Uncertainty: Codable, Hashable, Sendable {
    /// Standard errors of the logarithms of the typical values; nil where they were not estimated.
    public let typical: [Double?]
    /// Standard errors of the covariate coefficients.
    public let coefficients: [Double]
    /// Standard errors of the diagonal of Omega. Like those of the next two levels, NaN for a variance at its lower
    /// limit.
    public let between: [Double]
    /// Standard errors of the between-occasion variances.
    public let within: [Double]
    /// Standard errors of the between-study variances.
    public let studies: [Double]
    /// Standard errors of ln a and ln b of the residual error; nil where they were not estimated.
    public let residual: [Double?]
    /// The largest over the smallest eigenvalue of the correlation matrix of the estimates.
    public let conditionNumber: Double
  }

  /// A variance estimated as zero, that is at the lower limit of the search: the readings show no such variability. In
  /// a full Omega, the variance conditional on the other random effects.
  public struct Boundary: Hashable, Sendable {
    /// The level of the variance.
    public let level: PopulationLevel
    /// The parameter.
    public let parameter: PopulationParameter
    /// The upper 95 % limit of the variance, by likelihood ratio; nil if it has none, was not requested, or Omega is
    /// full.
    public let high: Double?
  }

  /// The fitted model.
  public let model: PopulationModel
  /// The approximation of the marginal likelihood.
  public let method: PopulationMethod
  /// The estimates, or the given values if nothing was estimated.
  public let values: PopulationValues
  /// NONMEM's OFV: -2 ln L without n ln 2 pi.
  public let objective: Double
  /// The number of readings above the limit of detection; each adds ln 2 pi to -2 ln L.
  public let quantifiedCount: Int
  /// The number of series used, that is of occasions of all subjects.
  public let seriesCount: Int
  /// The number of readings used.
  public let readingCount: Int
  /// The number of estimated parameters; 0 where the values were given.
  public let estimatedCount: Int
  /// All subjects, in the order of the study.
  public let individuals: [Individual]
  /// Standard errors from the Hessian of the OFV; nil if it is not positive definite or was not requested.
  public let uncertainty: Uncertainty?
  /// Standard errors from the sandwich of the Hessian and the subjects' scores; nil as above.
  public let sandwich: Uncertainty?
  /// The covariance of the estimates, from the Hessian; nil as above.
  public let estimates: PopulationEstimates?
  /// The variances estimated as zero.
  package private(set) var boundaries: [Boundary] = []
  /// Profile or bootstrap intervals, which replace those from standard errors.
  package private(set) var otherIntervals: OtherIntervals?
  /// Whether standard errors were requested.
  let isUncertaintyWanted: Bool
  /// The expected decrease of the OFV by one more Newton step: 2 if the minimum is a standard error away. Nil without
  /// standard errors.
  package let expectedDecrease: Double?
  /// The contribution of each independent unit to the OFV: of subjects, or of studies where these differ.
  package let contributions: [Double]
  /// The names of the studies; none where these do not differ.
  package let studies: [String]
  /// The individual weighted residual (IWRES) of each reading, (y - f) / sigma along the subject's own curve.
  public let residuals: [Double]
  /// Series that could not be used.
  public internal(set) var leftOut: [LeftOutSeries]
  /// Unused readings of the series that were used.
  package let leftOutReadings: [LeftOutReading]
  /// The number of readings by use, over all series. Readings counted as used are in the fit unless their series is
  /// left out.
  package internal(set) var uses: [ReadingUse: Int]
  /// The centres of the covariates, in their order.
  package let centers: [Double]
  /// Whether the search converged to a zero gradient; true if nothing was estimated.
  public let isConverged: Bool
  /// The number of quasi-Newton steps.
  public let iterations: Int
  /// The result of each start of the search; empty if nothing was estimated.
  package let starts: [Start]

  /// -2 ln L, constants included.
  public var minusTwoLogLikelihood: Double {
    objective + Double(quantifiedCount) * ObservationModel.constant
  }
  /// Akaike's information criterion.
  public var aic: Double { minusTwoLogLikelihood + 2 * Double(estimatedCount) }
  /// Schwarz's criterion, by the number of subjects, which are the independent units (Delattre, Lavielle & Poursat
  /// 2014, for the random part).
  public var bic: Double {
    minusTwoLogLikelihood + .log(Double(individuals.count)) * Double(estimatedCount)
  }

  /// The typical value of a parameter in its unit, by its index in the model.
  public func typicalValue(_ index: Int) -> Double { .exp(values.typical[index]) }

  /// The variances of the logarithms between subjects of any study: between-subject plus between-study variance, as it
  /// applies to a subject of a new study.
  public var totalBetween: [Double] {
    let size = model.random.count
    return model.random.enumerated().map { row, parameter in
      values.between[row * size + row]
        + (model.studyLevel.firstIndex(of: parameter).map { values.studies[$0] } ?? 0)
    }
  }

  /// The eta shrinkage of each random parameter in percent, 100 (1 - SD(EBE) / omega).
  public var etaShrinkage: [Double] {
    totalBetween.enumerated().map { index, variance in
      let effects = individuals.map { $0.effects[index] }
      guard let sample = Sample(effects), let deviation = sample.standardDeviation else {
        return .nan
      }
      return 100 * (1 - deviation / variance.squareRoot())
    }
  }

  /// The eta shrinkage of one person in percent, by the index of the random parameter: the variance of what is known of the
  /// person over that of people, 100 (SE / omega)^2. Above 50 the population says more of the person than the readings do.
  ///
  /// It is the individual shrinkage of mapbayr (Le Louedec et al. 2021). Nil without a standard error.
  package func etaShrinkage(of person: Individual, _ index: Int) -> Double? {
    guard index < person.standardErrors.count, totalBetween[index] > 0 else { return nil }
    let error = person.standardErrors[index]
    return error.isFinite ? Swift.min(100, 100 * error * error / totalBetween[index]) : nil
  }

  /// The individual shrinkage in percent above which an estimate is prior-dominated.
  package static let largestShrinkageOfPerson =
    100 * ParameterEstimate.largestPriorRatio * ParameterEstimate.largestPriorRatio

  /// The epsilon shrinkage in percent, 100 (1 - SD(IWRES)).
  public var epsilonShrinkage: Double {
    Sample(residuals)?.standardDeviation.map { 100 * (1 - $0) } ?? .nan
  }
}

extension PopulationFit {
  /// Settings of a fit.
  public struct Options: Sendable {
    /// The approximation of the marginal likelihood.
    public var method: PopulationMethod
    /// Quadrature nodes in each dimension.
    public var nodes: Int
    /// The number of starting points.
    public var starts: Int
    /// Whether to compute standard errors.
    public var isUncertaintyWanted: Bool
    /// The number of threads.
    public var jobs: Int
    /// Initial typical values, each in its unit.
    package var start: [PopulationParameter: Double]
    /// The kind of confidence intervals.
    public var intervals = Intervals.wald
    /// The number of bootstrap replicates; nil for the default.
    public var replicates: Int?
    /// The seed of the bootstrap.
    public var seed: UInt64 = 1
    /// The values of the only start; nil for the usual starts.
    var startValues: PopulationValues?
    /// The centres of covariates; nil for the medians of the subjects.
    var centers: [Double]?
    /// Receives messages about the progress of the search, on the thread that fits.
    package var progress: (@Sendable (String) -> Void)?

    /// Everything has a default.
    public init(
      method: PopulationMethod = .focei, nodes: Int = 9, starts: Int = 3,
      isUncertaintyWanted: Bool = true, jobs: Int = 1, start: [PopulationParameter: Double] = [:]
    ) {
      self.method = method
      self.nodes = nodes
      self.starts = starts
      self.isUncertaintyWanted = isUncertaintyWanted
      self.jobs = jobs
      self.start = start
    }

    var withoutUncertainty: Options {
      var quick = self
      quick.isUncertaintyWanted = false
      quick.intervals = .wald
      return quick
    }
  }

  /// Evaluates a model at given values and estimates nothing.
  ///
  /// - `centers`: The centres of the covariates; nil for the medians of the subjects.
  /// - Throws: `Problem`.
  public init(
    evaluating values: PopulationValues, of study: [Series], instrument: Instrument? = nil,
    model: PopulationModel, centers: [Double]? = nil, options: Options = Options()
  ) throws(Problem) {
    let data = try PopulationData(
      study, instrument: instrument, model, centers: centers, jobs: options.jobs)
    guard !data.all.isEmpty else {
      throw .tooFewPeople(found: 0, needed: 1, leftOut: data.leftOut)
    }
    let objective = PopulationObjective(
      data: data, model: model, options: options, others: values)
    try self.init(objective, at: values, search: nil)
  }

  /// Fits a model to a study.
  ///
  /// - Throws: `Problem`.
  public init(
    _ study: [Series], instrument: Instrument? = nil, model: PopulationModel,
    options: Options = Options()
  ) throws(Problem) {
    let data = try PopulationData(
      study, instrument: instrument, model, centers: options.centers, jobs: options.jobs)
    let needed = Swift.max(2, model.random.count)
    guard data.all.count >= needed else {
      throw .tooFewPeople(found: data.all.count, needed: needed, leftOut: data.leftOut)
    }
    try data.requireVaryingCovariates(model)
    let search = try PopulationSearch(data, model, options)
    try self.init(search.objective, at: search.values, search: search)
    if options.intervals == .bootstrap { otherIntervals = resampled(data, options) }
  }

  private init(
    _ objective: PopulationObjective, at values: PopulationValues, search: PopulationSearch?
  ) throws(Problem) {
    let data = objective.data
    let model = objective.model
    var values = values
    if model.error == .instrument { values.residual = data.statedError }
    guard let prepared = data.coordinates.prepared(values, data.all, isNested: true) else {
      throw .badOptions(
        "Omega is not positive definite; give variances above zero and correlations below 1")
    }
    let near = search?.modes ?? []
    let contributions = objective.contributions(prepared, near: near)
    guard contributions.count == data.units.count else {
      throw .notEvaluated(
        "the curves of \(data.units.count - contributions.count) of \(data.units.count) "
          + "\(data.studies.isEmpty ? "data" : "studies") cannot be followed at these values")
    }
    // FO has no posterior modes, and FOCE finds them with other variances; both report the modes of FOCEI.
    let areModes = ![.fo, .foce].contains(objective.options.method)
    let modes = data.mapUnits { unit in
      areModes
        ? contributions[unit.index].mode
        : unit.mode(prepared, near: near.isEmpty ? nil : near[unit.index])
    }
    self.model = model
    method = objective.options.method
    self.values = values
    self.objective = contributions.reduce(0) { $0 + $1.value }
    self.contributions = contributions.map(\.value)
    seriesCount = data.seriesCount
    quantifiedCount = data.quantifiedCount
    readingCount = data.readingCount
    estimatedCount = search == nil ? 0 : data.coordinates.count
    individuals = zip(data.units, zip(modes, contributions)).flatMap { unit, result in
      unit.individuals(result.0, result.1.value, data, prepared)
    }.sorted { $0.index < $1.index }.map(\.individual)
    residuals = zip(data.units, modes).flatMap { unit, mode in
      mode.map { unit.weightedResiduals($0, prepared) } ?? []
    }
    studies = data.studies
    isUncertaintyWanted = search != nil && objective.options.isUncertaintyWanted
    let errors = isUncertaintyWanted ? objective.uncertainty(at: values, near: near) : nil
    uncertainty = errors?.hessian
    sandwich = errors?.sandwich
    expectedDecrease = errors?.expectedDecrease
    estimates = (errors?.covariance).flatMap { data.coordinates.named($0, values, model) }
    leftOut = data.leftOut
    leftOutReadings = data.leftOutReadings
    centers = data.centers
    uses = data.uses
    isConverged =
      (search?.isConverged ?? true)
      && (expectedDecrease ?? 0) < PopulationSearch.fairExpectedDecrease
    iterations = search?.iterations ?? 0
    starts = search?.ends ?? []
    boundaries = search.map { boundaries(of: $0) } ?? []
    if let search, objective.options.intervals == .profile {
      otherIntervals = profiled(by: search)
    }
  }
}

extension SubjectLikelihood {
  /// The EBEs of the members of a unit, with their indices among the subjects.
  fileprivate func individuals(
    _ mode: Mode?, _ contribution: Double, _ data: PopulationData, _ prepared: PreparedPopulation
  ) -> [(index: Int, individual: PopulationFit.Individual)] {
    let covariance = mode?.information.inverted?.inverse
    let begins = blocks.filter { $0.level == .person }.map(\.begin)
    let firsts = sources.indices.filter { sources[$0].occasion == 0 }
    return zip(firsts, begins).map { first, begin in
      let subject = sources[first].subject
      let random = data.coordinates.random
      let sums = (0..<data.all[subject].count).map { effect -> [Int] in
        guard !data.studies.isEmpty, effect < random.person.count,
          let study = random.study.firstIndex(of: random.person[effect])
        else { return [begin + effect] }
        return [begin + effect, study]
      }
      func variance(_ covariance: Dense, _ sum: [Int]) -> Double {
        sum.reduce(0) { total, row in sum.reduce(total) { $0 + covariance[row, $1] } }
      }
      return (
        subject,
        PopulationFit.Individual(
          subject: data.subjects[subject].id,
          effects: mode.map { mode in sums.map { $0.reduce(0) { $0 + mode.effects[$1] } } } ?? [],
          standardErrors: covariance.map { covariance in
            sums.map { variance(covariance, $0).squareRoot() }
          } ?? [],
          values: mode.map { logarithms($0.effects, on: first, prepared).map { .exp($0) } } ?? [],
          contribution: data.studies.isEmpty ? contribution : .nan,
          readings: data.all[subject].readingCount)
      )
    }
  }

  /// The individual weighted residuals (y - f) / sigma of the readings above detection, along the curve of the mode.
  fileprivate func weightedResiduals(_ mode: Mode, _ prepared: PreparedPopulation) -> [Double] {
    occasions.indices.flatMap { occasion -> [Double] in
      let readings = occasions[occasion]
      let predicted = readings.predictions(at: logarithms(mode.effects, on: occasion, prepared))
        .values
      return predicted.indices.compactMap { index -> Double? in
        guard !readings.areCensored[index] else { return nil }
        return (readings.levels[index] - predicted[index])
          / prepared.residual.deviation(at: predicted[index])
      }
    }
  }
}
