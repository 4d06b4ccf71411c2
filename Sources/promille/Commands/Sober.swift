import AlcoholKinetics
import ArgumentParser
import Reporting
import StrictOptions
import StudyData
import Validation

struct Sober: CurvePredicting, SeriesCommand {
  static let configuration = Help.configuration(
    "sober", ["threshold": "\(SobrietyThreshold.assumed.concentration.value)"])

  @OptionGroup var input: StudyOptions
  @OptionGroup(title: "Prediction") var method: MethodOption
  @OptionGroup(title: "Prediction") var typical: TypicalOption
  @OptionGroup(title: "Prediction") var water: BloodWaterOption
  @OptionGroup(title: "Prediction") var given: PredictionFiles
  @OptionGroup(title: "Prediction") var source: PredictionSource
  @OptionGroup(title: "Prediction") var kinetics: KineticOptions
  @OptionGroup(title: "Prediction") var search: SearchArguments
  @OptionGroup(title: "Prediction") var readings: ReadingArguments

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

  func validate() throws {
    try source.check(kinetics, method.model)
    try given.check(besides: methods.map(\.name))
    try part.check(isByRow: isByRow && !predictionOptions.needsWholeStudy)
  }

  /// Whether rows are written while the study is read.
  private var isByRow: Bool { output.resolvedFormat.isByRow && !summary }

  mutating func run() throws {
    try input.allowMap(for: given)
    try input.settle(&conversion, console)
    if isByRow, !predictionOptions.needsWholeStudy {
      return try writeScores(
        of: try input.stream(console, part, given), Report.times.columns, scoresCurves: false
      ) { $0.timeStatus == .failed }
    }
    let study = try input.read(console, given)
    conversion.tell(of: study, console)
    try learning(from: study, console).summarise(study)
  }

  /// Predicts a study, scores the times, and prints them, or what they come to.
  private func summarise(_ study: Study) throws {
    let options = predictionOptions
    let scores = try Scorer(options, scoresCurves: false).scores(of: study, jobs: threads.count)
    let provenance = provenance(
      inputs: study.inputs, thresholds: SobrietyThreshold.used(in: scores))
    console.tell(try FarAbsorption(in: study, options))
    // A table has a place for them.
    if output.resolvedFormat != .table { console.tell(GivenModelCheck(scores)) }
    try output.print(
      try report(on: scores, of: study, options, provenance), details: details.details)
    try console.endIfFailed(scores.count { $0.timeStatus == .failed }, of: scores.count)
  }

  private func report(
    on scores: [Score], of study: Study, _ options: PredictionOptions, _ provenance: Provenance
  ) throws -> Report {
    guard summary || output.resolvedFormat == .table else {
      return .sobriety(scores, options: options, provenance: provenance)
    }
    let limits = shares.within.values
    let comparison = SobrietyComparison(
      of: scores, within: limits, bootstrap: intervals.bootstrap,
      areAllWanted: method.rFactor.areNamed)
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
}

extension Sober {
  var unused: [UnusedOptions?] {
    let isSummary = summary || output.resolvedFormat == .table
    return [
      UnusedOptions(
        SearchArguments.optionNames, if: source.parameters == .given,
        "because nothing is fitted; it is for --parameters fitted or left-out"),
      UnusedOptions(
        WithinOption.optionNames + BootstrapArguments.optionNames, if: !isSummary,
        "because rows of subjects have no intervals over people; add --summary, or leave it out"),
      output.unusedDetails, readings.unused,
    ]
  }
}
