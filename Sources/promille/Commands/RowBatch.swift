import AlcoholKinetics
import Reporting
import StudyData
import Synchronization
import Validation

extension ResultCommand where Output == OutputOptions {
  /// Begins rows that are written as the series of a stream come.
  func batch<Row>(
    _ columns: [Column<Row>], of stream: StudyStream, _ conversion: ConversionOptions,
    _ typical: TypicalOption
  ) throws -> RowBatch {
    try RowBatch(
      RowWriter(columns.map(\.header), as: output.resolvedFormat, provenance()), to: output.path,
      option: "-o", isLive: stream.isLive, of: stream.count, people: console.people(of: stream),
      converting: conversion,
      taking: typical.isGiven ? typical : nil, console)
  }
}

extension RowBatch {
  /// Writes the scores of each series as it is read, then warns of what they say together.
  func writeScores(
    of stream: sending StudyStream, _ columns: [Column<ScoreRow>], _ scorer: Scorer, jobs: Int,
    _ console: Console, _ hasFailed: @escaping @Sendable (ScoreRow) -> Bool
  ) throws {
    let check = Mutex(try AbsorptionCheck(scorer.options, stream.instrument))
    let errors = Mutex(ErrorDiagnosticSums())
    let models = Mutex(GivenModelCheck())
    try RowBatch.run([self], over: stream, console) { stream in
      try scorer.forEach(of: stream, jobs: jobs) { series, scores in
        let rows = scores.map(ScoreRow.init)
        try self.write(
          rows.map { columns.cells(of: $0) }, of: series, failed: rows.count(where: hasFailed))
        check.withLock { $0.add(series) }
        errors.withLock { errors in scores.forEach { errors.add($0) } }
        models.withLock { models in scores.forEach { models.add($0) } }
      }
    }
    console.warn(about: check.withLock(\.mismatch))
    console.warn(about: errors.withLock(\.diagnostics))
    console.warn(about: models.withLock { $0 })
    try endIfFailed()
  }
}

/// Rows that are written as they come. Reports the findings of each series, counts rows without a
/// result, and shows the progress.
final class RowBatch: Sendable {
  private let console: Console
  /// The file or standard output, for messages.
  private let destination: String
  private let option: String
  private let state: Mutex<State>

  /// Whether somebody waits for each row, or a program listens, and hears at once what was found. Else findings come at
  /// the end, those that repeat in a line, as where a study is read whole.
  private let isLive: Bool

  private struct State {
    let output: Output
    var writer: RowWriter
    var progress: Progress
    var rows = 0
    var failed = 0
    /// The findings printed for the last subject: a finding about a subject is in each of its series.
    var reported: (subject: String, findings: Set<Diagnostic>) = ("", [])
    /// The findings to print at the end.
    var findings = CollapsedFindings()
    /// The subject of the last series.
    var subject: String?
    /// Options to warn of at the first reading in breath.
    var conversion: ConversionOptions?
    /// Options to warn of at the first subject whose food they override.
    var typical: TypicalOption?
  }

  /// Opens the result and writes what stands before the rows.
  ///
  /// - Parameters:
  ///   - path: The file, written whole or not at all; nil for standard output.
  ///   - isLive: Whether somebody waits for each row.
  ///   - count: How many series come, if that is known.
  ///   - people: Of how many people, if that is known.
  init(
    _ writer: RowWriter, to path: String?, option: String, isLive: Bool = false,
    of count: Int? = nil, people: Int? = nil,
    converting conversion: ConversionOptions? = nil, taking typical: TypicalOption? = nil,
    _ console: Console
  ) throws {
    self.console = console
    self.option = option
    self.isLive = isLive || Invocation.errorFormat == .json
    destination = path ?? Console.standardOutput
    BrokenPipe.expect()
    let output = try console.attempt(destination, option) {
      try Output(to: path, isFlushing: isLive)
    }
    state = Mutex(
      State(
        output: output, writer: writer, progress: Progress(of: count, people: people, console),
        conversion: conversion, typical: typical))
    try attempt { try $0.output.write(writer.head) }
  }

  /// Reports the findings of a series and writes its rows.
  func write(_ rows: [[Cell]], of series: Series, failed: Int) throws {
    try attempt { state in
      report(series, &state)
      state.rows += rows.count
      state.failed += failed
      try state.output.write(state.writer.bytes(of: rows))
    }
  }

  /// Reports the findings of a series and writes rows that are text already.
  func write(_ text: String, of series: Series, count: Int, failed: Int) throws {
    try attempt { state in
      report(series, &state)
      state.rows += count
      state.failed += failed
      try state.output.write(text.utf8)
    }
  }

  /// Writes rows without findings.
  func write(_ rows: [[Cell]]) throws {
    try attempt { try $0.output.write($0.writer.bytes(of: rows)) }
  }

  private func report(_ series: Series, _ state: inout State) {
    if !series.diagnostics.isEmpty {
      if state.reported.subject != series.subject.id { state.reported = (series.subject.id, []) }
      let new = series.diagnostics.filter { state.reported.findings.insert($0).inserted }
      if isLive {
        if !new.isEmpty { state.progress.clear() }
        console.report(new)
      } else {
        for finding in new { state.findings.add(finding.withOptions) }
      }
    }
    if let conversion = state.conversion, let unit = series.readings.first?.unit {
      if unit.isBreath { state.progress.clear() }
      conversion.warn(about: unit, console)
      state.conversion = nil
    }
    if let sentence = state.typical?.warning(of: series.subject) {
      state.progress.clear()
      console.warning("W_FOOD_OVERRIDDEN", sentence)
      state.typical = nil
    }
    state.progress.advance(ofNextPerson: series.subject.id != state.subject)
    state.subject = series.subject.id
  }

  /// Prints the findings that have waited for the end.
  private func reportFindings(_ state: inout State) {
    console.report(state.findings)
    state.findings = CollapsedFindings()
  }

  /// Completes the result.
  func finish() throws {
    try attempt { state in
      state.progress.clear()
      reportFindings(&state)
      try state.output.write(state.writer.end())
      try state.output.finish()
    }
  }

  /// Abandons the result: standard output gets the rows so far, a file none.
  /// The progress is off the terminal then, so that something else can be said.
  func breakOff() {
    state.withLock { state in
      state.progress.clear()
      reportFindings(&state)
      // Why it ends is said by whoever ends it; that nobody reads is nothing to add.
      try? state.output.write(state.writer.rest())
      try? state.output.breakOff()
    }
  }

  /// Processes a stream and completes the results, each written whole or not at all; reports the findings
  /// about the study as a whole.
  ///
  /// - Parameters:
  ///   - stream: The study, whose findings so far have been reported.
  ///   - body: Writes all rows and gives what was found in the study.
  static func run(
    _ batches: [RowBatch], over stream: sending StudyStream, _ console: Console,
    _ body: (sending StudyStream) throws -> [Diagnostic]
  ) throws {
    let reportedCount = stream.diagnostics.count
    do {
      console.report(Array(try body(stream).dropFirst(reportedCount)))
      for batch in batches { try batch.finish() }
    } catch {
      for batch in batches { batch.breakOff() }
      throw error
    }
  }

  /// Exits with 1, after a message, if some rows have no result.
  func endIfFailed() throws {
    let (failed, rows) = state.withLock { ($0.failed, $0.rows) }
    try console.endIfFailed(failed, of: rows)
  }

  private func attempt(_ body: (inout State) throws -> Void) throws {
    try console.attempt(destination, option) { try state.withLock { try body(&$0) } }
  }
}
