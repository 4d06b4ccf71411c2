import AlcoholKinetics
import ArgumentParser
import Estimation
import Foundation
import Population
import Reporting
import StrictOptions
import StudyData
import Validation

struct ForecastCommand: ResultCommand {
  /// The people left out of a prior that is made from the study itself.
  enum Holdout: String, CaseIterable, ExpressibleByArgument { case subject }

  static let configuration = Help.configuration("forecast")

  @OptionGroup var input: StudyOptions
  @OptionGroup var given: PriorArguments

  @Option(
    help: ArgumentHelp(
      "Make the prior from another study, by the model of --prior.", valueName: "study"),
    completion: .file())
  var priorFrom: String?

  @Option(
    help: ArgumentHelp(
      "Make the prior of each person from the others of the study, by the model of --prior."))
  var holdout: Holdout?

  @OptionGroup var learning: LearningArguments

  @Option(
    help: ArgumentHelp(
      "Which readings are known: all, first:N, or those up to MIN minutes after the first drink.",
      valueName: "readings"), transform: KnownReadings.init(parsing:))
  var after = KnownReadings.all

  @Option(
    name: .customLong("threshold"),
    help: ArgumentHelp("The concentration whose time is forecast, in g/kg.", valueName: "g/kg"))
  var thresholdGPerKg = 0.2

  @Option(
    name: .customLong("at"),
    help: ArgumentHelp(
      "Tell the probability to be at or below the threshold at MIN minutes after the first drink.",
      valueName: "min"))
  var atMin: Double?

  @Option(
    name: .customLong("every"),
    help: ArgumentHelp("Step of the curve ahead in JSON.", valueName: "min"))
  var everyMin = 10.0

  @Option(help: "Draws from the posterior of each person.")
  var draws = 1000

  @Option(help: "Seed of the random numbers; equal seeds give equal results for any --jobs.")
  var seed: UInt64 = 1

  @Flag(help: "Replay the study and score the forecasts.")
  var score = false

  @OptionGroup(title: "Readings") var readings: ReadingArguments
  @OptionGroup(title: "Conversion of readings") var conversion: ConversionOptions
  @OptionGroup var threads: JobsOption
  @OptionGroup(title: "Output") var output: OutputOptions

  var factors: ConversionFactors { conversion.factors }

  var namedFiles: [NamedFile] { [.read(priorFrom)] }

  func validate() throws {
    try requireNotNegative("--threshold", thresholdGPerKg)
    try require("--draws", draws, in: 100...1_000_000)
    try require(
      everyMin >= 1 && everyMin.isFinite, "--every is \(everyMin); it must be 1 min or more.")
    try requireNotNegative("--at", atMin)
    try readings.requireLikelihood()
    try require(
      !score || (after.text == "all" && atMin == nil),
      "--score replays the study from every reading on; leave out --after and --at.")
    try require(
      holdout == nil || priorFrom == nil,
      "--holdout and --prior-from both make the prior; choose one.")
    try require(
      holdout == nil || !learning.isGiven,
      "--holdout already makes each prior from the others; leave out --learn and --learn-from.")
  }

  mutating func run() throws {
    try input.resolve(
      &conversion, with: [priorFrom, learning.learnFrom].compactMap(\.self), console)
    guard let name = given.prior else {
      throw Refusal(
        "E_OPTION",
        "a forecast needs a prior; give --prior FILE, or "
          + PopulationPrior.shippedNames.map { "--prior \($0)" }.joined(separator: " or "),
        ExitCode.validationFailure)
    }
    let study = try input.read(console)
    conversion.warn(about: study, console)
    let (priors, digests) = try priors(name, of: study)
    if score {
      try replay(study, priors.prior, digests)
    } else {
      try forecast(study, priors, digests)
    }
  }

  private var posterior: Posterior.Options {
    Posterior.Options(
      draws: draws, seed: seed, selection: readings.selection(.linear), factors: factors)
  }

  // MARK: Priors

  private func priors(
    _ name: String, of study: Study
  ) throws -> (ForecastPriors, [InputDigest]) {
    var (prior, digest) = try console.prior(name)
    var digests = [digest]
    if let priorFrom {
      let source = try input.naming(priorFrom).read(console)
      prior = try refit(name, source, without: nil)
      digests += source.inputs
    }
    if learning.isGiven {
      let threshold = score ? nil : GramsPerKilogram(thresholdGPerKg)
      // As many draws as fit and prior take: what is learned does not depend on those of the forecast.
      var learner = posterior
      learner.draws = Posterior.Options().draws
      let (learned, further) = try learning.priors(
        from: prior, of: study, input, completedAt: threshold, learner, jobs: threads.count,
        console)
      return (ForecastPriors(learned: learned) { learned.population(of: $0) }, digests + further)
    }
    guard holdout == .subject else { return (ForecastPriors { [prior] _ in prior }, digests) }
    var refits: [String: PopulationPrior] = [:]
    for subject in Set(study.series.map(\.subject.id)).sorted() {
      refits[subject] = try refit(name, study, without: subject)
    }
    let priors = refits
    return (ForecastPriors { [prior] in priors[$0.subject.id] ?? prior }, digests)
  }

  private func refit(
    _ name: String, _ study: Study, without subject: String?
  ) throws -> PopulationPrior {
    let (file, _) = try console.populationFile(name)
    let series = study.series.filter { $0.subject.id != subject }
    var model = try file.model()
    model.restrict(to: series)
    model.selection = readings.selection(.linear)
    model.factors = factors
    return try PopulationPrior(
      try PopulationFit(
        series, instrument: study.instrument, model: model,
        options: PopulationFit.Options(jobs: threads.count, start: file.typicalValues)))
  }

  // MARK: Forecasts

  private func forecast(
    _ study: Study, _ priors: ForecastPriors, _ digests: [InputDigest]
  ) throws {
    let options = posterior
    let readingsKnown = after
    let instrument = study.instrument
    let window =
      options.selection.mouthAlcoholWindow ?? instrument?.mouthAlcoholWindow ?? Hours(0)
    let threshold = thresholdGPerKg
    let moment = atMin
    let step = output.resolvedFormat == .json ? everyMin : nil
    let results = try ParallelMap.map(study.series, jobs: threads.count) {
    } _: { (_: Void, series) -> Result<ForecastRow, SeriesFailure> in
      Result { () throws(SeriesFailure) in
        let prior = priors.prior(series)
        let posterior = try Posterior(
          of: series, prior: prior, knowing: readingsKnown.known(of: series),
          instrument: instrument, options: options)
        return try ForecastRow(
          try Forecast(posterior, seed: options.seed), outside: prior.reasonsOutside(of: series),
          learnedFrom: priors.learned?.peopleCount(for: series), threshold: threshold,
          moment: moment, step: step, mouthAlcoholWindow: window)
      }
    }
    let rows = results.compactMap { try? $0.get() }
    let failures = zip(study.series, results).compactMap { series, result in
      if case .failure(let failure) = result {
        ForecastReplay.SeriesResult(series: series, failure: failure)
      } else {
        nil
      }
    }
    try output.print(
      .forecast(
        rows, failures: failures, provenance: provenance(inputs: study.inputs + digests)))
    try console.endIfFailed(failures.count, of: study.series.count)
  }

  private func replay(
    _ study: Study, _ priors: @escaping @Sendable (Series) -> PopulationPrior,
    _ digests: [InputDigest]
  ) throws {
    var options = ForecastReplay.Options(threshold: GramsPerKilogram(thresholdGPerKg))
    options.posterior = posterior
    options.jobs = threads.count
    let replay = try ForecastReplay(of: study, prior: priors, options: options)
    try output.print(
      .forecastScores(
        replay.times, readings: replay.readings, failures: replay.failures,
        bloodDensity: factors.bloodDensityKgPerL,
        provenance: provenance(inputs: study.inputs + digests)))
    try console.endIfFailed(replay.failures.count, of: study.series.count)
  }
}

/// The priors of the series of a study.
private struct ForecastPriors: Sendable {
  /// The priors that have learned; nil if nothing was learned.
  var learned: LearnedPriors?
  let prior: @Sendable (Series) -> PopulationPrior
}

extension PopulationModel {
  /// Removes effects that the series cannot determine: variances between occasions if everybody has
  /// one occasion, variances between people if there are hardly any people, and covariates that are
  /// the same for all.
  fileprivate mutating func restrict(to series: [Series]) {
    let people = Dictionary(grouping: series, by: \.subject.id)
    let all = Set(random).union(occasional).sorted()
    if people.values.allSatisfy({ $0.count == 1 }) {
      random = all
      occasional = []
    } else if people.count < random.count {
      random = random.filter { $0 == .kinetic(.r) }
      occasional = all
    }
    let sexes = Set(series.map(\.subject.sex))
    covariates.removeAll { $0.name == "sex" && (sexes.count == 1 || sexes.contains(nil)) }
  }
}

struct KnownReadings: TypedValue {
  private enum Choice: Hashable {
    case all
    case first(Int)
    case until(Double)
  }

  static let all = KnownReadings(choice: .all, text: "all")
  private let choice: Choice
  let text: String

  private init(choice: Choice, text: String) {
    self.choice = choice
    self.text = text
  }

  init(parsing argument: String) throws {
    text = argument
    if argument == "all" {
      choice = .all
    } else if argument.hasPrefix("first:"), let count = Int(argument.dropFirst(6)), count >= 0 {
      choice = .first(count)
    } else if let minutes = Double(argument), minutes.isFinite {
      choice = .until(minutes)
    } else {
      throw ValidationError("it must be all, first:N, or a number of minutes.")
    }
  }

  /// A test by the index of a reading whether it is known; nil if all are. Readings count in order of time.
  func known(of series: Series) -> (@Sendable (Int) -> Bool)? {
    switch choice {
    case .all: return nil
    case .first(let count):
      let order = series.readings.indices.filter { !series.readings[$0].isExcluded }
        .sorted { (series.readings[$0].time, $0) < (series.readings[$1].time, $1) }
      let indices = Set(order.prefix(count))
      return { indices.contains($0) }
    case .until(let minutes):
      let end = series.start + Hours(minutes / 60) + .roundingSlack
      let indices = Set(series.readings.indices.filter { series.readings[$0].time <= end })
      return { indices.contains($0) }
    }
  }
}

extension ForecastCommand {
  var following: String? {
    guard !score else { return nil }
    return line(for: Self.self, leaving: ["--after", "--at", "--every"], adding: ["--score"])
      .map { "how good such forecasts are: \($0)" }
  }

  var unused: [UnusedOptions?] {
    [
      UnusedOptions(
        ["--every"], if: score || output.resolvedFormat != .json,
        "because only JSON has the curve ahead; add --format json, or leave it out"),
      readings.selection(.linear).unused.flatMap { UnusedOptions($0) },
    ]
  }
}
