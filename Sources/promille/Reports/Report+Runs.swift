import AlcoholKinetics
import Estimation
import Reporting
import StudyData
import StudyStore

extension Report {
  /// The report of the runs in a database.
  static func runs(_ runs: [RunSummary], provenance: Provenance) -> Report {
    let columns: [Column<RunSummary>] = [
      Column("run", heading: "run") { .integer(Int($0.id)) },
      Column("made_utc", heading: "made (UTC)") { .text($0.madeUTC) },
      Column("command", heading: "command") { .text($0.command) },
      Column("version", heading: "version") { .text($0.version) },
      Column("study", heading: "study") { .words($0.study) },
      Column("results", heading: "rows") { .integer($0.results) },
      Column("without_result", heading: "no result") { .integer($0.withoutResult) },
    ]
    return Report(
      sections: [Section(name: "runs", table: Table(columns, rows: runs))],
      notes: runs.isEmpty
        ? ["There are no runs yet; fit, compare and sober keep them with --store."] : [],
      provenance: provenance)
  }

  /// The report of one run: its numbers, and how it was made.
  static func run(_ run: StoredRun, provenance: Provenance) -> Report {
    let columns: [Column<StoredNumber>] = [
      Column("subject", heading: "subject") { .text($0.result.subject) },
      Column("occasion", heading: "occ.") { .words($0.result.occasion) },
      Column("method", heading: "method") { .words($0.result.method) },
      Column("status", heading: "status") { .text($0.result.status) },
      Column("reason") { .words($0.result.reason) },
      Column("quantity", heading: "quantity") { .words($0.name) },
      Column("value", heading: "value", style: .significant(4)) { .number($0.value) },
      Column("low", heading: "low", style: .significant(4)) { .number($0.low) },
      Column("high", heading: "high", style: .significant(4)) { .number($0.high) },
      Column("unit", heading: "unit") { .words($0.unit) },
      Column("identifiable") { .words($0.verdict) },
    ]
    let options: [Column<StoredRun.Option>] = [
      Column("option", heading: "option") { .text($0.name) },
      Column("value", heading: "value") { .text($0.json) },
    ]
    return Report(
      introduction: ["promille \(run.command), version \(run.version)"],
      sections: [
        Section(
          name: "values", table: Table(columns, rows: run.results.flatMap(StoredNumber.all))),
        Section(name: "options", table: Table(options, rows: run.options)),
      ], provenance: provenance)
  }

  /// The report of what two runs do not agree in.
  static func runDifferences(
    _ differences: [RunDifference], from first: StoredRun, to second: StoredRun,
    provenance: Provenance
  ) -> Report {
    let columns: [Column<RunDifference>] = [
      Column("subject", heading: "subject") { .text($0.subject) },
      Column("occasion", heading: "occ.") { .words($0.occasion) },
      Column("method", heading: "method") { .words($0.method) },
      Column("quantity", heading: "quantity") { .text($0.quantity) },
      Column("first", heading: "first") { .words($0.first) },
      Column("second", heading: "second") { .words($0.second) },
      Column("difference", heading: "difference") { .number($0.difference) },
    ]
    return Report(
      sections: [
        Section(name: "differences", table: Table(columns, rows: differences)),
        Section(
          name: "options",
          table: Table(OptionChange.columns, rows: OptionChange.changes(from: first, to: second))),
      ],
      notes: differences.isEmpty ? ["No number differs by more than the tolerance."] : [],
      provenance: provenance)
  }
}

/// A number of a stored result; a result without any has one row with its status.
private struct StoredNumber: Sendable {
  var result: StoredResult
  var name: String?
  var value: Double?
  var low: Double?
  var high: Double?
  var unit: String?
  var verdict: String?

  static func all(of result: StoredResult) -> [StoredNumber] {
    let fits = result.fits.map { fit in
      StoredNumber(
        result: result, name: fit.parameter, value: fit.value, low: fit.low, high: fit.high,
        unit: fit.unit, verdict: fit.isIdentifiable.map { $0 ? "yes" : "no" })
    }
    let metrics = result.metrics.map {
      StoredNumber(result: result, name: $0.name, value: $0.value)
    }
    return fits.isEmpty && metrics.isEmpty ? [StoredNumber(result: result)] : fits + metrics
  }
}

/// An option that is not the same in two runs.
private struct OptionChange: Sendable {
  var name: String
  var first: String?
  var second: String?

  static let columns: [Column<OptionChange>] = [
    Column("option", heading: "option") { .text($0.name) },
    Column("first", heading: "first") { .words($0.first) },
    Column("second", heading: "second") { .words($0.second) },
  ]

  static func changes(from first: StoredRun, to second: StoredRun) -> [OptionChange] {
    let (old, new) = (values(of: first), values(of: second))
    let names =
      new.map(\.name) + old.map(\.name).filter { name in !new.contains { $0.name == name } }
    return names.compactMap { name in
      let change = OptionChange(
        name: name, first: old.first { $0.name == name }?.json,
        second: new.first { $0.name == name }?.json)
      return change.first == change.second ? nil : change
    }
  }

  private static func values(of run: StoredRun) -> [StoredRun.Option] {
    [StoredRun.Option(name: "command", json: run.command)] + run.options
      + run.inputs.map { StoredRun.Option(name: $0.file, json: $0.sha256) }
  }
}

extension StoredRun {
  /// Takes a run from its report: a row of its first table for each result.
  ///
  /// - Parameters:
  ///   - report: The report.
  ///   - fits: The fits behind the rows, if there are any; their parameters are kept apart from
  ///     other numbers.
  init(_ report: Report, fits: [StudyFit] = []) {
    let provenance = report.provenance
    self.init(
      command: provenance.command,
      version: provenance.version,
      options: provenance.options.map { Option(name: $0.name, json: $0.value.line) },
      inputs: provenance.inputs,
      factors: provenance.factors,
      results: report.sections.first.map { Self.results(of: $0.table, fits) } ?? [])
  }

  private static func results(of table: Table, _ fits: [StudyFit]) -> [StoredResult] {
    table.rows.enumerated().map { index, row in
      let cells = Dictionary(
        zip(table.headers, row).compactMap { header, cell in header.name.map { ($0, cell) } },
        uniquingKeysWith: { first, _ in first })
      let fit = fits.indices.contains(index) ? fits[index] : nil
      return StoredResult(
        subject: cells["subject"]?.words ?? "",
        occasion: cells["occasion"]?.words,
        // A fit is one of its series, wherever its r came from: that is an option.
        method: fit == nil ? cells["r_factor"]?.words ?? cells["model"]?.words : nil,
        status: cells["status"]?.words ?? "ok",
        reason: cells["reason"]?.words,
        fits: fit.map(parameters) ?? [],
        metrics: metrics(in: zip(table.headers, row), besidesParameters: fit != nil))
    }
  }

  private static func metrics(
    in cells: Zip2Sequence<[Table.Header], [Cell]>, besidesParameters: Bool
  ) -> [StoredMetric] {
    cells.compactMap { header, cell in
      guard let name = header.name, let number = cell.number,
        !(besidesParameters && FitParameter.allCases.contains { $0.isSubject(of: name) })
      else { return nil }
      return StoredMetric(name: name, value: number)
    }
  }

  private static func parameters(of fit: StudyFit) -> [StoredFit] {
    guard case .success(let value) = fit.result else { return [] }
    return FitParameter.allCases.sorted().compactMap { parameter in
      guard let number = value.values[parameter], number.isFinite else { return nil }
      let estimate = value.estimates[parameter]
      return StoredFit(
        parameter: parameter.rawValue, unit: parameter.unit, value: number,
        standardError: estimate?.standardError, low: estimate?.low, high: estimate?.high,
        isIdentifiable: estimate?.isIdentifiable, isEstimated: estimate != nil)
    }
  }
}

extension FitParameter {
  /// Whether a column holds something of the parameter.
  fileprivate func isSubject(of column: String) -> Bool {
    column == rawValue || column.hasPrefix("\(rawValue)_")
  }
}

extension Cell {
  fileprivate var words: String? {
    guard case .text(let text) = self else { return nil }
    return text
  }

  fileprivate var number: Double? {
    switch self {
    case .integer(let integer): Double(integer)
    case .real(let number): number
    case .text, .missing: nil
    }
  }
}
