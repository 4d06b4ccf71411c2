import AlcoholKinetics
import ArgumentParser
import Reporting
import StrictOptions
import StudyData
import Synchronization
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
      let stream = try input.stream(console, part, given)
      return try run(scoring(stream.instrument), over: .stream(stream))
    }
    let study = try input.read(console, given)
    conversion.tell(of: study, console)
    let command = learning(from: study, console)
    try command.run(command.scoring(study.instrument), over: .study(study))
  }

  /// Predicts times, and scores them with those of given models.
  private func scoring(_ instrument: Instrument?) throws -> SeriesFunction<
    SeriesRows<SobrietyScore>
  > {
    let (options, jobs) = (predictionOptions, threads.count)
    let scorer = try SobrietyScorer(options: options)
    let check = Mutex(try AbsorptionCheck(options, instrument))
    let models = Mutex(GivenModelCheck(options.models))
    let isTable = output.resolvedFormat == .table
    let tell = {
      console.tell(check.withLock(\.found))
      // A table has a place for them.
      if !isTable { console.tell(models.withLock { $0 }) }
    }
    return SeriesFunction(
      rows: RowTable(Report.times.columns) { TimeRow($0) },
      results: { stream, consume in
        guard !options.needsWholeStudy else {
          var stream = stream
          let study = try stream.rest()
          try SeriesRows.all(scorer.scores(of: study, jobs: jobs), of: study).forEach(consume)
          return study.diagnostics
        }
        return try scorer.forEach(of: stream, jobs: jobs) { series, scores in
          try consume(SeriesRows(series: series, rows: scores))
        }
      },
      take: { scores in
        check.withLock { $0.add(scores.series) }
        models.withLock { models in scores.rows.forEach { models.add($0) } }
      },
      thresholds: { SobrietyThreshold.used(in: $0.flatMap(\.rows)) }, tell: tell,
      print: { values, provenance in
        if isTable { tell() }
        try output.print(
          try report(on: values.flatMap(\.rows), provenance, instrument), details: details.details)
      })
  }

  private func report(
    on scores: [SobrietyScore], _ provenance: Provenance, _ instrument: Instrument?
  ) throws -> Report {
    let options = predictionOptions
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
        of: scores, options, instrument: instrument, bootstrap: intervals.bootstrap,
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
