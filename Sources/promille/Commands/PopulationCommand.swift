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

struct PopulationCommand: RecordedCommand {
  /// Whether differences between people may go together.
  enum Covariance: String, CaseIterable, ExpressibleByArgument { case diagonal, full }

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
  var model = EliminationModel.widmark

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
  var covariance = Covariance.diagonal

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
    completion: .assignedParameters, transform: TypicalValue.typical)
  var fix: [TypicalValue] = []

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      "Fix a variance between people, that of the natural logarithm; may be repeated.",
      valueName: "name=variance"), completion: .assignedParameters,
    transform: TypicalValue.variance)
  var fixOmega: [TypicalValue] = []

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      "Typical value at which the search begins, in the units of fit; may be repeated.",
      valueName: "name=value"), completion: .assignedParameters,
    transform: TypicalValue.typical)
  var initial: [TypicalValue] = []

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      "Look for a typical value in a range alone, in the same units; may be repeated.",
      valueName: "name=low:high"), completion: .assignedParameters,
    transform: TypicalRange.typical)
  var bound: [TypicalRange] = []

  @Option(
    help: ArgumentHelp(
      "How the SD of a reading depends on the concentration, as in fit. (default: additive)",
      valueName: "model"), transform: ErrorModelChoice.init(parsing:))
  var error = ErrorModelChoice.additive

  @OptionGroup(title: "Readings") var readings: ReadingArguments

  @Option(
    help: """
      How random effects are integrated out: fo, foce, focei (FOCE with interaction), laplace, or quadrature \
      (adaptive Gauss-Hermite), the second opinion for sparse or censored readings, with --evaluate too.
      """)
  var method = PopulationMethod.focei

  @Option(help: "Nodes of the quadrature in each direction.")
  var nodes = 9

  @Option(
    help: """
      Starting points of the search: a typical person, everybody's own fits, then slower or faster kinetics. With 1 \
      no second start confirms the minimum.
      """)
  var starts = 3

  @Option(
    help: """
      Method for 95 % intervals: wald (standard errors), profile (profile likelihood), or bootstrap (fits to \
      resampled people, or studies with --study-level).
      """)
  var interval = PopulationFit.Intervals.wald

  @Option(
    help: "Resampled studies of --interval bootstrap; --seed says where they begin. (default: 200)")
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

  var filled: Self {
    var filled = self
    filled.water.fillIn()
    return filled
  }

  var namedFiles: [NamedFile] { (more + [evaluate]).map(NamedFile.read) }

  func validate() throws {
    try require("--nodes", nodes, in: 1...25)
    try require("--starts", starts, in: 1...100)
    try require("--replicates", replicates, in: 100...100_000)
    try require(
      tests.covariatesSearch.isEmpty
        || (evaluate == nil && !rFactor.text.contains(",") && rFactor.text != "all"),
      "--covariates-search fits one model; leave out --evaluate, and name one method in --r-factor."
    )
    try require(
      tests.against == nil || (!rFactor.text.contains(",") && rFactor.text != "all"),
      "--against tests one fit; name one method in --r-factor.")
    try fix.requireDifferent("--fix")
    try fixOmega.requireDifferent("--fix-omega")
    try initial.requireDifferent("--initial")
    try bound.requireDifferent("--bound")
    try covariate.flatMap(\.covariates).requireDifferent("--covariate") {
      "\($0.parameter.rawValue)=\($0.name)"
    }
    try require(
      studyLevel != nil || studyColumn == nil,
      "--study-column is for --study-level; give both, or neither.")
    try require(
      studyLevel == nil || !more.isEmpty || studyColumn != nil,
      "--study-level needs several studies; name further ones, or the column that tells them apart "
        + "with --study-column.")
    try require(
      studyLevel == nil || method != .quadrature,
      "--method quadrature cannot integrate over all people of a study; choose focei or laplace with "
        + "--study-level.")
    try readings.requireLikelihood()
  }

  mutating func run() throws {
    try input.settle(&conversion, with: more, console)
    // Before the fits, which may take long.
    let file = try evaluate.map(console.population)
    let study = try read()
    conversion.tell(of: study, console)
    let other = try tests.against.map { ($0, try console.population($0)) }
    let (fits, search, remarks) = try fits(study, file?.file)
    var answer = PopulationAnswer(
      fits, search: search,
      against: try other.map { name, read in (name, try test(fits, file?.file, name, read.file)) },
      remarks: remarks)
    let provenance = provenance(
      inputs: study.inputs + (file.map { [$0.digest] } ?? [])
        + (other.map { [$0.1.digest] } ?? []))
    if checks.areWanted, let best = answer.best?.fit {
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
    let methods = rFactor.methods(water.constant())
    let models = try methods.map { try model(with: $0.1) }
    if !tests.covariatesSearch.isEmpty, let method = methods.first, let model = models.first {
      let search = try withProgress(model) { options in
        try CovariateSearch(
          study.series, instrument: study.instrument, model, tests.candidates, tests.limits,
          options: options)
      }
      return ([(method.0, search.fit)], search, [])
    }
    guard models.count > 1 else {
      let only = try zip(methods, models).map { ($0.0, try fit(study.series, study, $1, file)) }
      return (only, nil, [])
    }
    let common = try CommonSeries(
      study.series, instrument: study.instrument,
      zip(methods, models).map { (name: $0.0, model: $1) },
      areAllWanted: rFactor.text != "all", jobs: threads.count)
    let fits = try common.models.map { place in
      let fit = try fit(common.series, study, models[place], file)
      return (rFactor: methods[place].0, fit: fit.leavingOut(common.leftOut[place] ?? []))
    }
    return (fits, nil, common.ranking.remarks)
  }

  /// The fit, or the stored one whose likelihood was computed again, against another that was stored.
  private func test(
    _ fits: [(rFactor: String, fit: PopulationFit)], _ evaluated: PopulationFile?, _ name: String,
    _ file: PopulationFile
  ) throws -> NestedFitsTest {
    func likelihood(_ file: PopulationFile, _ name: String) throws(PopulationFailure)
      -> FitLikelihood
    {
      guard let likelihood = try file.likelihood() else {
        throw .badFile(
          "\(name) is not the result of a fit: write one with promille population --format json")
      }
      return likelihood
    }
    let own = try evaluated.map { try likelihood($0, evaluate ?? "") } ?? fits[0].fit.likelihood
    return try NestedFitsTest(own, try likelihood(file, name))
  }

  private func model(with method: (any RFactorMethod)?) throws -> PopulationModel {
    let given = fix.byParameter()
    // As in a fit, what is fixed is left out of what is estimated by default.
    let usual = PopulationModel(self.model).random.filter { given[$0] == nil }
    let named = Set(
      [random, common, occasional].flatMap { $0?.parameters ?? [] } + fixOmega.map(\.parameter))
    var fixed: [FitParameter: Double] = [:]
    for (parameter, value) in given where !named.contains(parameter) {
      guard case .kinetic(let own) = parameter else {
        throw ValidationError(
          "--fix cl=... needs a clearance in which people differ; add cl to --random.")
      }
      fixed[own] = value
    }
    var model = PopulationModel(
      self.model, parameters: common?.parameters,
      random: random?.parameters ?? usual
        + fixOmega.map(\.parameter).filter { !usual.contains($0) },
      occasional: occasional?.parameters ?? [], studyColumn: studyColumn ?? Study.column,
      isFull: covariance == .full,
      covariates: covariate.flatMap(\.covariates), rFactor: method, error: error.model,
      fixed: fixed,
      selection: readings.selection(.linear), factors: factors)
    model.fixedTypical = given.filter { named.contains($0.key) }
    model.fixedVariances = fixOmega.byParameter()
    model.bounds = bound.byParameter()
    model.studyLevel = studyLevel.map { $0.list?.parameters.sorted() ?? model.random } ?? []
    return model
  }

  private func fit(
    _ series: [Series], _ study: Study, _ model: PopulationModel, _ file: PopulationFile?
  ) throws -> PopulationFit {
    try withProgress(model) { options in
      guard let file else {
        return try PopulationFit(
          series, instrument: study.instrument, model: model, options: options)
      }
      return try PopulationFit(
        evaluating: try file.values(of: model), of: series, instrument: study.instrument,
        model: model, centers: file.centers(of: model), options: options)
    }
  }

  private func withProgress<Value>(
    _ model: PopulationModel, _ fit: (PopulationFit.Options) throws -> Value
  ) throws -> Value {
    var options = PopulationFit.Options()
    (options.method, options.nodes, options.starts) = (self.method, nodes, starts)
    (options.intervals, options.replicates, options.seed) = (interval, replicates, checks.seed)
    options.start = initial.byParameter()
    options.jobs = threads.count
    let status = StatusLine(console)
    defer { status.clear() }
    let name = model.rFactor?.name
    options.progress = { status.show((name.map { "\($0): " } ?? "") + $0) }
    return try fit(options)
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
    let file = try naming(path) { () throws(PopulationFailure) in try PopulationFile(data) }
    return (file, InputDigest(file: path, of: data))
  }

  /// Reads a file; a failure names it.
  func naming<Value>(_ file: String, _ read: () throws(PopulationFailure) -> Value) throws -> Value
  {
    do {
      return try read()
    } catch {
      throw Refusal(error.code, "\(file): \(error)", error.exitCode)
    }
  }
}

extension PopulationCommand {
  var unused: [UnusedOptions?] {
    [
      UnusedOptions(
        ["--nodes"], if: method != .quadrature,
        "because only a quadrature has nodes; add --method quadrature, or leave it out"),
      UnusedOptions(
        BloodWaterOption.optionNames, if: rFactor.text == CovariateMethods.none.text,
        "because no method predicts r; add --r-factor, or leave it out"),
      UnusedOptions(
        ["--starts", "--initial", "--bound", "--interval"], if: evaluate != nil,
        "because --evaluate estimates nothing; leave it out"),
      UnusedOptions(
        ["--replicates"], if: interval.usualReplicates == 0,
        "because only --interval bootstrap has replicates; add it, or leave it out"),
      UnusedOptions(
        ["--seed"], if: interval.usualReplicates == 0 && !checks.areWanted,
        "because only --diagnostics and --interval bootstrap draw at random; add one, or leave it out"
      ),
      UnusedOptions(
        ["--p-forward", "--p-backward"], if: tests.covariatesSearch.isEmpty,
        "because they are for --covariates-search; add it, or leave them out"),
      UnusedOptions(
        ["--covariance"],
        if: random.map { $0.parameters.count < 2 } ?? false
          && occasional?.parameters.count ?? 0 < 2,
        "because a single parameter has nothing to be correlated with; leave it out"),
      output.unusedDetails, readings.unused,
    ]
  }
}
