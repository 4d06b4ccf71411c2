import AlcoholKinetics
import ArgumentParser
import Estimation
import Population
import Reporting
import StrictOptions
import StudyData

struct PriorCommand: ResultCommand {
  static let configuration = Help.configuration("prior")

  @OptionGroup var input: StudyOptions
  @OptionGroup var given: PriorArguments

  @Option(help: "Draws from the posterior of each person.")
  var draws = 1000

  @Option(help: "Seed of the random numbers; equal seeds give equal results for any --jobs.")
  var seed: UInt64 = 1

  @OptionGroup(title: "Readings") var readings: ReadingArguments
  @OptionGroup(title: "Conversion of readings") var conversion: ConversionOptions
  @OptionGroup var threads: JobsOption
  @OptionGroup(title: "Output") var output: OutputOptions

  var factors: ConversionFactors { conversion.factors }

  func validate() throws {
    try require("--draws", draws, in: 100...1_000_000)
    try readings.requireLikelihood()
    try require(given.prior != nil, "there is no prior to learn; add --prior FILE.")
  }

  mutating func run() throws {
    try input.resolve(&conversion, console)
    let name = given.prior ?? ""
    let (file, digest) = try console.populationFile(name)
    let (prior, _) = try console.prior(name)
    let study = try input.read(console)
    conversion.warn(about: study, console)
    let completed = try LearningArguments.completed(
      of: study, prior,
      Posterior.Options(
        draws: draws, seed: seed, selection: readings.selection(.linear), factors: factors),
      jobs: threads.count, console)
    let learned = LearnedPriors(prior, other: completed).everybody
    let answer = try console.naming(name) { () throws(PopulationFailure) in
      try PriorAnswer(
        from: prior, people: file.people, series: file.series, to: learned,
        learned: (Set(completed.map(\.subject)).count, completed.count))
    }
    try output.print(.prior(answer, provenance: provenance(inputs: study.inputs + [digest])))
  }
}

extension PriorCommand {
  var unused: [UnusedOptions?] {
    [readings.selection(.linear).unused.flatMap { UnusedOptions($0) }]
  }
}
