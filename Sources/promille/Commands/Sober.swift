import AlcoholKinetics
import ArgumentParser
import Estimation
import Reporting
import StrictOptions
import StudyData
import Synchronization
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
  var members: OptionMembers {
    prediction.members(factors)
  }

  func validate() throws {
    try prediction.check()
    try part.check(isByRow: isStreamed)
  }

  /// Whether rows are written while the study is read.
  private var isStreamed: Bool {
    output.resolvedFormat.isByRow && !summary && !predictionOptions.needsWholeStudy
  }

  mutating func run() throws {
    try input.allowMap(for: prediction.given)
    try input.settle(&conversion, console)
    guard isStreamed else {
      let study = try input.read(console, prediction.given)
      conversion.tell(of: study, console)
      prediction.typical.learn(from: study, console)
      return try score(study)
    }
    try writeScores(of: try input.stream(console, part, prediction.given))
  }

  private func writeScores(of stream: sending StudyStream) throws {
    let (options, jobs) = (predictionOptions, threads.count)
    let scorer = try SobrietyScorer(options: options)
    let columns = Report.times.columns.named()
    let batch = try batch(
      columns.map(\.header), isLive: stream.isLive, of: stream.count, conversion, prediction.typical
    )
    let check = Mutex(try AbsorptionCheck(options, stream.instrument))
    let models = Mutex(GivenModelCheck(options.models))
    try RowBatch.run([batch], over: stream, console) { stream in
      try scorer.forEach(of: stream, jobs: jobs) { series, scores in
        try batch.write(
          scores.map { columns.cells(of: TimeRow($0)) }, of: series,
          failed: scores.count { $0.status == .failed })
        check.withLock { $0.add(series) }
        models.withLock { models in scores.forEach { models.add($0) } }
      }
    }
    console.tell(check.withLock(\.found))
    console.tell(models.withLock { $0 })
    try batch.endIfFailed()
  }

  private func score(_ study: Study) throws {
    let options = predictionOptions
    let scores = try SobrietyScorer(options: options).scores(of: study, jobs: threads.count)
    var check = try AbsorptionCheck(options, study.instrument)
    for series in study.series { check.add(series) }
    console.tell(check.found)
    // A table has a place for them.
    if output.resolvedFormat != .table {
      var models = GivenModelCheck(options.models)
      for score in scores { models.add(score) }
      console.tell(models)
    }
    let provenance = provenance(
      inputs: study.inputs, thresholds: SobrietyThreshold.used(in: scores))
    try output.print(
      try report(on: scores, options, provenance, study.instrument), details: details.details)
    try console.endIfFailed(scores.count { $0.status == .failed }, of: scores.count)
  }

  private func report(
    on scores: [SobrietyScore], _ options: PredictionOptions, _ provenance: Provenance,
    _ instrument: Instrument?
  ) throws -> Report {
    guard summary || output.resolvedFormat == .table else {
      return .sobriety(scores, options: options, provenance: provenance)
    }
    let limits = shares.within.values
    let comparison = SobrietyComparison(
      of: scores, within: limits, bootstrap: intervals.bootstrap,
      areAllWanted: prediction.method.rFactor.areNamed)
    let parts =
      details.details
      ? try TimeErrorShares.all(
        of: scores, options, instrument: instrument, bootstrap: intervals.bootstrap,
        jobs: threads.count) : []
    return summary
      ? .sobrietySummary(
        comparison, of: scores, shares: parts, options: options, within: limits,
        provenance: provenance)
      : .sobriety(scores, comparison, shares: parts, options: options, provenance: provenance)
  }

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
