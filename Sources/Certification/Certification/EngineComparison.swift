import AlcoholKinetics
package import Estimation
package import StudyData

/// How fits that lanes look for compare with those of GSL alone, on the same series.
///
/// GSL is the judge: a minimum of lanes may be lower than GSL's, and not higher.
package struct EngineComparison: Codable, Hashable, Sendable {
  /// A relative rise of what is minimised that cannot be told from rounding.
  package static let sameObjective = 1e-9
  /// The same of a likelihood whose standard deviations come from predictions: these are brought into line to
  /// 1e-7.
  package static let sameLikelihood = 1e-8
  /// Ends of intervals that are no farther apart, in standard errors, are the same.
  package static let sameEnd = 1e-4

  package let name: String
  package private(set) var series = 0
  package private(set) var missed = 0
  package private(set) var higher = 0
  /// How many minima of lanes are lower; their intervals are not compared.
  package private(set) var lower = 0
  package private(set) var largestRise = 0.0
  package private(set) var ends = 0
  /// How many ends GSL has farther out: there is a fit that lanes did not meet.
  package private(set) var narrower = 0
  package private(set) var wider = 0
  package private(set) var largestDistance = 0.0
  /// How many parameters have an end by one engine and none by the other.
  package private(set) var verdictsApart = 0

  init(_ name: String) { self.name = name }

  package var isPassed: Bool {
    missed == 0 && higher == 0 && narrower == 0 && verdictsApart == 0
  }

  /// Fits series by both engines.
  ///
  /// - Parameter options: What to fit; the engine is set here.
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
  /// - Parameter options: What the fits were made with; the engine is set here.
  package init(
    _ name: String, of fits: [StudyFit], instrument: Instrument?, options: FitOptions, jobs: Int
  ) throws(SeriesFailure) {
    self.init(name)
    var gsl = options
    gsl.engine = .gsl
    gsl.derived = DerivedOptions()
    let study = Study(name: name, instrument: instrument, series: fits.map(\.series))
    for (fit, judge) in zip(fits, try StudyFit.fits(of: study, options: gsl, jobs: jobs)) {
      take(fit.result, judge.result)
    }
  }

  private mutating func take(
    _ lanes: Result<SeriesFit, SeriesFailure>, _ gsl: Result<SeriesFit, SeriesFailure>
  ) {
    guard let gsl = try? gsl.get() else {
      if (try? lanes.get()) != nil { (series, lower) = (series + 1, lower + 1) }
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
    for (parameter, judge) in gsl.estimates {
      guard let own = lanes.estimates[parameter] else { continue }
      compare(own.low.map { -$0 }, judge.low.map { -$0 }, judge.standardError)
      compare(own.high, judge.high, judge.standardError)
    }
  }

  /// Compares two ends, of which the larger is the farther one.
  private mutating func compare(_ own: Double?, _ judge: Double?, _ error: Double?) {
    guard let own, let judge else {
      if (own == nil) != (judge == nil) { verdictsApart += 1 }
      return
    }
    ends += 1
    guard let error, error > 0 else { return }
    let distance = (own - judge) / error
    largestDistance = max(largestDistance, abs(distance))
    if distance < -Self.sameEnd { narrower += 1 }
    if distance > Self.sameEnd { wider += 1 }
  }
}

extension SeriesFit {
  /// Whether standard deviations and predictions were brought into line.
  fileprivate var comesFromPredictions: Bool { (noise?.rounds ?? 0) > 0 }

  /// How much higher its minimum is than another's, relative to that. Where standard deviations come from
  /// predictions, sums of squares of two fits are in different units, and the likelihood is compared.
  fileprivate func rise(above other: SeriesFit) -> Double {
    if comesFromPredictions, let own = criteria, let others = other.criteria {
      return (own.deviance - others.deviance)
        / max(abs(others.deviance), Double(others.readings))
    }
    // Of two perfect fits neither is higher: the remainder is rounding.
    guard objective != other.objective, rss > 1e-20 || other.rss > 1e-20 else { return 0 }
    return (objective - other.objective) / max(other.objective, .leastNormalMagnitude)
  }
}

// MARK: - Designs

extension EngineComparison {
  /// A cohort that is made up, and what is fitted to it.
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

  /// Six designs: everything sampled well; few readings; an instrument that sees nothing below its limit; an
  /// error in proportion; and the other two models.
  ///
  /// - Parameter people: How many of each.
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
