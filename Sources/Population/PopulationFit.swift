import AlcoholKinetics
public import Estimation
import RealModule
public import StudyData

/// A population model fitted to a study, or evaluated at given values.
public struct PopulationFit: Sendable {
  /// A series that could not be used.
  public struct LeftOut: Codable, Hashable, Sendable {
    /// The subject.
    public let subject: String
    /// The occasion, where there are several.
    public let occasion: String?
    /// The stable code of the reason.
    public let code: String
    /// The reason, in words.
    public let reason: String
    /// What would be done with its readings.
    let uses: [ReadingUse: Int]
    /// How many of its readings could be used otherwise.
    public var readings: Int { uses.reduce(0) { $0 + ($1.key.isUsed ? $1.value : 0) } }

    init(_ series: Series, _ failure: SeriesFailure, _ uses: [ReadingUse]) {
      (subject, occasion) = (series.subject.id, series.occasion)
      self.uses = uses.reduce(into: [:]) { $0[$1, default: 0] += 1 }
      code = failure.code
      let causes = ReadingUse.allCases.filter { !$0.isUsed && uses.contains($0) }.map(\.cause)
      reason =
        uses.contains(where: \.isUsed) || causes.isEmpty
        ? failure.description
        : "no reading is left: all are \(causes.joined(separator: ", or "))"
    }
  }

  /// What is known of one person: the mode of the random effects (empirical Bayes estimate).
  public struct Individual: Codable, Hashable, Sendable {
    /// Who.
    public let subject: String
    /// The random effects of the person, in the order of the model's random parameters, those of the
    /// person's study added; then those of each occasion.
    public let effects: [Double]
    /// Their standard errors, from the curvature of the posterior.
    public let standardErrors: [Double]
    /// The person's parameters on the first occasion, each in its unit, in the order of the model's.
    public let values: [Double]
    /// What the person contributes to -2 ln L, without n ln 2 pi; NaN where studies differ, since what
    /// people of one study contribute cannot be told apart.
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
  /// All series that were used: the occasions of all people.
  public let seriesCount: Int
  /// All readings that were used.
  public let readingCount: Int
  /// How many numbers were estimated; 0 where the values were given.
  public let estimatedCount: Int
  /// Everybody, in the order of the study.
  public let individuals: [Individual]
  /// From the curvature of the objective; nil where it has none or was not asked for.
  public let uncertainty: Uncertainty?
  /// From the sandwich of curvature and the people's gradients; nil as above.
  public let sandwich: Uncertainty?
  /// The variances that are the smallest there can be.
  public private(set) var boundaries: [Boundary] = []
  /// Whether standard errors were asked for.
  let isUncertaintyWanted: Bool
  /// By how much another step would lower the objective, from its gradient and curvature: 2 where the minimum is a
  /// standard error away. Nil without standard errors.
  public let expectedDecrease: Double?
  /// What each independent unit contributes to the objective: people, or studies where these differ.
  public let contributions: [Double]
  /// The names of the studies; none where these do not differ.
  public let studies: [String]
  /// The residual of each observation as the person's own curve leaves it: (y - f) / sigma.
  public let residuals: [Double]
  /// Series that could not be used.
  public internal(set) var leftOut: [LeftOut]
  /// What was done with the readings of all series. Readings that count as used are in the fit, unless their series is
  /// left out.
  public internal(set) var uses: [ReadingUse: Int]
  /// The centres of the covariates, in their order.
  public let centers: [Double]
  /// Whether the search arrived, and the gradient is zero there; true where nothing was searched.
  public let isConverged: Bool
  /// Steps of the search.
  public let iterations: Int
  /// What became of each start of the search; none where nothing was searched.
  public let starts: [Start]

  /// -2 ln L, constants included.
  public var minusTwoLogLikelihood: Double {
    objective + Double(quantifiedCount) * ObservationModel.constant
  }
  /// Akaike's information criterion.
  public var aic: Double { minusTwoLogLikelihood + 2 * Double(estimatedCount) }
  /// Schwarz's, with the number of people: what is independent (Delattre, Lavielle & Poursat 2014 for the
  /// random part).
  public var bic: Double {
    minusTwoLogLikelihood + .log(Double(individuals.count)) * Double(estimatedCount)
  }

  /// The typical value of a parameter, by its place, in its unit.
  public func typicalValue(_ place: Int) -> Double { .exp(values.typical[place]) }

  /// The variances of the logarithms between people, whatever their study: what a person of a study that has
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
    public var start: [PopulationParameter: Double]
    /// Receives the progress of the search in words, on the thread that fits.
    public var progress: (@Sendable (String) -> Void)?

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
  }

  /// Evaluates a model at given values and estimates nothing.
  ///
  /// - Parameters:
  ///   - values: Where the model is evaluated.
  ///   - study: The series of all people.
  ///   - instrument: What the study says of the instrument.
  ///   - model: What is evaluated.
  ///   - centers: Of the covariates; nil for the medians of the people.
  ///   - options: How the likelihood is computed.
  /// - Throws: ``PopulationFailure``.
  public init(
    evaluating values: PopulationValues, of study: [Series], instrument: Instrument? = nil,
    model: PopulationModel, centers: [Double]? = nil, options: Options = Options()
  ) throws(PopulationFailure) {
    let people = try People(
      study, instrument: instrument, model, centers: centers, jobs: options.jobs)
    guard !people.all.isEmpty else {
      throw .tooFewPeople(found: 0, needed: 1, leftOut: people.leftOut)
    }
    let objective = PopulationObjective(people, model, options, values)
    try self.init(objective, at: values, search: nil)
  }

  /// Fits a model to a study.
  ///
  /// - Throws: ``PopulationFailure``.
  public init(
    _ study: [Series], instrument: Instrument? = nil, model: PopulationModel,
    options: Options = Options()
  ) throws(PopulationFailure) {
    let people = try People(study, instrument: instrument, model, centers: nil, jobs: options.jobs)
    let needed = Swift.max(2, model.random.count)
    guard people.all.count >= needed else {
      throw .tooFewPeople(found: people.all.count, needed: needed, leftOut: people.leftOut)
    }
    try people.requireVaryingCovariates(model)
    let search = try PopulationSearch.search(people, model, options)
    try self.init(search.objective, at: search.values, search: search)
  }

  private init(
    _ objective: PopulationObjective, at values: PopulationValues, search: PopulationSearch?
  ) throws(PopulationFailure) {
    let (people, model) = (objective.people, objective.model)
    var values = values
    if case .instrument = model.error { values.residual = people.statedError }
    guard let setting = people.coordinates.setting(values, people.all, isNested: true) else {
      throw .badOptions(
        "Omega is not positive definite; give variances above zero and correlations below 1")
    }
    let near = search?.modes ?? []
    let contributions = objective.contributions(setting, near: near)
    guard contributions.count == people.units.count else {
      throw .notEvaluated(
        "the curves of \(people.units.count - contributions.count) of \(people.units.count) "
          + "\(people.studies.isEmpty ? "people" : "studies") cannot be followed at these values")
    }
    // FO has no modes; those of FOCE with interaction are as good.
    let modes = people.mapUnits { unit in
      unit.mode(setting, near: near.isEmpty ? nil : near[unit.index])
    }
    (self.model, method, self.values) = (model, objective.options.method, values)
    self.objective = contributions.reduce(0) { $0 + $1.value }
    self.contributions = contributions.map(\.value)
    seriesCount = people.seriesCount
    (quantifiedCount, readingCount) = (people.quantifiedCount, people.readingCount)
    estimatedCount = search == nil ? 0 : people.coordinates.count
    individuals = zip(people.units, zip(modes, contributions)).flatMap { unit, found in
      unit.individuals(found.0, found.1.value, people, setting)
    }.sorted { $0.person < $1.person }.map(\.individual)
    residuals = zip(people.units, modes).flatMap { unit, mode in
      mode.map { unit.weightedResiduals($0, setting) } ?? []
    }
    studies = people.studies
    isUncertaintyWanted = search != nil && objective.options.isUncertaintyWanted
    (uncertainty, sandwich, expectedDecrease) =
      isUncertaintyWanted ? objective.uncertainty(at: values, near: near) : (nil, nil, nil)
    (leftOut, centers, uses) = (people.leftOut, people.centers, people.uses)
    isConverged =
      (search?.isConverged ?? true)
      && (expectedDecrease ?? 0) < PopulationSearch.fairExpectedDecrease
    iterations = search?.iterations ?? 0
    starts = search?.ends ?? []
    boundaries = search.map { boundaries(of: $0) } ?? []
  }
}

extension Person {
  /// What is known of the members of a unit, with their places among the people.
  fileprivate func individuals(
    _ mode: Mode?, _ contribution: Double, _ people: People, _ setting: Setting
  ) -> [(person: Int, individual: PopulationFit.Individual)] {
    let covariance = mode?.information.inverted?.inverse
    let begins = blocks.filter { $0.level == .person }.map(\.begin)
    let firsts = sources.indices.filter { sources[$0].occasion == 0 }
    return zip(firsts, begins).map { first, begin in
      let place = sources[first].person
      let random = people.coordinates.random
      let sums = (0..<people.all[place].count).map { effect -> [Int] in
        guard !people.studies.isEmpty, effect < random.between.count,
          let study = random.studies.firstIndex(of: random.between[effect])
        else { return [begin + effect] }
        return [begin + effect, study]
      }
      func variance(_ covariance: Dense, _ sum: [Int]) -> Double {
        sum.reduce(0) { total, one in sum.reduce(total) { $0 + covariance[one, $1] } }
      }
      return (
        place,
        PopulationFit.Individual(
          subject: people.subjects[place].id,
          effects: mode.map { mode in sums.map { $0.reduce(0) { $0 + mode.effects[$1] } } } ?? [],
          standardErrors: covariance.map { covariance in
            sums.map { variance(covariance, $0).squareRoot() }
          } ?? [],
          values: mode.map { logarithms($0.effects, on: first, setting).map { .exp($0) } } ?? [],
          contribution: people.studies.isEmpty ? contribution : .nan,
          readings: people.all[place].readingCount)
      )
    }
  }

  /// (y - f) / sigma along the curve of the mode, of the readings that were not below detection.
  fileprivate func weightedResiduals(_ mode: Mode, _ setting: Setting) -> [Double] {
    occasions.indices.flatMap { occasion -> [Double] in
      let readings = occasions[occasion]
      let predicted = readings.predictions(at: logarithms(mode.effects, on: occasion, setting))
        .values
      return predicted.indices.compactMap { index -> Double? in
        guard !readings.areCensored[index] else { return nil }
        return (readings.levels[index] - predicted[index])
          / setting.residual.deviation(at: predicted[index])
      }
    }
  }
}
