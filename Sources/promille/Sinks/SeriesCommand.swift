import Estimation
import Reporting
import StudyData
import Synchronization
import Validation

/// A command that computes something for each series: a source of series, a function, and sinks.
///
/// The sinks are rows with their head and progress, and whatever else a command takes of each result. A table
/// and a summary need all results; so the study is then in memory, and so are they: a whole study is a stream whose
/// sink collects.
protocol SeriesCommand: CurveCommand where Output == OutputOptions {
  var input: StudyOptions { get }
  var part: PartOption { get }
  var threads: JobsOption { get }
}

/// Where the series of a command come from.
enum SeriesSource {
  /// All at once.
  case study(Study)
  /// One at a time, in memory that does not grow with the study.
  case stream(StudyStream)

  var study: Study? { if case .study(let study) = self { study } else { nil } }
  var isLive: Bool { if case .stream(let stream) = self { stream.isLive } else { false } }
}

protocol SeriesOutcome: Sendable {
  associatedtype Row: SeriesRow
  var series: Series { get }
  var rows: [Row] { get }
}

extension SeriesOutcome where Row == Self {
  var rows: [Self] { [self] }
}

/// A row of what is computed for a series.
protocol SeriesRow: Sendable {
  /// Whether there is no result, for the reason that the row states.
  var hasFailed: Bool { get }
}

extension StudyFit: SeriesOutcome, SeriesRow { typealias Row = Self }
extension EliminationLineFit: SeriesOutcome, SeriesRow { typealias Row = Self }
extension CandidateRow: SeriesRow { var hasFailed: Bool { fit.hasFailed } }
extension ModelSelection: SeriesOutcome { var rows: [CandidateRow] { CandidateRow.all(of: self) } }

/// A series, and a row for each given model and method.
private struct SeriesScores: SeriesOutcome {
  struct Row: SeriesRow {
    let score: ScoreRow
    let hasFailed: Bool
  }

  let series: Series
  let rows: [Row]
}

/// The function of a command, and what it makes of the results.
struct SeriesFunction<Value: SeriesOutcome> {
  typealias Consumer = @Sendable (Value) throws -> Void

  /// What is written of a result where rows are written one at a time.
  let rows: RowTable<Value.Row>
  /// Hands the results on, in the order of the series, and gives what was found in the study as a whole.
  let results: (sending StudyStream, @escaping Consumer) throws -> [Diagnostic]
  /// Files beside the result, of which ``take`` writes the rows.
  var beside: [RowBatch] = []
  /// Takes each result in turn, for files and sums that need nothing else.
  var take: Consumer = { _ in }
  /// Files that were read beside the study.
  var inputs: [InputDigest] = []
  /// Prints warnings about all results together, unless a table has a place for them.
  var tell: () -> Void = {}
  /// Prints all results as one, where rows are not written one at a time.
  var print: ([Value], Provenance) throws -> Void = { _, _ in }
}

extension SeriesCommand {
  /// Runs a function over the series, and ends the command with 1 if some rows have no result.
  func run<Value>(_ function: SeriesFunction<Value>, over source: sending SeriesSource) throws {
    switch source {
    case .study(let study): try collect(function, of: study)
    case .stream(let stream): try writeRows(function, of: stream)
    }
  }

  private func collect<Value>(_ function: SeriesFunction<Value>, of study: Study) throws {
    let collected = Mutex((values: [Value](), progress: Progress(of: study.series.count, console)))
    let take = function.take
    defer { collected.withLock { $0.progress.clear() } }
    try RowBatch.run(function.beside, over: StudyStream(study), console) { stream in
      _ = try function.results(stream) { value in
        collected.withLock {
          $0.values.append(value)
          $0.progress.advance()
        }
        try take(value)
      }
      // What was found in the study has been told where it was read.
      return []
    }
    let values = collected.withLock {
      $0.progress.clear()
      return $0.values
    }
    let provenance = provenance(inputs: study.inputs + function.inputs)
    let rows = values.flatMap(\.rows)
    if output.resolvedFormat != .table { function.tell() }
    try function.print(values, provenance)
    try console.endIfFailed(rows.count(where: \.hasFailed), of: rows.count)
  }

  fileprivate func writeRows<Value>(
    _ function: SeriesFunction<Value>, of stream: sending StudyStream
  ) throws {
    let batch = try RowBatch(
      RowWriter(function.rows.headers, as: output.resolvedFormat, provenance()),
      to: output.path, option: "-o", isLive: stream.isLive,
      of: stream.count, converting: conversion, taking: typical.isGiven ? typical : nil,
      console)
    let (take, table) = (function.take, function.rows)
    try RowBatch.run([batch] + function.beside, over: stream, console) { stream in
      try function.results(stream) { value in
        let rows = value.rows
        try batch.write(
          rows.map(table.cells), of: value.series, failed: rows.count(where: \.hasFailed))
        try take(value)
      }
    }
    function.tell()
    try batch.endIfFailed()
  }
}

extension CurvePredicting where Self: SeriesCommand {
  /// Writes the scores of each series as it is read, then tells what they say together.
  func writeScores(
    of stream: sending StudyStream, _ columns: [Column<ScoreRow>], scoresCurves: Bool = true,
    _ hasFailed: @escaping @Sendable (ScoreRow) -> Bool
  ) throws {
    let scorer = try Scorer(predictionOptions, scoresCurves: scoresCurves)
    let check = Mutex(try AbsorptionCheck(predictionOptions, stream.instrument))
    let errors = Mutex(ErrorDiagnosticSums())
    let models = Mutex(GivenModelCheck())
    let function = SeriesFunction<SeriesScores>(
      rows: RowTable(columns, \.score),
      results: { [threads] stream, consume in
        try scorer.forEach(of: stream, jobs: threads.count) { series, scores in
          let rows = scores.map { score in
            let row = ScoreRow(score)
            return SeriesScores.Row(score: row, hasFailed: hasFailed(row))
          }
          try consume(SeriesScores(series: series, rows: rows))
        }
      },
      take: { scores in
        check.withLock { $0.add(scores.series) }
        errors.withLock { errors in scores.rows.forEach { errors.add($0.score.score) } }
        models.withLock { models in scores.rows.forEach { models.add($0.score.score) } }
      },
      tell: { [console] in
        console.tell(check.withLock(\.found))
        console.tell(errors.withLock(\.diagnostics))
        console.tell(models.withLock { $0 })
      })
    try writeRows(function, of: stream)
  }
}
