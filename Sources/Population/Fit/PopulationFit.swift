import AlcoholKinetics
package import Estimation
import RealModule
public import StudyData

/// A population model fitted to a study, or evaluated at given values.
public struct PopulationFit: Sendable {
  /// What is known of one subject: the mode of the random effects (empirical Bayes estimate).
  public struct Individual: Codable, Hashable, Sendable {
    /// Who.
    public let subject: String
    /// The random effects of the subject, in the order of the model's random parameters, those of the
    /// subject's study added; then those of each occasion.
    public let effects: [Double]
    /// Their standard errors, from the curvature of the posterior.
    public let standardErrors: [Double]
    /// The subject's parameters on the first occasion, each in its unit, in the order of the model's.
    public let values: [Double]
    /// What the subject contributes to -2 ln L, without n ln 2 pi; NaN where studies differ, since what
    /// subjects of one study contribute cannot be told apart.
    public let contribution: Double
    /// Readings, those below detection included.
    public let readings: Int
  }

  /// Standard errors of what was estimated.
  public struct Uncertainty: Codable, Hashable, Sendable {
    /// Of the logarithms of the typical values; nil where they were not estimated.
    public let typical: [Double?]
    /// Of the coefficients of covariates.
    public let coefficients: [Double]
    /// Of Omega's diagonal; these and the next two are NaN where the variance is the smallest there can be.
    public let between: [Double]
    /// Of the variances between occasions.
    public let within: [Double]
    /// Of the variances between studies.
    public let studies: [Double]
    /// Of ln a and ln b; nil where they were not estimated.
    public let residual: [Double?]
    /// The largest eigenvalue of the correlation matrix of the estimates over the smallest.
    public let conditionNumber: Double
  }

  /// A variance that fell to the smallest that the search has, or its remainder beside others in a full Omega:
  /// the readings show no such difference.
  public struct Boundary: Hashable, Sendable {
    /// Between what the parameter does not differ.
    public let level: PopulationLevel
    /// The parameter.
    public let parameter: PopulationParameter
    /// The upper end of the 95 % interval of the variance, by likelihood ratio; nil if there is none, it was not asked
    /// for, or Omega is full.
    public let high: Double?
  }

  /// What was fitted.
  public let model: PopulationModel
  /// How the integrals were taken.
  public let method: PopulationMethod
  /// The estimates, or what was given.
  public let values: PopulationValues
  /// NONMEM's OFV: -2 ln L without n ln 2 pi.
  public let objective: Double
  /// The readings that were not below detection; each adds ln 2 pi.
  public let quantifiedCount: Int
  /// All series that were used: the occasions of all subjects.
  public let seriesCount: Int
  /// All readings that were used.
  public let readingCount: Int
  /// How many numbers were estimated; 0 where the values were given.
  public let estimatedCount: Int
  /// Everybody, in the order of the study.
  public let individuals: [Individual]
  /// From the curvature of the objective; nil where it has none or was not asked for.
  public let uncertainty: Uncertainty?
  /// From the sandwich of curvature and the subjects' gradients; nil as above.
  public let sandwich: Uncertainty?
  /// The covariance of the estimates, from the curvature; nil as above.
  public let estimates: PopulationEstimates?
  /// The variances that are the smallest there can be.
  package private(set) var boundaries: [Boundary] = []
  /// Intervals that are not made of standard errors.
  package private(set) var otherIntervals: OtherIntervals?
  /// Whether standard errors were asked for.
  let isUncertaintyWanted: Bool
  /// By how much another step would lower the objective, from its gradient and curvature: 2 where the minimum is a
  /// standard error away. Nil without standard errors.
  package let expectedDecrease: Double?
  /// What each independent unit contributes to the objective: subjects, or studies where these differ.
  package let contributions: [Double]
  /// The names of the studies; none where these do not differ.
  package let studies: [String]
  /// The residual of each observation as the subject's own curve leaves it: (y - f) / sigma.
  public let residuals: [Double]
  /// Series that could not be used.
  public internal(set) var leftOut: [LeftOutSeries]
  /// The readings of the other series that are not used.
  package let leftOutReadings: [LeftOutReading]
  /// What was done with the readings of all series. Readings that count as used are in the fit, unless their series is
  /// left out.
  package internal(set) var uses: [ReadingUse: Int]
  /// The centres of the covariates, in their order.
  package let centers: [Double]
  /// Whether the search arrived, and the gradient is zero there; true where nothing was searched.
  public let isConverged: Bool
  /// Steps of the search.
  public let iterations: Int
  /// What became of each start of the search; none where nothing was searched.
  package let starts: [Start]

  /// -2 ln L, constants included.
  public var minusTwoLogLikelihood: Double {
    objective + Double(quantifiedCount) * ObservationModel.constant
  }
  /// Akaike's information criterion.
  public var aic: Double { minusTwoLogLikelihood + 2 * Double(estimatedCount) }
  /// Schwarz's, with the number of subjects: what is independent (Delattre, Lavielle & Poursat 2014 for the
  /// random part).
  public var bic: Double {
    minusTwoLogLikelihood + .log(Double(individuals.count)) * Double(estimatedCount)
  }

  /// The typical value of a parameter, by its place, in its unit.
  public func typicalValue(_ place: Int) -> Double { .exp(values.typical[place]) }

  /// The variances of the logarithms between subjects, whatever their study: what a subject of a study that has
  /// not been seen differs by.
  public var totalBetween: [Double] {
    let size = model.random.count
    return model.random.enumerated().map { place, parameter in
      values.between[place * size + place]
        + (model.studyLevel.firstIndex(of: parameter).map { values.studies[$0] } ?? 0)
    }
  }

  /// How much less the modes spread than the random effects do, in percent: 100 (1 - SD / omega).
  public var etaShrinkage: [Double] {
    totalBetween.enumerated().map { place, variance in
      let effects = individuals.map { $0.effects[place] }
      guard let sample = Sample(effects), let deviation = sample.standardDeviation else {
        return .nan
      }
      return 100 * (1 - deviation / variance.squareRoot())
    }
  }

  /// How much less the residuals spread than errors do, in percent: 100 (1 - SD).
  public var epsilonShrinkage: Double {
    Sample(residuals)?.standardDeviation.map { 100 * (1 - $0) } ?? .nan
  }
}

extension PopulationFit {
  /// How a model is fitted.
  public struct Options: Sendable {
    /// How the integrals are taken.
    public var method: PopulationMethod
    /// Nodes in each direction of the quadrature.
    public var nodes: Int
    /// How many starting points the search has.
    public var starts: Int
    /// Whether to compute standard errors.
    public var isUncertaintyWanted: Bool
    /// How many threads.
    public var jobs: Int
    /// Typical values to begin with, each in its unit.
    package var start: [PopulationParameter: Double]
    /// How intervals are made.
    public var intervals = Intervals.wald
    /// How often people are resampled for intervals; nil for the usual number.
    public var replicates: Int?
    /// The seed of the bootstrap.
    public var seed: UInt64 = 1
    /// Where the only start begins, as a whole; nil for the usual starts.
    var beginning: PopulationValues?
    /// The centres of covariates; nil for the medians of the subjects.
    var centers: [Double]?
    /// Receives the progress of the search in words, on the thread that fits.
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
  /// - `centers`: Of the covariates; nil for the medians of the subjects.
  /// - Throws: ``PopulationFailure``.
  public init(
    evaluating values: PopulationValues, of study: [Series], instrument: Instrument? = nil,
    model: PopulationModel, centers: [Double]? = nil, options: Options = Options()
  ) throws(PopulationFailure) {
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
  /// - Throws: ``PopulationFailure``.
  public init(
    _ study: [Series], instrument: Instrument? = nil, model: PopulationModel,
    options: Options = Options()
  ) throws(PopulationFailure) {
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
  ) throws(PopulationFailure) {
    let (data, model) = (objective.data, objective.model)
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
    // FO has no posterior modes, and those of FOCE are of other variances; those of FOCE with interaction stand for both.
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
    individuals = zip(data.units, zip(modes, contributions)).flatMap { unit, found in
      unit.individuals(found.0, found.1.value, data, prepared)
    }.sorted { $0.place < $1.place }.map(\.individual)
    residuals = zip(data.units, modes).flatMap { unit, mode in
      mode.map { unit.weightedResiduals($0, prepared) } ?? []
    }
    studies = data.studies
    isUncertaintyWanted = search != nil && objective.options.isUncertaintyWanted
    let found = isUncertaintyWanted ? objective.uncertainty(at: values, near: near) : nil
    (uncertainty, sandwich) = (found?.hessian, found?.sandwich)
    expectedDecrease = found?.expectedDecrease
    estimates = (found?.covariance).flatMap { data.coordinates.named($0, values, model) }
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
  /// What is known of the members of a unit, with their places among the subjects.
  fileprivate func individuals(
    _ mode: Mode?, _ contribution: Double, _ data: PopulationData, _ prepared: PreparedPopulation
  ) -> [(place: Int, individual: PopulationFit.Individual)] {
    let covariance = mode?.information.inverted?.inverse
    let begins = blocks.filter { $0.level == .person }.map(\.begin)
    let firsts = sources.indices.filter { sources[$0].occasion == 0 }
    return zip(firsts, begins).map { first, begin in
      let place = sources[first].subject
      let random = data.coordinates.random
      let sums = (0..<data.all[place].count).map { effect -> [Int] in
        guard !data.studies.isEmpty, effect < random.person.count,
          let study = random.study.firstIndex(of: random.person[effect])
        else { return [begin + effect] }
        return [begin + effect, study]
      }
      func variance(_ covariance: Dense, _ sum: [Int]) -> Double {
        sum.reduce(0) { total, one in sum.reduce(total) { $0 + covariance[one, $1] } }
      }
      return (
        place,
        PopulationFit.Individual(
          subject: data.subjects[place].id,
          effects: mode.map { mode in sums.map { $0.reduce(0) { $0 + mode.effects[$1] } } } ?? [],
          standardErrors: covariance.map { covariance in
            sums.map { variance(covariance, $0).squareRoot() }
          } ?? [],
          values: mode.map { logarithms($0.effects, on: first, prepared).map { .exp($0) } } ?? [],
          contribution: data.studies.isEmpty ? contribution : .nan,
          readings: data.all[place].readingCount)
      )
    }
  }

  /// (y - f) / sigma along the curve of the mode, of the readings that were not below detection.
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
