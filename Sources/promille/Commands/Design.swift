import AlcoholKinetics
import ArgumentParser
import Estimation
import Population
import Reporting
import StrictOptions
import StudyData
import Validation

struct Design: ResultCommand {
  static let configuration = Help.configuration("design")

  @Argument(
    help: "Study whose people and drinks to plan for; not with --drinks.", completion: .file())
  var study: String?

  @OptionGroup var columns: MapOption
  @OptionGroup var table: InputFormatOption

  @Option(
    help: ArgumentHelp(
      "Drinks to plan for instead of a study, written as for simulate.", valueName: "drinks"),
    transform: DrinkList.init(parsing:))
  var drinks: DrinkList?

  @OptionGroup(title: "Person") var person: PersonArguments

  @Option(
    help: ArgumentHelp(
      "How many readings to place. (default: as many as --readings has, else \(usualCount))",
      valueName: "n"))
  var count: Int?

  private static let usualCount = 6

  @Option(
    help: ArgumentHelp(
      "Times that you plan or have, in min since the first drink, separated by commas, to compare with.",
      valueName: "min"), transform: MinuteList.init(parsing:))
  var readings: MinuteList?

  @Option(
    help: ArgumentHelp(
      "What is to be certain: all parameters together, some parameters by name, or one of "
        + "\(DerivedQuantity.namesInWords).", valueName: "names"),
    transform: AimChoice.init(parsing:))
  var `for` = AimChoice.all

  @Option(
    help: ArgumentHelp(
      "How many people: rse:PERCENT, until typical values have this relative standard error; or with 80 % power at 5 %: "
        + "METHOD:METHOD, until the first r method is shown to be better, where r follows it; "
        + "PARAMETER=COVARIATE:PERCENT, until an effect is shown by likelihood ratio of population fits, if the parameter "
        + "is so much higher for women (sex), after a meal (food), or for twice a number.",
      valueName: "aim"), transform: PeopleChoice.init(parsing:))
  var people: PeopleChoice?

  @Option(
    help: ArgumentHelp(
      "With --people, on how many occasions everybody is measured; for food every other one is after a meal.",
      valueName: "n"))
  var occasions = 1

  @OptionGroup(title: "Times") var times: TimeArguments
  @OptionGroup(title: "Readings") var instrument: InstrumentArguments

  @Option(
    help: ArgumentHelp(
      "Parameters that fits will estimate: \(FitParameter.names). Default: \(EliminationModel.estimatesInWords).",
      valueName: "names"), completion: .parameters,
    transform: NameList<FitParameter>.init(parsing:))
  var estimate: NameList<FitParameter>?

  @Option(help: ArgumentHelp("How ethanol is eliminated: \(EliminationModel.ratesInWords)."))
  var model = EliminationModel.widmark

  @Option(
    help: ArgumentHelp(
      "Source of the assumed r: \(RFactorName.inWords), or a number in kg/kg.",
      valueName: "method"))
  var rFactor = RFactorName(Watson())

  @OptionGroup(title: "Assumed truth") var prior: PriorArguments
  @OptionGroup(title: "Assumed truth") var typical: TypicalOption
  @OptionGroup(title: "Assumed truth") var water: BloodWaterOption
  @OptionGroup(title: "Assumed truth") var kinetics: KineticOptions
  @OptionGroup(title: "Derived quantities") var derived: DerivedArguments
  @OptionGroup(title: "Expectations") var trial: TrialArguments

  @Option(
    help: ArgumentHelp(
      "Also draw the curve with the times, and what readings tell over time, as FILE.svg.",
      valueName: "file"), completion: .file())
  var figure: String?

  @OptionGroup var threads: JobsOption
  @OptionGroup(title: "Output") var details: DetailsOption
  @OptionGroup(title: "Output") var output: OutputOptions

  var namedFiles: [NamedFile] { [.read(study), .written(figure, by: "--figure")] }

  func validate() throws {
    try require(
      (study == nil) != (drinks == nil), "Give either STUDY or --drinks.")
    try require(
      drinks != nil || person.given.isEmpty,
      "\(person.given.joined(separator: ", ")): only used with --drinks; leave it out, or put it "
        + "into the study.")
    try require("--count", count, in: 1...50)
    try require("--occasions", occasions, in: 1...10)
    try require(
      figure.map { $0.hasSuffix(".svg") } ?? true,
      "--figure is \(figure ?? ""); the name must end in .svg.")
    try require(
      `for`.quantity != .timeToThreshold || derived.thresholdGPerKg != nil,
      "--for time-to-threshold needs a threshold; add --threshold, in g/kg.")
    try require(
      prior.prior == nil || (kinetics.areDefaults && model == .widmark),
      "--prior says what people are like; leave out --ka, --beta, --predict-with and --model.")
    try require(
      people == nil || prior.prior != nil,
      "--people simulates people, and only a prior says how they differ; add --prior.")
    try require(people == nil || figure == nil, "--figure draws times; leave it out with --people.")
    try kinetics.check(model)
  }

  var members: OptionMembers {
    [
      ("count", readingCount), ("estimate", NameList(estimated)),
      ("blood_water", water.constant(typical.preset).content),
    ]
  }

  private var readingCount: Int { count ?? readings?.minutes.count ?? Self.usualCount }

  private var estimated: Set<FitParameter> {
    estimate.map { Set($0.parameters) } ?? model.defaultEstimate
  }

  func run() throws {
    let study = try read()
    let population = try prior.prior.map { try console.prior($0) }
    let cases = try cases(of: study, population?.prior)
    var options = try instrument.options(of: study, population?.prior.errors.typical)
    options.estimate = estimated
    options.aim = `for`.aim(of: estimated)
    options.derived = derived.options
    times.apply(to: &options)
    trial.apply(to: &options)
    let digests = study.inputs + (population.map { [$0.digest] } ?? [])
    if let people, let population {
      return try planPeople(
        people, for: study, population.prior, cases, options, provenance(inputs: digests))
    }
    let plan = try SamplingPlan(
      of: readingCount, for: cases, planned: readings?.minutes, options: options,
      jobs: threads.count)
    if let figure {
      try console.write(Figure.design(plan).svg.utf8, to: figure, option: "--figure")
    }
    try output.print(
      .design(plan, provenance: provenance(inputs: digests)), details: details.details)
  }

  /// Plans the number of people, measured at the given times or at the best.
  private func planPeople(
    _ people: PeopleChoice, for study: Study, _ prior: PopulationPrior, _ cases: [DesignCase],
    _ options: SamplingOptions, _ provenance: Provenance
  ) throws {
    var quick = options
    quick.simulations = 0
    let minutes =
      try readings?.minutes
      ?? SamplingPlan(of: readingCount, for: cases, options: quick, jobs: threads.count).best
      .minutes
    let plan = try PeoplePlan(
      people.aim(water.constant()), for: study.series.filter { !$0.drinks.isEmpty }, prior: prior,
      at: minutes, occasions: occasions, options: options, jobs: threads.count)
    try output.print(.people(plan, provenance: provenance), details: details.details)
  }

  private func read() throws -> Study {
    guard let drinks else {
      return try StudyOptions(study: study ?? "", columns: columns, table: table).read(console)
    }
    return Study(
      name: "drinks",
      series: [Series(subject: person.subject, drinks: drinks.drinks, readings: [])])
  }

  /// The number of draws of a prior, at least four for each person.
  private static let draws = 64
  /// The largest number of series of a study that a plan is for.
  private static let mostPeople = 32

  /// The design cases, with parameters from the prior or typical values.
  private func cases(of study: Study, _ prior: PopulationPrior?) throws -> [DesignCase] {
    var series = study.series.filter { !$0.drinks.isEmpty }
    if series.count > Self.mostPeople {
      console.remark(
        "the plan is for \(Self.mostPeople) of the \(series.count) series, evenly chosen")
      series = (0..<Self.mostPeople).map { series[$0 * series.count / Self.mostPeople] }
    }
    return try series.flatMap { person in
      if let prior {
        return try DesignCase.drawn(max(4, Self.draws / series.count), from: prior, for: person)
      }
      let values = (typical.kinetics ?? TypicalKinetics(of: person.subject.food)).values(
        of: model, for: person.subject.sex, given: kinetics.given)
      return [
        try DesignCase(
          person,
          try rFactor.method(water.constant(typical.preset)).parameters(
            for: person.subject, model, values))
      ]
    }
  }

  var unused: [UnusedOptions?] {
    [
      UnusedOptions(
        MapOption.optionNames + InputFormatOption.optionNames, if: study == nil,
        "because no table is read; leave it out"),
      UnusedOptions(
        ["--r-factor", "--food", "--preset", "--blood-water"], if: prior.prior != nil,
        "because --prior says what people are like; leave it out"),
      UnusedOptions(
        ["--occasions"], if: people == nil, "because one occasion is planned; add --people"),
      UnusedOptions(
        ["--simulations", "--derived"], if: people != nil,
        "because --people sums up whole studies; leave it out"),
      UnusedOptions(
        ["--count", "--for", "--starts"] + TimeArguments.optionNames,
        if: people != nil && readings != nil,
        "because --readings says when people are measured; leave one of them out"),
      output.unusedDetails,
    ]
  }
}
