import AlcoholKinetics
import ArgumentParser
import Estimation
import Foundation
import Population
import Reporting
import StrictOptions
import StudyData
import StudyFiles
import StudyStore

struct PopulationCommand: ResultCommand {
  static let configuration = Help.configuration("population")

  @OptionGroup var input: StudyOptions

  @Argument(
    help: ArgumentHelp(
      "Further studies, to be fitted together with the first. Subjects are named STUDY/SUBJECT then.",
      valueName: "more"), completion: .file())
  var more: [String] = []

  @Option(
    help: ArgumentHelp(
      "Parameters in which studies differ beyond their people, separated by commas, or all: all "
        + "parameters in which people differ.", valueName: "names"),
    transform: StudyLevel.init(parsing:))
  var studyLevel: StudyLevel?

  @Option(
    help: ArgumentHelp(
      "Column of subjects.csv with the study of each person. (default: the study that a person was read "
        + "from)", valueName: "column"))
  var studyColumn: String?

  @Option(
    help: ArgumentHelp("How ethanol is eliminated: \(EliminationModel.ratesInWords)."))
  var model = PopulationOptions().model

  @Option(
    help: ArgumentHelp(
      "Parameters in which people differ, separated by commas: \(PopulationParameter.names). (default: those of "
        + "absorption and elimination, and r)",
      valueName: "names"), completion: .parameters,
    transform: NameList<PopulationParameter>.init(parsing:))
  var random: NameList<PopulationParameter>?

  @Option(
    help: ArgumentHelp(
      "Further parameters to estimate that are the same for everybody.", valueName: "names"),
    transform: NameList<PopulationParameter>.init(parsing:))
  var common: NameList<PopulationParameter>?

  @Option(
    help: ArgumentHelp(
      "Parameters that also differ between the occasions of a person.", valueName: "names"),
    transform: NameList<PopulationParameter>.init(parsing:))
  var occasional: NameList<PopulationParameter>?

  @Option(
    help:
      "Whether differences between people, and between occasions, are independent or may be correlated."
  )
  var covariance = PopulationOptions().covariance

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      "Let covariates act on a typical value, as powers, or behind a colon exponential: "
        + "beta=sex,weight_kg or r=age_y:exponential; may be repeated. Covariates are sex, food, age_y, height_cm, "
        + "weight_kg and further columns of subjects.csv.",
      valueName: "name=covariates"), transform: CovariateList.init(parsing:))
  var covariate: [CovariateList] = []

  @Option(
    help: ArgumentHelp(
      "Methods whose prediction is a person's typical r: none, "
        + "\(RFactorName.inWords), several of these separated by commas, or all "
        + "(none and those of Nacar 2021).",
      valueName: "methods"), transform: CovariateMethods.init(parsing:))
  var rFactor = CovariateMethods.none

  @OptionGroup var water: BloodWaterOption

  @OptionGroup(title: "Tests") var tests: PopulationTestArguments

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      "Fix a typical value, in the units of fit; may be repeated. It is the same for everybody, unless --random "
        + "or --occasional names the parameter: then people differ about it.",
      valueName: "name=value"),
    completion: .assignedParameters, transform: StatedValue<PopulationParameter>.init(parsing:))
  var fix: [StatedValue<PopulationParameter>] = []

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      "Fix a variance between people, that of the natural logarithm; may be repeated.",
      valueName: "name=variance"), completion: .assignedParameters,
    transform: StatedVariance.init(parsing:))
  var fixOmega: [StatedVariance] = []

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      "Typical value at which the search begins, in the units of fit; may be repeated.",
      valueName: "name=value"), completion: .assignedParameters,
    transform: StatedValue<PopulationParameter>.init(parsing:))
  var initial: [StatedValue<PopulationParameter>] = []

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      "Restrict a typical value to a range, in the same units; may be repeated.",
      valueName: "name=low:high"), completion: .assignedParameters,
    transform: StatedRange<PopulationParameter>.init(parsing:))
  var bound: [StatedRange<PopulationParameter>] = []

  @Option(
    help: ArgumentHelp(
      "How the SD of a reading depends on the concentration, as in fit. (default: additive)",
      valueName: "model"), transform: ErrorModel.init(parsing:))
  var error = PopulationOptions().error

  @OptionGroup(title: "Readings") var readings: ReadingArguments

  @Option(
    help: """
      How random effects are integrated out: fo, foce, focei (FOCE with interaction), laplace, or quadrature \
      (adaptive Gauss-Hermite), the second opinion for sparse or censored readings, with --evaluate too.
      """)
  var method = PopulationOptions().method

  @Option(help: "Nodes of the quadrature in each direction.")
  var nodes = PopulationOptions().nodes

  @Option(
    help: """
      Starting points of the search: a typical person, everybody's own fits, then slower or faster kinetics. With 1 \
      no second start confirms the minimum.
      """)
  var starts = PopulationOptions().starts

  @Option(
    help: """
      Method for 95 % intervals: wald (standard errors), profile (profile likelihood), or bootstrap (fits to \
      resampled people, or studies with --study-level).
      """)
  var interval = PopulationOptions().interval

  @Option(
    help: "Resampled studies of --interval bootstrap, by --seed. (default: 200)")
  var replicates: Int?

  @Option(
    help: ArgumentHelp(
      "Compute the likelihood at the values of FILE; estimate nothing.", valueName: "file"),
    completion: .file())
  var evaluate: String?

  @OptionGroup(title: "Diagnostics") var checks: DiagnosticArguments
  @OptionGroup(title: "Conversion of readings") var conversion: ConversionOptions
  @OptionGroup var threads: JobsOption
  @OptionGroup(title: "Output") var detail: DetailsOption
  @OptionGroup(title: "Output") var output: OutputOptions

  var factors: ConversionFactors { conversion.factors }

  /// The options as the library takes them.
  private var populationOptions: PopulationOptions {
    var options = PopulationOptions()
    options.model = model
    options.random = random
    options.common = common
    options.occasional = occasional
    options.studyLevel = studyLevel
    options.studyColumn = studyColumn
    options.covariance = covariance
    options.covariate = covariate
    options.rFactor = rFactor
    options.bloodWater = water.constant().content
    options.fix = fix
    options.fixOmega = fixOmega
    options.initial = initial
    options.bound = bound
    options.error = error
    options.censor = readings.censor
    options.lod = readings.lod
    options.excludeAfterDrinkMin = readings.excludeAfterDrinkMin
    options.method = method
    options.nodes = nodes
    options.starts = starts
    options.interval = interval
    options.replicates = replicates
    options.seed = checks.seed
    options.factors = factors
    return options
  }

  var members: OptionMembers { [("blood_water", populationOptions.bloodWater)] }

  var namedFiles: [NamedFile] { (more + [evaluate]).map(NamedFile.read) }

  func validate() throws {
    try refusing(populationOptions.check)
    try require(
      tests.covariatesSearch.isEmpty || (evaluate == nil && rFactor.isSingle),
      "--covariates-search fits one model; leave out --evaluate, and name one method in --r-factor."
    )
    try require(
      tests.against == nil || rFactor.isSingle,
      "--against tests one fit; name one method in --r-factor.")
    try require(
      studyLevel == nil || !more.isEmpty || studyColumn != nil,
      "--study-level needs several studies; name further ones, or the column that tells them apart "
        + "with --study-column.")
  }

  mutating func run() throws {
    try input.resolve(&conversion, with: more, console)
    // Before the fits, which may take long.
    let file = try evaluate.map(console.population)
    let study = try read()
    conversion.warn(about: study, console)
    let comparison = try tests.against.map { ($0, try console.population($0)) }
    let (fits, search, remarks) = try fits(study, file?.file)
    var answer = PopulationAnswer(
      fits, search: search,
      against: try comparison.map { name, read in
        (name, try test(fits, file?.file, name, read.file))
      },
      remarks: remarks)
    let provenance = provenance(
      inputs: study.inputs + (file.map { [$0.digest] } ?? [])
        + (comparison.map { [$0.1.digest] } ?? []))
    if checks.isEnabled, let best = answer.best?.fit {
      let people = Set(best.individuals.map(\.subject))
      answer.diagnostics = try PopulationDiagnostics(
        of: best, study.series.filter { people.contains($0.subject.id) },
        instrument: study.instrument, options: checks.options(jobs: threads.count))
      if let residuals = checks.residuals {
        try console.write(
          Report.residuals(of: answer).csv(output.decimal).utf8, to: residuals,
          option: "--residuals")
      }
      if checks.drawsFigures {
        try checks.write(
          .population(answer, title: study.title ?? study.name, provenance: provenance), console)
      }
    }
    if output.resolvedFormat != .table {
      for remark in answer.leftOut + answer.remarks { console.remark(remark) }
    }
    try output.print(.population(answer, provenance: provenance), details: detail.details)
    guard fits.allSatisfy({ $0.fit.isConverged && $0.fit.leftOut.isEmpty }) else {
      throw ExitStatus.someFailed
    }
  }

  private func read() throws -> Study {
    let first = try input.read(console)
    guard !more.isEmpty else { return first }
    let others = try more.map { ($0, try input.naming($0).read(console)) }
    return try Study(pooling: [(input.study, first)] + others)
  }

  /// A fit by each method, of the same people and readings, and what there is to say of others.
  private func fits(
    _ study: Study, _ file: PopulationFile?
  ) throws -> (
    fits: [(rFactor: String, fit: PopulationFit)], search: CovariateSearch?, remarks: [String]
  ) {
    let status = StatusLine(console)
    defer { status.clear() }
    let methods = populationOptions.methods
    let models = try methods.map { try populationOptions.model(by: $0.method) }
    if !tests.covariatesSearch.isEmpty, let method = methods.first, let model = models.first {
      let search = try CovariateSearch(
        study.series, instrument: study.instrument, model, tests.candidates, tests.limits,
        options: options(of: model, status))
      return ([(method.name, search.fit)], search, [])
    }
    guard models.count > 1 else {
      let only = try zip(methods, models).map {
        ($0.name, try fit(study.series, study, $1, file, status))
      }
      return (only, nil, [])
    }
    let common = try CommonSeries(
      study.series, instrument: study.instrument,
      zip(methods, models).map { (name: $0.name, model: $1) },
      requiresAllMethods: rFactor.text != "all", jobs: threads.count)
    let fits = try common.models.map { place in
      let fit = try fit(common.series, study, models[place], file, status)
      return (rFactor: methods[place].name, fit: fit.leavingOut(common.leftOut[place] ?? []))
    }
    return (fits, nil, common.ranking.remarks)
  }

  /// The fit, or the stored one whose likelihood was computed again, against another that was stored.
  private func test(
    _ fits: [(rFactor: String, fit: PopulationFit)], _ evaluated: PopulationFile?, _ name: String,
    _ file: PopulationFile
  ) throws -> NestedFitsTest {
    func likelihood(_ file: PopulationFile, _ name: String) throws(Problem)
      -> FitLikelihood
    {
      guard let likelihood = try file.likelihood() else {
        throw .file(
          "\(name) is not the result of a fit: write one with promille population --format json")
      }
      return likelihood
    }
    let likelihoodOfFit =
      try evaluated.map { try likelihood($0, evaluate ?? "") } ?? fits[0].fit.likelihood
    return try NestedFitsTest(likelihoodOfFit, try likelihood(file, name))
  }

  private func fit(
    _ series: [Series], _ study: Study, _ model: PopulationModel, _ file: PopulationFile?,
    _ status: StatusLine
  ) throws -> PopulationFit {
    let options = options(of: model, status)
    guard let file else {
      return try PopulationFit(
        series, instrument: study.instrument, model: model, options: options)
    }
    return try PopulationFit(
      evaluating: try file.values(of: model), of: series, instrument: study.instrument,
      model: model, centers: file.centers(of: model), options: options)
  }

  /// The options of a search that shows how far it is.
  private func options(of model: PopulationModel, _ status: StatusLine) -> PopulationFit.Options {
    var options = populationOptions.search(jobs: threads.count)
    let name = model.rFactor?.name
    options.progress = { status.show((name.map { "\($0): " } ?? "") + $0) }
    return options
  }
}

extension Console {
  /// Reads values of a population, or a prior made of them.
  func population(_ path: String) throws -> (file: PopulationFile, digest: InputDigest) {
    guard let data = FileName.contents(of: path) else {
      throw Refusal(
        "E_FILE_UNREADABLE", "\(path) cannot be read: \(OutputFailure().errorDescription ?? "")",
        ExitStatus.noInput)
    }
    let file = try naming(path) { () throws(Problem) in try PopulationFile(data) }
    return (file, InputDigest(file: path, of: data))
  }

  /// Reads a file; a failure names it.
  func naming<Value>(_ file: String, _ read: () throws(Problem) -> Value) throws -> Value {
    do {
      return try read()
    } catch {
      throw Refusal(error.code, "\(file): \(error)", error.exitCode)
    }
  }
}

extension PopulationCommand {
  var following: String? {
    guard checks.report == nil else { return nil }
    return line(for: Self.self, adding: ["--report", "population.html"])
      .map { "the same as a page: \($0)" }
  }

  var unused: [UnusedOptions?] {
    populationOptions.unused.map(UnusedOptions.init) + [
      UnusedOptions(
        ["--starts", "--initial", "--bound", "--interval"], if: evaluate != nil,
        "because --evaluate estimates nothing; leave it out"),
      UnusedOptions(
        ["--seed"], if: interval.usualReplicates == 0 && !checks.isEnabled,
        "because only --diagnostics and --interval bootstrap draw at random; add one, or leave it out"
      ),
      UnusedOptions(
        ["--p-forward", "--p-backward"], if: tests.covariatesSearch.isEmpty,
        "because they are for --covariates-search; add it, or leave them out"),
      output.unusedDetails,
    ]
  }
}
