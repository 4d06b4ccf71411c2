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
  @OptionGroup(title: "Prediction") var source: PredictionSource
  @OptionGroup(title: "Prediction") var kinetics: KineticOptions
  @OptionGroup(title: "Prediction") var search: SearchArguments
  @OptionGroup(title: "Prediction") var readings: ReadingArguments

  @Option(
    help: ArgumentHelp(
      """
      Score the predictions in FILE, laid out like readings.csv, instead of computing any. FILE may \
      also be a study folder or a database with the predictions as its readings.
      """,
      valueName: "file"), completion: .file())
  var predictions: String?

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
  @OptionGroup var storing: StoreOption
  @OptionGroup var threads: JobsOption
  @OptionGroup(title: "Output") var output: OutputOptions

  var namedFiles: [NamedFile] { [.read(predictions), part.record(beside: output.path)] }

  func validate() throws {
    try source.check(kinetics, method.model)
    try part.check(
      isByRow: isByRow && predictions == nil && !predictionOptions.needsWholeStudy,
      to: output.path)
  }

  /// Whether rows are written while the study is read.
  private var isByRow: Bool { output.resolvedFormat.isByRow && !storing.isWanted && !summary }

  mutating func run() throws {
    try input.settle(&conversion, console)
    if isByRow {
      if let file = predictions, let curves = try input.stream(readingsFrom: file, console) {
        let (stream, places) = try input.stream(console)
        return try run(scoring(curves, from: file), over: .stream(stream, places))
      }
      if predictions == nil, !predictionOptions.needsWholeStudy {
        let (stream, places) = try input.stream(console, part)
        return try run(predicting(by: stream.instrument), over: .stream(stream, places))
      }
    }
    let study = try input.read(console)
    conversion.tell(of: study, console)
    let command = learning(from: study, console)
    guard let file = predictions else {
      return try command.run(command.predicting(by: study.instrument), over: .study(study))
    }
    let curves = try StudyOptions.readCurves(file, of: study, console)
    // The digest of the file with the curves; of a study, those of all its files.
    let own = curves.inputs.filter { $0.file == file }
    try command.run(
      command.scoring(
        StudyStream(curves), from: file, inputs: own.isEmpty ? curves.inputs : own),
      over: .study(study))
  }

  /// Predicts curves, and scores them.
  private func predicting(by instrument: Instrument?) throws -> SeriesFunction<SeriesScores> {
    let (options, jobs) = (predictionOptions, threads.count)
    let scorer = try SobrietyScorer(options: options)
    let check = Mutex(try AbsorptionCheck(options, instrument))
    return function(
      take: { scores in check.withLock { $0.add(scores.series) } },
      tell: { console.tell(check.withLock(\.found)) },
      results: { stream, consume in
        guard !options.needsWholeStudy else {
          var stream = stream
          let study = try stream.rest()
          try SeriesScores.all(scorer.scores(of: study, jobs: jobs)).forEach(consume)
          return study.diagnostics
        }
        return try scorer.forEach(of: stream, jobs: jobs) {
          try SeriesScores.all($0).forEach(consume)
        }
      })
  }

  /// Scores curves of another program.
  ///
  /// - Parameters:
  ///   - file: Where they are.
  ///   - inputs: What they were read from, if that is known before.
  private func scoring(
    _ curves: StudyStream, from file: String, inputs: [InputDigest] = []
  ) throws -> SeriesFunction<SeriesScores> {
    let scorer = try SobrietyScorer(options: predictionOptions)
    return function(inputs: inputs) { stream, consume in
      let findings = stream.diagnostics
      let rest = try scorer.forEach(of: stream, curves: curves) { score, curve in
        var series = score.series
        series.diagnostics += curve?.diagnostics.filter { $0.location.file == file } ?? []
        try consume(SeriesScores(series: series, rows: [score]))
      }
      return findings + rest.filter { $0.location.file == file }
    }
  }

  private func function(
    inputs: [InputDigest] = [],
    take: @escaping SeriesFunction<SeriesScores>.Consumer = { _ in },
    tell: @escaping () -> Void = {},
    results:
      @escaping (sending StudyStream, @escaping SeriesFunction<SeriesScores>.Consumer)
      throws -> [Diagnostic]
  ) -> SeriesFunction<SeriesScores> {
    SeriesFunction(
      columns: Report.times.columns, results: results, take: take, inputs: inputs,
      thresholds: { SobrietyThreshold.used(in: $0.flatMap(\.rows)) }, tell: tell,
      print: { values, provenance in
        if output.resolvedFormat == .table { tell() }
        try output.print(report(on: values.flatMap(\.rows), provenance), details: details.details)
      })
  }

  private func report(on scores: [SobrietyScore], _ provenance: Provenance) -> Report {
    let options = predictionOptions
    guard summary || output.resolvedFormat == .table else {
      return .sobriety(scores, options: options, provenance: provenance)
    }
    let limits = shares.within.values
    let comparison = SobrietyComparison(
      of: scores, within: limits, bootstrap: intervals.bootstrap,
      areAllWanted: method.rFactor.areNamed)
    return summary
      ? .sobrietySummary(
        comparison, of: scores, options: options, within: limits, provenance: provenance)
      : .sobriety(scores, comparison, options: options, provenance: provenance)
  }
}

/// The scores of a series, one for each method.
struct SeriesScores: SeriesOutcome {
  let series: Series
  var rows: [SobrietyScore]

  /// Puts those of each series together, which follow each other.
  static func all(_ scores: [SobrietyScore]) -> [SeriesScores] {
    scores.reduce(into: []) { all, score in
      if let last = all.last?.series, last.subject.id == score.series.subject.id,
        last.occasion == score.series.occasion
      {
        all[all.count - 1].rows.append(score)
      } else {
        all.append(SeriesScores(series: score.series, rows: [score]))
      }
    }
  }
}

extension Sober {
  var unused: [UnusedOptions?] {
    let isSummary = summary || output.resolvedFormat == .table
    let predicting =
      MethodOption.optionNames + TypicalOption.optionNames + BloodWaterOption.optionNames
      + PredictionSource.optionNames.filter { $0 != "--threshold" } + KineticOptions.optionNames
      + SearchArguments.optionNames
    return [
      UnusedOptions(
        predicting, if: predictions != nil,
        "because --predictions supplies the curves; leave it out"),
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
