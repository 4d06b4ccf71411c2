import AlcoholKinetics
import ArgumentParser
import Estimation
import Reporting
import StrictOptions
import StudyData
import Validation

struct Sober: ResultCommand {
  static let configuration = Help.configuration(
    "sober", ["threshold": "\(SobrietyThreshold.assumed.concentration.value)"])

  @OptionGroup var input: StudyOptions
  @OptionGroup var prediction: PredictionArguments

  @Flag(
    help: """
      Summarise each method instead: errors in percent and minutes with intervals over people, and which method is \
      better.
      """)
  var summary = false

  @OptionGroup var shares: WithinOption
  @OptionGroup(title: "Intervals") var intervals: BootstrapArguments
  @OptionGroup var details: DetailsOption
  @OptionGroup var part: PartOption
  @OptionGroup(title: "Conversion of readings") var conversion: ConversionOptions
  @OptionGroup var threads: JobsOption
  @OptionGroup(title: "Output") var output: OutputOptions

  var factors: ConversionFactors { conversion.factors }
  var predictionOptions: PredictionOptions { prediction.options(factors) }
  var members: OptionMembers { prediction.members(factors) }

  func validate() throws {
    try prediction.check()
    try part.check(isByRow: isStreamed)
  }

  /// Whether rows are written while the study is read.
  private var isStreamed: Bool {
    output.resolvedFormat.isByRow && !summary && !predictionOptions.needsWholeStudy
  }

  mutating func run() throws {
    try input.resolve(&conversion, console)
    guard isStreamed else {
      let study = try input.read(console, prediction.given)
      conversion.warn(about: study, console)
      prediction.typical.setFood(from: study, console)
      return try summarise(study)
    }
    let stream = try input.stream(console, part, prediction.given)
    let columns = Report.times.columns.named()
    let batch = try batch(columns, of: stream, conversion, prediction.typical)
    try batch.writeScores(
      of: stream, columns, try Scorer(predictionOptions, scoresCurves: false), jobs: threads.count,
      console
    ) { $0.timeStatus == .failed }
  }

  /// Predicts a study, scores the times, and prints them, or what they come to.
  private func summarise(_ study: Study) throws {
    let options = predictionOptions
    let scores = try Scorer(options, scoresCurves: false).scores(of: study, jobs: threads.count)
    let provenance = provenance(
      inputs: study.inputs, thresholds: SobrietyThreshold.used(in: scores))
    console.warn(about: try AbsorptionMismatch(in: study, options))
    // A table has a place for them.
    if output.resolvedFormat != .table { console.warn(about: GivenModelCheck(scores)) }
    try output.print(
      try report(on: scores, of: study, options, provenance), details: details.details)
    try console.endIfFailed(scores.count { $0.timeStatus == .failed }, of: scores.count)
  }

  private func report(
    on scores: [Score], of study: Study, _ options: PredictionOptions, _ provenance: Provenance
  ) throws -> Report {
    guard summary || [.table, .json].contains(output.resolvedFormat) else {
      return .sobriety(scores, options: options, provenance: provenance)
    }
    let limits = shares.within.values
    let comparison = SobrietyComparison(
      of: scores, within: limits, bootstrap: intervals.bootstrap,
      requiresAllMethods: prediction.method.rFactor.areNamed)
    let parts =
      details.details
      ? try TimeErrorShares.all(
        of: scores, options, instrument: study.instrument, bootstrap: intervals.bootstrap,
        jobs: threads.count) : []
    return summary
      ? .sobrietySummary(
        comparison, of: scores, shares: parts, options: options, within: limits,
        provenance: provenance)
      : .sobriety(scores, comparison, shares: parts, options: options, provenance: provenance)
  }

  var following: String? { samePage }

  var unused: [UnusedOptions?] {
    predictionOptions.unused.map(UnusedOptions.init) + [
      UnusedOptions(
        WithinOption.optionNames + BootstrapArguments.optionNames,
        if: !summary && output.resolvedFormat != .table,
        "because rows of subjects have no intervals over people; add --summary, or leave it out"),
      output.unusedDetails,
    ]
  }
}
