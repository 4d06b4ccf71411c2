import AlcoholKinetics
import ArgumentParser
import Certification
import Estimation
import Foundation
import Population
import Reporting
import StrictOptions
import StudyData
import StudyFiles
import Validation

struct Simulate: ResultCommand {
  static let configuration = Help.configuration("simulate")

  @Argument(
    help: "Study to simulate; not with --drinks or --cohort.", completion: .file())
  var study: String?

  @OptionGroup var columns: MapOption
  @OptionGroup var table: InputFormatOption

  @Option(
    help: ArgumentHelp(
      "Drinks to simulate instead of a study, separated by commas.", valueName: "drinks"),
    transform: DrinkList.init(parsing:))
  var drinks: DrinkList?

  @OptionGroup(title: "Person") var person: PersonArguments

  @Option(
    name: .customLong("every"),
    help: ArgumentHelp(
      "Minutes between points or readings. (default: \(Self.usualStep); "
        + "\(NumberStyle.exact(CohortArguments.usual.every.minutes)) with --cohort)",
      valueName: "min"))
  var everyMin: Double?

  private static let usualStep = 1

  @Option(
    help: ArgumentHelp(
      "End of the curves: sober, or a time in min on the clock of the drinks. Only curves of Widmark's "
        + "model reach 0; those of other models end at \(SimulatedCurves.traces.value) g/kg.",
      valueName: "end"))
  var until = CurveEnd.sober

  @Flag(help: "Draw the curves as text instead of writing them as CSV.")
  var plot = false

  @Flag(
    help: """
      Add the 90 % band of each curve, from the spread of k_a, beta, the lag and r between people: \
      bac_low_g_per_kg and bac_high_g_per_kg, empty where nothing is known to spread. Curves end with the \
      band. Each costs 64 curves more; a study takes two to three times as long.
      """)
  var band = false

  @OptionGroup(title: "Prediction") var method: MethodOption
  @OptionGroup(title: "Prediction") var typical: TypicalOption
  @OptionGroup(title: "Prediction") var water: BloodWaterOption
  @OptionGroup(title: "Prediction") var kinetics: KineticOptions
  @OptionGroup(title: "Cohort") var cohort: CohortArguments
  @OptionGroup(title: "Population") var population: SimulatedPopulationArguments
  @OptionGroup(title: "Output") var output: FileOptions

  var namedFiles: [NamedFile] { [.read(study), .read(population.from)] }

  func validate() throws {
    let sources = [
      study.map { "the study \($0)" }, drinks.map { _ in "--drinks" },
      cohort.cohort.map { _ in "--cohort" },
    ].compactMap(\.self)
    try require(
      population.from == nil || drinks == nil,
      "--from needs people: name a STUDY or add --cohort, without --drinks.")
    guard sources.count == 1 else {
      let given = sources.isEmpty ? "nothing" : sources.joined(separator: " and ")
      throw ValidationError(
        "Give exactly one of STUDY, --drinks and --cohort; found \(given).")
    }
    try requirePositive("--every", everyMin)
    if let everyMin, cohort.cohort != nil, !(everyMin * Double(cohort.readings + 1)).isFinite {
      throw ValidationError(
        "--every is \(everyMin) and --readings is \(cohort.readings): the times are too large; reduce one."
      )
    }
    try require(
      drinks != nil || person.given.isEmpty,
      "\(person.given.joined(separator: ", ")): only used with --drinks; leave it out, or put it "
        + "into the study.")
    if cohort.cohort == nil {
      try kinetics.check(method.model)
    } else if !kinetics.areDefaults {
      throw ValidationError(
        "--cohort draws each subject's parameters; leave out --ka, --beta and --predict-with.")
    }
    try require(
      cohort.cohort == nil || !plot,
      "--plot draws curves, and --cohort makes none; leave out one of them.")
    try require(
      !band || (cohort.cohort == nil && !plot),
      cohort.cohort == nil
        ? "--band adds columns to the CSV, which --plot does not write; leave out one of them."
        : "--cohort makes up people whose parameters are known; leave out --band.")
    if cohort.cohort == nil, population.from == nil {
      try output.requireName(of: plot ? .table : .csv)
    }
    try require(
      (cohort.cohort == nil && population.from == nil) || output.path != nil,
      "\(population.from == nil ? "--cohort" : "--from") writes several files; name a folder with -o."
    )
    try require(
      population.from == nil || !(plot || band),
      "--from draws readings and no curves; leave out --plot and --band.")
  }

  var members: OptionMembers {
    var options = predictionOptions
    options.typical = typical.recorded
    // Parameters are drawn for each person.
    if cohort.cohort != nil || population.from != nil { options.parameters = .fitted(starts: 1) }
    return options.members + [("every_min", everyMin ?? usualStep)]
  }

  private var usualStep: Double {
    cohort.cohort == nil ? Double(Self.usualStep) : CohortArguments.usual.every.minutes
  }

  private var predictionOptions: PredictionOptions {
    PredictionOptions(
      parameters: .given(kinetics.given), typical: typical.kinetics,
      methods: method.rFactor.methods(water.constant(typical.preset)), model: method.model)
  }

  func run() throws {
    if let file = population.from, let folder = output.path {
      try writePopulation(from: file, to: folder)
    } else if let subjects = cohort.cohort, let folder = output.path {
      try writeCohort(of: subjects, to: folder)
    } else {
      try writeCurves()
    }
  }

  // MARK: Population

  private func writePopulation(from name: String, to folder: String) throws {
    let file = try console.populationFile(name).file
    let template = try template()
    let simulation = try console.naming(name) { () throws(Problem) in
      try StudySimulation(file, seed: cohort.seed, isUncertain: !population.fixedEstimates)
    }
    if !population.fixedEstimates, !simulation.isCorrelated {
      console.remark(
        "\(name) has no covariance of estimates, so each is drawn by itself; promille population --format json writes it"
      )
    }
    let hasSeveral = population.studies > 1
    var simulated = template
    var people: [StudySimulation.Person] = []
    for number in 1...population.studies {
      people += try simulation.study(
        number, like: template.series, instrument: template.instrument
      ).map { hasSeveral ? $0.renamed(ofStudy: number) : $0 }
    }
    simulated.series = people.map(\.series)
    simulated.title = nil
    let files =
      try StudyWriter.files(of: simulated) + [("truth.csv", StudySimulation.truth(of: people))]
    try console.attempt(folder, "-o") { try FolderOutput.write(files, to: folder) }
  }

  /// The people whose bodies, drinks and times are taken.
  private func template() throws -> Study {
    guard let subjects = cohort.cohort else {
      return try StudyOptions(study: study ?? "", columns: columns, table: table).read(console)
    }
    var cohort = try SimulatedCohort(cohort.design(of: subjects, every: everyMin, method.model))
    var series: [Series] = []
    while let person = try cohort.next() { series.append(person.series) }
    return Study(name: "cohort", series: series)
  }

  // MARK: Cohort

  private func writeCohort(of subjects: Int, to folder: String) throws {
    let design = cohort.design(
      of: subjects, every: everyMin, method.model)
    var people = try SimulatedCohort(design)
    var text = CohortText(design)
    let files = try console.attempt(folder, "-o") {
      try FolderOutput(folder, files: CohortText.fileNames)
    }
    while let person = try people.next() {
      text.append(person)
      if text.count > 1 << 20 {
        try console.attempt(folder, "-o") { try files.write(text.texts) }
        text.removeAll()
      }
    }
    try console.attempt(folder, "-o") {
      try files.write(text.texts)
      try files.finish()
    }
  }

  // MARK: Curves

  private func writeCurves() throws {
    let stream = try stream()
    let curves = SimulatedCurves(
      options: predictionOptions,
      everyMinutes: everyMin ?? Double(Self.usualStep), end: until.minutes, withBand: band)
    let batch = try RowBatch(
      RowWriter(head: plot ? "" : curves.head), to: output.path, option: "-o",
      isLive: stream.isLive, of: stream.count, people: console.people(of: stream), taking: typical,
      console)
    try RowBatch.run([batch], over: stream, console) { stream in
      try curves.forEach(of: stream) { curve in
        try batch.write(
          plot ? TerminalPlot(curve).text + "\n" : curves.text(of: curve), of: curve.series,
          count: curve.methods, failed: curve.failures)
        for reason in curve.reasons { console.remark("\(reason)") }
      }
    }
    try batch.endIfFailed()
  }

  private func stream() throws -> StudyStream {
    if let drinks {
      let series = Series(subject: person.subject, drinks: drinks.drinks, readings: [])
      return StudyStream(Study(name: "drinks", series: [series]))
    }
    return try StudyOptions(study: study ?? "", columns: columns, table: table).stream(console)
  }

  var following: String? {
    guard cohort.cohort != nil || population.from != nil, let folder = output.path else {
      return nil
    }
    return "what is in it: promille check \(folder.quotedForShell)"
  }

  var unused: [UnusedOptions?] {
    let isCohort = cohort.cohort != nil
    let isDrawn = population.from != nil
    return [
      UnusedOptions(
        CohortArguments.optionNames.filter { $0 != "--seed" || !isDrawn }, if: !isCohort,
        "because it is for --cohort; add it, or leave the option out"),
      UnusedOptions(
        ["--noise", "--r-spread", "--model"], if: isDrawn,
        "because the population of --from says it; leave it out"),
      UnusedOptions(
        ["--studies", "--fixed-estimates"], if: !isDrawn,
        "because it is for --from; add it, or leave the option out"),
      UnusedOptions(
        ["--every"] + KineticOptions.optionNames, if: isDrawn && !isCohort,
        "because --from takes times and drinks from the study, and draws parameters; leave it out"),
      UnusedOptions(
        ["--until", "--r-factor", "--color"] + TypicalOption.optionNames
          + BloodWaterOption.optionNames, if: isCohort || isDrawn,
        "because each subject's parameters are drawn, and no curve; leave it out"),
      UnusedOptions(
        MapOption.optionNames + InputFormatOption.optionNames, if: study == nil,
        "because no table is read; leave it out"),
    ]
  }
}
