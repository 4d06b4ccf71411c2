import Estimation
import Reporting
import StudyData
import Synchronization
import Validation

/// Results that are written as soon as they and those before them are made.
extension Fit {
  /// Reads, fits and writes a series at a time.
  func runOneByOne() throws {
    switch method {
    case .nonlinear where curve.isComparison: try compareModelsOneByOne()
    case .nonlinear: try fitCurvesOneByOne()
    case .eliminationLine: try fitLinesOneByOne()
    }
  }

  private func fitCurvesOneByOne() throws {
    let console = output.console
    let stream = try input.stream(console)
    let lines = Report.fitLines(as: output.resolvedFormat)
    let residualLines = Report.residualLines
    let batch = try RowBatch(lines.head, to: output.output, option: "-o", of: stream, console)
    let rest = try residuals.map {
      try RowBatch(residualLines.head, to: $0, option: "--residuals", of: stream, console)
    }
    let (options, jobs) = (curve.options(conversion.factors), threads.count)
    let diagnostics = Mutex(StudyDiagnostics())
    try StudyOptions.run([batch] + (rest.map { [$0] } ?? []), over: stream, console) { stream in
      try StudyFit.forEach(of: stream, options: options, jobs: jobs) { fit in
        let failed = fit.hasFailed ? 1 : 0
        try batch.write(lines.line(fit), of: fit.series, count: 1, failed: failed)
        try rest?.write(residualLines.text(of: fit))
        diagnostics.withLock { $0.add(fit) }
      }
    }
    tell(diagnostics.withLock(\.warnings))
    try batch.endIfFailed()
  }

  private func compareModelsOneByOne() throws {
    let lines = Report.modelLines(as: output.resolvedFormat)
    let sums = Mutex(ModelEvidenceSums())
    let (options, jobs) = (curve.options(conversion.factors), threads.count)
    try write(lines.head, thenTelling: { sums.withLock(\.warnings) }) { stream, batch in
      try ModelSelection.forEach(of: stream, options: options, jobs: jobs) { selection in
        let candidates = selection.candidates
        try batch.write(
          lines.text(of: selection), of: selection.series, count: candidates.count,
          failed: candidates.count(where: \.hasFailed))
        sums.withLock { $0.add(selection) }
      }
    }
  }

  private func fitLinesOneByOne() throws {
    let lines = Report.eliminationLines(as: output.resolvedFormat)
    let (options, jobs) = (lineOptions, threads.count)
    try write(lines.head) { stream, batch in
      try EliminationLineFit.forEach(of: stream, options: options, jobs: jobs) { fit in
        let failed = fit.hasFailed ? 1 : 0
        try batch.write(lines.line(fit), of: fit.series, count: 1, failed: failed)
      }
    }
  }

  private func write(
    _ head: String, thenTelling warnings: () -> [StudyWarning] = { [] },
    _ run: (sending StudyStream, RowBatch) throws -> [Diagnostic]
  ) throws {
    let console = output.console
    let stream = try input.stream(console)
    let batch = try RowBatch(head, to: output.output, option: "-o", of: stream, console)
    try StudyOptions.run([batch], over: stream, console) { try run($0, batch) }
    tell(warnings())
    try batch.endIfFailed()
  }
}
