import AlcoholKinetics
import ArgumentParser
import Reporting
import StudyData
import Synchronization
import Validation

struct Sober: CurvePredicting {
  static let configuration = CommandConfiguration(
    abstract: "Compare predicted and measured time to sobriety, in minutes and percent.",
    discussion: """
      Times count from the first drink. The measured time lies between the last reading above the \
      threshold and the next one, from which all readings stay at or below it. If the last reading is \
      still above the threshold, the measured time is later than that reading. If no reading is above \
      it, the measured time is not later than the first reading. Errors are predicted minus measured; \
      where the measured time is only a limit, so is the error. Exits with 1 if a prediction failed.

      Without --threshold, a subject counts as sober at or below the limit of detection (LOD, LLOQ) of \
      the instrument, else its resolution, both converted to g/kg, else \
      \(SobrietyThreshold.assumed.concentration.value) g/kg. For zero, use \
      --threshold 0.

      With csv or ndjson, rows are written while the study is read, one subject at a time. With \
      --parameters left-out, the whole study is held in memory.

      Examples:
        promille sober datasets/nacar-2021 --preset nacar-2021
        promille sober datasets/made-up-24 --blood-breath-ratio 2100 --summary
      """)

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

  func validate() throws {
    try source.check(kinetics, method.model)
    try part.check(
      isByRow: isByRow && predictions == nil && !predictionOptions.needsWholeStudy,
      to: output.output)
  }

  /// Whether rows are written while the study is read.
  private var isByRow: Bool { output.resolvedFormat.isByRow && !storing.isWanted && !summary }

  mutating func run() throws {
    try input.settle(&conversion, console)
    if isByRow {
      if let file = predictions, let curves = try input.stream(readingsFrom: file, console) {
        return try score(curves, in: file, predictionOptions)
      }
      if predictions == nil, !predictionOptions.needsWholeStudy {
        return try scoreOneByOne(predictionOptions)
      }
    }
    let study = try input.read(console)
    conversion.tell(of: study, console)
    try learning(from: study, console).scoreAll(study)
  }

  /// Scores the whole study at once.
  private func scoreAll(_ study: Study) throws {
    let options = predictionOptions
    let scorer = try SobrietyScorer(options: options)
    let curves = try predictions.map {
      try StudyOptions.readCurves($0, of: study, console)
    }
    let scores =
      if let curves {
        scorer.scores(of: curves, against: study)
      } else {
        try scorer.scores(of: study, jobs: threads.count)
      }
    if curves == nil { console.tell(try FarAbsorption(in: study, options, jobs: threads.count)) }
    let provenance = try provenance(
      inputs: study.inputs + Self.inputs(of: curves, from: predictions),
      thresholds: SobrietyThreshold.used(in: scores))
    try storing.record(scores, provenance, console)
    try output.print(report(on: scores, options, provenance))
    try console.endIfFailed(scores.count { $0.status == .failed }, of: scores.count)
  }

  private func report(
    on scores: [SobrietyScore], _ options: PredictionOptions, _ provenance: Provenance
  ) -> Report {
    guard summary || output.resolvedFormat == .table else {
      return .sobriety(scores, options: options, provenance: provenance)
    }
    let limits = shares.within.values
    let comparison = SobrietyComparison(of: scores, within: limits, bootstrap: intervals.bootstrap)
    var report =
      summary
      ? Report.sobrietySummary(
        comparison, of: scores, options: options, within: limits, provenance: provenance)
      : .sobriety(scores, comparison, options: options, provenance: provenance)
    report.isDetailed = details.details
    return report
  }

  /// The digest of the file with the curves; of a study, those of all its files.
  private static func inputs(of curves: Study?, from path: String?) -> [InputDigest] {
    let inputs = curves?.inputs ?? []
    let own = inputs.filter { $0.file == path }
    return own.isEmpty ? inputs : own
  }

  /// Writes the scores of every series as soon as all before them are known.
  private func scoreOneByOne(_ options: PredictionOptions) throws {
    let scorer = try SobrietyScorer(options: options)
    let (stream, places) = try input.stream(console, part)
    let lines = Report.sobrietyLines(as: output.resolvedFormat)
    let batch = try RowBatch(
      lines.writer(try provenance()), to: output.output, option: "-o", of: stream,
      converting: conversion, taking: typical,
      part: try partHead(part, output.resolvedFormat).map { ($0, places) }, console)
    let jobs = threads.count
    let check = Mutex(try AbsorptionCheck(options, stream.instrument))
    try StudyOptions.run([batch], over: stream, console) { stream in
      try scorer.forEach(of: stream, jobs: jobs) { scores in
        guard let series = scores.first?.series else { return }
        check.withLock { $0.add(series) }
        try batch.write(
          ResultRows(scores.map(lines.rows)), of: series, count: scores.count,
          failed: scores.count { $0.status == .failed })
      }
    }
    console.tell(check.withLock(\.found))
    try batch.endIfFailed()
  }

  /// Scores curves of another program in the same way.
  private func score(
    _ curves: StudyStream, in file: String, _ options: PredictionOptions
  ) throws {
    let scorer = try SobrietyScorer(options: options)
    let stream = try input.stream(console)
    let lines = Report.sobrietyLines(as: output.resolvedFormat)
    let batch = try RowBatch(
      lines.writer(try provenance()), to: output.output, option: "-o", of: stream,
      converting: conversion, console)
    try StudyOptions.run([batch], over: stream, console) { stream in
      let findings = stream.diagnostics
      let rest = try scorer.forEach(of: stream, curves: curves) { score, curve in
        var series = score.series
        series.diagnostics += curve?.diagnostics.filter { $0.location.file == file } ?? []
        try batch.write(
          lines.rows(score), of: series, count: 1, failed: score.status == .failed ? 1 : 0)
      }
      return findings + rest.filter { $0.location.file == file }
    }
    try batch.endIfFailed()
  }
}
