public import AlcoholKinetics
public import Estimation
public import StudyData
public import Validation

/// All that one run finds out on whether the program calculates rightly, and how well it predicts.
public struct ToolEvidence: Sendable {
  /// How the least-squares engine solves NIST's problems.
  public let solver: NISTCertification
  /// How fits by lanes compare with GSL's: a measured study or a design each, but for Michaelis-Menten elimination.
  public private(set) var engines: [EngineComparison] = []
  /// How far the curves of all those fits are from an integration.
  public let curves: CurveVerification
  /// How often intervals hold the truth of people who are made up.
  public private(set) var coverage: [IntervalCoverage] = []
  /// How well people are predicted from others, in measured studies.
  public private(set) var heldOut: [HeldOutScore] = []
  /// What became of golden results.
  public let golden: [GoldenOutcome]
  /// How many people of each design were made up.
  public let people: Int
  /// How many of them were fitted by GSL, too, which takes a hundred times as long: one in twenty.
  public let judgedPeople: Int
  /// The measured studies: their names, subjects and readings.
  public let studies: [(name: String, subjects: Int, readings: Int)]

  /// Gathers the evidence.
  ///
  /// - Parameters:
  ///   - studies: Measured people.
  ///   - people: How many people of each design to make up.
  /// - Throws: ``/Estimation/SeriesFailure/solver(_:)`` if GSL could not be run.
  public init(
    _ studies: [Study], people: Int, golden: [GoldenOutcome], jobs: Int
  ) throws(SeriesFailure) {
    solver = try NISTCertification()
    self.golden = golden
    self.people = people
    judgedPeople = people > 0 ? max(1, people / 20) : 0
    self.studies = studies.map { study in
      (
        study.title ?? study.name, Set(study.series.map(\.subject.id)).count,
        study.series.map(\.readings.count).reduce(0, +)
      )
    }
    var fits: [StudyFit] = []
    for study in studies {
      let options = FitOptions()
      let found = try StudyFit.fits(of: study, options: options, jobs: jobs)
      engines.append(
        try EngineComparison(
          study.name, of: found, instrument: study.instrument, options: options, jobs: jobs))
      heldOut += try HeldOutScore.all(of: study, jobs: jobs)
      fits += found
    }
    for design in Self.designs(people: people) where people > 0 {
      let made = try design.people()
      let study = Study(name: design.name, series: made.map(\.series))
      let found = try StudyFit.fits(of: study, options: design.options, jobs: jobs)
      // GSL alone takes seconds for one person with Michaelis-Menten elimination: `--engines` has the patience.
      if design.options.model != .michaelisMenten {
        engines.append(
          try EngineComparison(
            design.name, of: Array(found.prefix(judgedPeople)), instrument: nil,
            options: design.options, jobs: jobs))
      }
      coverage += IntervalCoverage.all(
        design.name, made, found,
        level: design.options.interval?.level ?? Interval.defaultLevel)
      fits += found
    }
    curves = CurveVerification(of: fits)
  }

  /// Those designs in which the model that is fitted is the one that made the readings: r is Watson's wherever it
  /// is not estimated, and no rate is held at what is typical. The tail of Michaelis-Menten elimination is also
  /// measured by an instrument that states what it can see: zeros at face value hide their errors.
  private static func designs(people: Int) -> [EngineComparison.Design] {
    let stated = EngineComparison.Design(
      name: "michaelis-menten, limit of detection",
      cohort: CohortDesign(
        subjects: people, seed: 7, limitOfDetection: 0.02, model: .michaelisMenten),
      options: FitOptions(model: .michaelisMenten))
    return (EngineComparison.designs(people: people) + [stated])
      .filter { $0.options.estimate.isSuperset(of: $0.options.model.defaultEstimate) }
      .map { design in
        guard !design.options.estimate.contains(.r) else { return design }
        var cohort = design.cohort
        cohort.spreadOfR = 0
        return EngineComparison.Design(name: design.name, cohort: cohort, options: design.options)
      }
  }

  /// Whether everything is calculated as the reference has it, and no golden result drifted.
  public var isVerified: Bool {
    solver.isPassed && curves.isPassed && engines.allSatisfy(\.isPassed)
      && !golden.contains(where: \.isUnconfirmed)
  }
}

/// How one method predicts people who had no part in the prediction: k_a and beta are the median of all other
/// subjects' fits.
public struct HeldOutScore: Codable, Hashable, Sendable {
  public let study: String
  /// Concentrations: errors over all subjects, in g/kg.
  public let concentrations: MethodSummary
  /// Times to sobriety: errors over all subjects, in min; nil where nothing is known of any time.
  public let sobriety: SobrietySummary?
  /// How many times to sobriety are known between two readings and predicted with a 90 % interval.
  public let intervals: Int
  /// How many of those intervals agree with the readings.
  public let held: Int

  /// Predicts everybody from all others, by every method that is defined for somebody.
  ///
  /// - Throws: ``/Estimation/SeriesFailure`` if the predictions cannot be prepared.
  public static func all(of study: Study, jobs: Int) throws(SeriesFailure) -> [HeldOutScore] {
    let options = PredictionOptions(parameters: .leftOut(starts: StartDesign.defaultCount))
    let comparisons = try Comparison.comparisons(of: study, options: options, jobs: jobs)
    let summary = ComparisonSummary(of: comparisons, bootstrap: Bootstrap())
    return summary.methods.filter { $0.sex == nil && $0.quantity == .concentration }.map { method in
      let agreements = comparisons.filter { $0.method == method.method }
        .compactMap(\.sobriety.agreesWithInterval)
      return HeldOutScore(
        study: study.title ?? study.name, concentrations: method,
        sobriety: summary.sobriety.first { $0.sex == nil && $0.method == method.method },
        intervals: agreements.count, held: agreements.count(where: \.self))
    }
  }
}

/// How often the intervals of one parameter hold the truth, in a cohort that is made up.
public struct IntervalCoverage: Codable, Hashable, Sendable {
  /// The design of the cohort.
  public let design: String
  public let parameter: FitParameter
  /// How often intervals are to hold the truth.
  public let level: Double
  /// How many intervals there are; one without an end on one side is counted, one without any is not.
  public private(set) var intervals = 0
  /// How many of them hold the truth.
  public private(set) var covered = 0

  /// Counts for every parameter that was estimated.
  ///
  /// - Parameter fits: Those of the people, in the same order.
  static func all(
    _ design: String, _ people: [SimulatedPerson], _ fits: [StudyFit], level: Double
  ) -> [IntervalCoverage] {
    let estimated = fits.lazy.compactMap { try? $0.result.get() }.first?.estimates.keys.sorted()
    return (estimated ?? []).map { parameter in
      var coverage = IntervalCoverage(design: design, parameter: parameter, level: level)
      for (person, fit) in zip(people, fits) {
        guard let estimate = (try? fit.result.get())?.estimates[parameter],
          let truth = person.parameters[parameter]
        else { continue }
        coverage.count(estimate, truth)
      }
      return coverage
    }
  }

  private mutating func count(_ estimate: ParameterEstimate, _ truth: Double) {
    guard estimate.low != nil || estimate.high != nil else { return }
    intervals += 1
    if estimate.low ?? truth <= truth, truth <= estimate.high ?? truth { covered += 1 }
  }
}
