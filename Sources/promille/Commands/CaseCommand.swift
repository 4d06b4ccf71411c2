import AlcoholKinetics
import ArgumentParser
import Casework
import Estimation
import Foundation
import Population
import Reporting
import StrictOptions
import StudyData
import StudyFiles

struct CaseCommand: ResultCommand {
  static let configuration = Help.configuration("case")

  @Argument(help: "One of these, or --case; see promille case back --help.")
  var question: CaseQuestion?

  @Option(
    name: .customLong("case"), help: ArgumentHelp("Read the case from FILE.", valueName: "file"),
    completion: .file())
  var caseFile: String?

  @OptionGroup(title: "The person") var person: PersonArguments
  @OptionGroup(title: "The case") var stated: StatedCase
  @OptionGroup(title: "Assumptions") var assumed: StatedAssumptions
  @OptionGroup(title: "Assumptions") var conversion: ConversionOptions

  @Option(
    help: ArgumentHelp(
      "Use the person's own readings in STUDY, in place of textbook ranges of k_a, beta and r; needs "
        + "--subject.", valueName: "study"), completion: .file())
  var study: String?

  @OptionGroup var columns: MapOption
  @OptionGroup var table: InputFormatOption

  @Option(help: "The person in --study, whose sex, age, height and weight are taken unless given.")
  var subject: String?

  @Option(help: "Occasion of the person in --study, if there are several.")
  var occasion: String?

  @Option(
    help: ArgumentHelp(
      "With --study: what is known of people, a FILE that promille population wrote as JSON, or one that "
        + "ships: \(PopulationPrior.shippedNames.joined(separator: ", ")).",
      valueName: "file"), completion: .priors)
  var prior: String?

  @Flag(
    help:
      "The case is about the evening of the readings in --study. Without it, --prior must say how far evenings differ."
  )
  var sameEvening = false

  @Option(help: "guideline or monte-carlo.")
  var mode = CaseOptions.Mode.guideline

  @Option(help: "Random draws of monte-carlo.")
  var draws = CaseOptions().draws

  @Option(help: "Seed of the draws; equal seeds give equal results.")
  var seed = CaseOptions().seed

  @Option(help: "Level of the interval of monte-carlo.")
  var level = CaseOptions().level

  @OptionGroup var threads: JobsOption

  @OptionGroup var statements: StatementOption

  @OptionGroup(title: "Output") var output: OutputOptions

  var factors: ConversionFactors { conversion.factors }

  var namedFiles: [NamedFile] { [.read(caseFile), .read(study), .read(prior)] }

  func validate() throws {
    try require(
      (question == nil) != (caseFile == nil),
      "give a question (\(CaseQuestion.allCases.map(\.rawValue).joined(separator: ", "))) or --case FILE"
        + (caseFile == nil ? "." : ", not both."))
    try require("--draws", draws, in: 100...1_000_000)
    try require("--level", level, in: 0.5...0.999)
    if caseFile != nil {
      try require(
        stated.areDefaults && assumed.areDefaults && person.areDefaults
          && factors == ConversionFactors(),
        "--case FILE describes the whole case; put the other options into the file.")
    }
    try require(
      (study == nil) == (subject == nil)
        && (study != nil || (occasion == nil && prior == nil && !sameEvening)),
      "--study and --subject belong together, --occasion, --prior and --same-evening to them.")
    if study != nil, let option = assumed.ofReadings.first {
      throw ValidationError(
        "--study takes k_a, beta and r from the person's readings; leave out \(option), or leave out --study."
      )
    }
  }

  func run() throws {
    var (caseInput, inputs) = try caseFile.map(read) ?? (statedCase(), [])
    if let study, let subject {
      inputs += try addReadings(of: subject, from: study, to: &caseInput)
    }
    let answer = try CaseAnswer(
      caseInput,
      options: CaseOptions(
        mode: mode, draws: draws, seed: seed, level: level, jobs: threads.count))
    for warning in answer.warnings where output.resolvedFormat != .table {
      console.warning(warning.code, warning.message)
    }
    var provenance = provenance(inputs: inputs)
    provenance.factors = caseInput.assumptions.factors
    if let statement = statements.statement {
      try console.write(
        .statement(on: answer, provenance: provenance),
        isMarkdown: !statement.lowercased().hasSuffix(".html"), to: statement,
        option: "--statement")
    }
    try output.print(.answer(answer, provenance: provenance))
  }

  private func read(_ file: String) throws -> (Case, [InputDigest]) {
    guard let data = FileName.contents(of: file) else {
      throw Refusal(
        "E_FILE_UNREADABLE", "\(file) cannot be read; check the path", ExitStatus.noInput)
    }
    return (try Case(json: data, path: file), [InputDigest(file: file, of: data)])
  }

  /// The case that the options state, with remarks on the country of ounces, pints and units.
  private func statedCase() throws -> Case {
    let drinks = try stated.drinks()
    var caseInput = try stated.stated(question ?? .back, drinks)
    caseInput.person = person.subject
    caseInput.assumptions = try assumed.assumptions(conversion)
    for drink in drinks {
      if let remark = drink.remark { console.remark("\(drink.time.text): \(remark)") }
    }
    return caseInput
  }

  /// Adds the person's readings in a study to a case, and the body measures that it does not state.
  private func addReadings(
    of subject: String, from path: String, to caseInput: inout Case
  ) throws -> [InputDigest] {
    let prior = try prior.map(console.prior)
    let study = try StudyOptions(study: path, columns: columns, table: table).read(console)
    let matches = study.series.filter {
      $0.subject.id == subject && (occasion == nil || $0.occasion == occasion)
    }
    guard let series = matches.first, matches.count == 1 else {
      throw Problem.input(
        matches.isEmpty
          ? "\(path) has no such subject or occasion; list them with promille check"
          : "subject \(subject) has \(matches.count) occasions; choose one with --occasion")
    }
    caseInput.assumptions.posterior = try CasePosterior(
      series, instrument: study.instrument, occasion: sameEvening ? .same : .another,
      prior: prior?.prior, factors: caseInput.assumptions.factors)
    let person = series.subject
    caseInput.person.sex = caseInput.person.sex ?? person.sex
    caseInput.person.age = caseInput.person.age ?? person.age
    caseInput.person.height = caseInput.person.height ?? person.height
    caseInput.person.weight = caseInput.person.weight ?? person.weight
    return study.inputs + (prior.map { [$0.digest] } ?? [])
  }
}

extension CaseCommand {
  var following: String? {
    guard statements.statement == nil else { return nil }
    return line(for: Self.self, adding: ["--statement", "statement.html"])
      .map { "the same as a page: \($0)" }
  }

  var unused: [UnusedOptions?] {
    let units = [stated.unit, stated.answerUnit]
    let ofAbsorption = [
      "--r-factor", "--r-unit", "--r-cv", "--absorbed", "--ka", "--lag", "--stomach",
      "--absorption",
      "--height-sd", "--weight-sd",
    ]
    return [
      UnusedOptions(
        ["--draws", "--seed", "--level"], if: mode == .guideline,
        "because --mode guideline draws nothing; add --mode monte-carlo, or leave it out"),
      UnusedOptions(
        MapOption.optionNames + InputFormatOption.optionNames, if: study == nil,
        "because no table is read; add --study, or leave it out"),
      UnusedOptions(
        ofAbsorption, if: question == .back,
        "because the question back follows elimination alone; leave it out"),
      UnusedOptions(
        ["--duplicate-limit"], if: caseFile == nil && stated.measured.count < 2,
        "because there are no two samples; state each with --measured, or leave it out"),
      UnusedOptions(
        ["--case-number", "--author"], if: statements.statement == nil,
        "because only a statement has it; add --statement, or leave it out"),
      UnusedOptions(
        ofAbsorption, if: question == .sober && stated.drink.isEmpty,
        "because from a measurement the question sober follows elimination alone; add --drink, or leave it out"
      ),
      UnusedOptions(
        ofAbsorption, if: question == .forward && stated.drink.isEmpty,
        "because from a measurement the question forward follows elimination alone; add --drink, or leave it out"
      ),
      UnusedOptions(
        ["--ka", "--lag", "--stomach"],
        if: caseFile == nil && assumed.absorption == .finished && question != .back,
        "because --absorption finished follows no absorption; leave it out"),
      UnusedOptions(
        ["--later-drink"], if: question != nil && question != .later,
        "because it is for the question later; leave it out"),
      UnusedOptions(
        ["--limit"], if: question == .drinks,
        "because the question drinks has no concentration for an answer; leave it out"),
      UnusedOptions(
        ["--blood-breath-ratio", "--blood-breath-ratio-sd"],
        if: caseFile == nil && !units.contains { $0?.isBreath ?? false },
        "because no concentration is one in breath; leave it out"),
      UnusedOptions(
        ["--serum-blood-ratio", "--serum-blood-ratio-sd"],
        if: caseFile == nil && !units.contains { $0?.matrix == .serum },
        "because no concentration is one in serum; leave it out"),
    ]
  }
}
