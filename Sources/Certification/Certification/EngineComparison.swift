import AlcoholKinetics
package import Estimation
package import StudyData

/// Comparison of fits by the lanes engine with fits by GSL alone, on the same series.
///
/// GSL is the reference: a minimum of lanes may be lower than GSL's, but not higher.
package struct EngineComparison: Codable, Hashable, Sendable {
  /// The largest relative difference of objectives that counts as rounding.
  package static let sameObjective = 1e-9
  /// The largest relative difference of likelihoods whose standard deviations depend on
  /// predictions, which are iterated to 1e-7.
  package static let sameLikelihood = 1e-8
  /// The largest distance of interval ends that count as equal, in standard errors.
  package static let sameEnd = 1e-4

  package let name: String
  package private(set) var series = 0
  package private(set) var missed = 0
  package private(set) var higher = 0
  /// The number of minima of lanes that are lower; their intervals are not compared.
  package private(set) var lower = 0
  package private(set) var largestRise = 0.0
  package private(set) var ends = 0
  /// The number of ends that GSL has farther out: lanes missed a fit there.
  package private(set) var narrower = 0
  package private(set) var wider = 0
  package private(set) var largestDistance = 0.0
  /// The number of ends that one engine has and the other has not.
  package private(set) var verdictsApart = 0

  init(_ name: String) { self.name = name }

  package var isPassed: Bool {
    missed == 0 && higher == 0 && narrower == 0 && verdictsApart == 0
  }

  /// Fits series by both engines.
  ///
  /// - Parameter options: The options of the fits; the engine is set here.
  package init(
    _ name: String, of series: [Series], instrument: Instrument? = nil, options: FitOptions,
    jobs: Int
  ) throws(SeriesFailure) {
    let study = Study(name: name, instrument: instrument, series: series)
    var lanes = options
    lanes.engine = .lanes
    lanes = try lanes.withStudyError(of: study, jobs: jobs)
    try self.init(
      name, of: try StudyFit.fits(of: study, options: lanes, jobs: jobs), instrument: instrument,
      options: lanes, jobs: jobs)
  }

  /// Compares fits by lanes with fits of the same series by GSL alone.
  ///
  /// - Parameter options: The options of the fits; the engine is set here.
  package init(
    _ name: String, of fits: [StudyFit], instrument: Instrument?, options: FitOptions, jobs: Int
  ) throws(SeriesFailure) {
    self.init(name)
    var gsl = options
    gsl.engine = .gsl
    gsl.derived = DerivedOptions()
    let study = Study(name: name, instrument: instrument, series: fits.map(\.series))
    for (fit, reference) in zip(fits, try StudyFit.fits(of: study, options: gsl, jobs: jobs)) {
      add(fit.result, reference: reference.result)
    }
  }

  /// Compares the fits of one series.
  private mutating func add(
    _ lanes: Result<SeriesFit, SeriesFailure>, reference gsl: Result<SeriesFit, SeriesFailure>
  ) {
    guard let gsl = try? gsl.get() else {
      if (try? lanes.get()) != nil {
        series += 1
        lower += 1
      }
      return
    }
    series += 1
    guard let lanes = try? lanes.get() else {
      missed += 1
      return
    }
    let rise = lanes.rise(above: gsl)
    largestRise = max(largestRise, rise)
    let slack = gsl.comesFromPredictions ? Self.sameLikelihood : Self.sameObjective
    if rise > slack { higher += 1 }
    if rise < -slack { lower += 1 }
    guard abs(rise) <= slack else { return }
    for (parameter, reference) in gsl.estimates {
      guard let estimate = lanes.estimates[parameter] else { continue }
      compare(
        estimate.low.map { -$0 }, reference.low.map { -$0 }, reference.standardError)
      compare(estimate.high, reference.high, reference.standardError)
    }
  }

  /// Compares two ends; the larger is the farther one.
  private mutating func compare(_ end: Double?, _ reference: Double?, _ error: Double?) {
    guard let end, let reference else {
      if (end == nil) != (reference == nil) { verdictsApart += 1 }
      return
    }
    ends += 1
    guard let error, error > 0 else { return }
    let distance = (end - reference) / error
    largestDistance = max(largestDistance, abs(distance))
    if distance < -Self.sameEnd { narrower += 1 }
    if distance > Self.sameEnd { wider += 1 }
  }
}

extension SeriesFit {
  /// Whether standard deviations depend on predictions, and were iterated.
  fileprivate var comesFromPredictions: Bool { (noise?.rounds ?? 0) > 0 }

  /// The relative rise of its minimum above another's. If standard deviations depend on
  /// predictions, sums of squares of two fits have different units, and likelihoods are compared.
  fileprivate func rise(above other: SeriesFit) -> Double {
    if comesFromPredictions, let criteria, let reference = other.criteria {
      return (criteria.deviance - reference.deviance)
        / max(abs(reference.deviance), Double(reference.readings))
    }
    // Perfect fits have objectives of rounding errors, which must not be compared.
    guard objective != other.objective, rss > 1e-20 || other.rss > 1e-20 else { return 0 }
    return (objective - other.objective) / max(other.objective, .leastNormalMagnitude)
  }
}

// MARK: - Designs

extension EngineComparison {
  /// A simulated cohort and the options of its fits.
  package struct Design: Sendable {
    package let name: String
    package let cohort: CohortDesign
    package let options: FitOptions

    package func people() throws(SeriesFailure) -> [SimulatedPerson] {
      var simulation = try SimulatedCohort(cohort)
      var all: [SimulatedPerson] = []
      while let person = try simulation.next() { all.append(person) }
      return all
    }
  }

  /// Six designs: well sampled, few readings, an instrument with a limit of detection, proportional
  /// error, and the other two models.
  ///
  /// - Parameter people: The number of people of each design.
  package static func designs(people: Int) -> [Design] {
    let whole: Set<FitParameter> = [.ka, .beta, .r]
    return [
      Design(
        name: "sampled well", cohort: CohortDesign(subjects: people),
        options: FitOptions(estimate: whole)),
      Design(
        name: "few readings",
        cohort: CohortDesign(subjects: people, seed: 2, readings: 6, every: Hours(minutes: 40)),
        options: FitOptions()),
      Design(
        name: "limit of detection",
        cohort: CohortDesign(subjects: people, seed: 3, limitOfDetection: 0.1),
        options: FitOptions(estimate: whole, selection: ReadingSelection(censoring: .m3))),
      Design(
        name: "proportional error", cohort: CohortDesign(subjects: people, seed: 4),
        options: FitOptions(estimate: [.beta, .r], error: .combined(nil))),
      Design(
        name: "michaelis-menten",
        cohort: CohortDesign(subjects: people, seed: 5, model: .michaelisMenten),
        options: FitOptions(model: .michaelisMenten)),
      Design(
        name: "first-order", cohort: CohortDesign(subjects: people, seed: 6, model: .firstOrder),
        options: FitOptions(model: .firstOrder)),
    ]
  }
}
