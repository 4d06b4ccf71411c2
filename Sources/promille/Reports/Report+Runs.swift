import AlcoholKinetics
import Estimation
import Reporting
import StudyData
import StudyStore
import Validation

extension Report {
  /// The report of the runs in a database.
  static func runs(_ runs: [RunSummary], provenance: Provenance) -> Report {
    return Report(
      sections: [Section(Self.runs, rows: runs)],
      notes: runs.isEmpty
        ? ["There are no runs yet; fit, compare and sober keep them with --store."] : [],
      provenance: provenance)
  }

  /// The report of one run: its numbers, and how it was made.
  static func run(_ run: StoredRun, provenance: Provenance) -> Report {
    return Report(
      introduction: ["promille \(run.command), version \(run.version)"],
      sections: [
        Section(values, rows: run.results.flatMap(StoredNumber.all)),
        Section(options, rows: run.options),
      ], provenance: provenance)
  }

  /// The report of what two runs do not agree in.
  static func runDifferences(
    _ differences: [RunDifference], from first: StoredRun, to second: StoredRun,
    provenance: Provenance
  ) -> Report {
    return Report(
      sections: [
        Section(Self.differences, rows: differences),
        Section(
          OptionChange.table, rows: OptionChange.changes(from: first, to: second), key: "options"),
      ],
      notes: differences.isEmpty ? ["No number differs by more than the tolerance."] : [],
      provenance: provenance)
  }

  static let runs = TableLayout<RunSummary>(
    "runs", "A row per stored run.",
    columns: [
      Column("run", heading: "run", "number of the run") { Int($0.id) },
      Column("made_utc", heading: "made (UTC)", "when it was made, in UTC") { $0.madeUTC },
      Column("command", heading: "command", "command") { $0.command },
      Column("version", heading: "version", "version of Promille") { $0.version },
      Column("study", heading: "study", "study") { $0.study },
      Column("results", heading: "rows", "number of results") { $0.results },
      Column("without_result", heading: "no result", "results that are missing or failed") {
        $0.withoutResult
      },
    ])

  static let values = TableLayout<StoredNumber>(
    "values", "`--show`: a row per value of a run.",
    columns: [
      Column("subject", heading: "subject", "subject") { $0.result.subject },
      .occasion { $0.result.occasion },
      Column("method", heading: "method", "method, if there are several") { $0.result.method },
      Column("status", heading: "status", "outcome") { $0.result.status },
      .reason { $0.result.reason },
      Column("quantity", heading: "quantity", "name of the quantity") { $0.name },
      Column("value", in: "`unit`", heading: "value", style: .significant(4), "value") { $0.value },
      Column(
        "low", in: "`unit`", heading: "low", style: .significant(4), "lower end of its interval"
      ) { $0.low },
      Column(
        "high", in: "`unit`", heading: "high", style: .significant(4), "upper end of its interval"
      ) { $0.high },
      Column("unit", heading: "unit", "unit, for estimates") { $0.unit },
      Column("identifiable", "whether the readings determine it") { $0.isIdentifiable },
    ])

  static let options = TableLayout<StoredRun.Option>(
    "options", "In JSON, with `--show`: a row per option.",
    columns: [
      Column("option", heading: "option", "name of the option") { $0.name },
      Column("value", heading: "value", "value, as JSON") { $0.json },
    ])

  static let differences = TableLayout<RunDifference>(
    "differences", "`--compare`: a row per value that differs between the runs.",
    columns: [
      Column("subject", heading: "subject", "subject") { $0.subject },
      .occasion { $0.occasion },
      Column("method", heading: "method", "method, if there are several") { $0.method },
      Column("quantity", heading: "quantity", "name of the quantity") { $0.quantity },
      Column("first", heading: "first", "value in the first run") { $0.first },
      Column("second", heading: "second", "value in the second run") { $0.second },
      Column("difference", in: "as the numbers", heading: "difference", "second minus first") {
        $0.difference
      },
    ])
}

/// A number of a stored result; a result without any has one row with its status.
struct StoredNumber: Sendable {
  var result: StoredResult
  var name: String?
  var value: Double?
  var low: Double?
  var high: Double?
  var unit: String?
  var isIdentifiable: Bool?

  static func all(of result: StoredResult) -> [StoredNumber] {
    let fits = result.fits.map { fit in
      StoredNumber(
        result: result, name: fit.parameter, value: fit.value, low: fit.low, high: fit.high,
        unit: fit.unit, isIdentifiable: fit.isIdentifiable.map { $0 })
    }
    let metrics = result.metrics.map {
      StoredNumber(result: result, name: $0.name, value: $0.value)
    }
    return fits.isEmpty && metrics.isEmpty ? [StoredNumber(result: result)] : fits + metrics
  }
}

/// An option that is not the same in two runs.
struct OptionChange: Sendable {
  var name: String
  var first: String?
  var second: String?

  static let table = TableLayout<OptionChange>(
    "changed_options", "In JSON under `options`, with `--compare`: a row per option that differs.",
    columns: [
      Column("option", heading: "option", "name of the option, or a file") { $0.name },
      Column("first", heading: "first", "value in the first run") { $0.first },
      Column("second", heading: "second", "value in the second run") { $0.second },
    ])

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

// MARK: - Results as a database keeps them

/// A result of which a database keeps what came out of it.
protocol StorableResult {
  /// What is kept.
  var stored: StoredResult { get }
}

extension StoredRun {
  /// Takes a run from what came out of it, a row for each result, and from how it was made.
  init(_ results: [any StorableResult], _ provenance: Provenance) {
    self.init(
      command: provenance.command,
      version: provenance.version,
      options: provenance.options.map { Option(name: $0.name, json: $0.value.line) },
      inputs: provenance.inputs,
      factors: provenance.factors,
      results: results.map(\.stored))
  }
}

extension StudyFit: StorableResult {
  var stored: StoredResult {
    // A fit is one of its series, wherever its r came from: that is an option.
    var stored = StoredResult(
      series, status: result.status, reason: result.reason,
      (Report.fitNumbers + Report.furtherColumns(DerivedQuantity.allCases, hasPrior: true)).numbers(of: self))
    stored.fits = (try? result.get()).map(StoredFit.all) ?? []
    return stored
  }
}

extension EliminationLineFit: StorableResult {
  var stored: StoredResult {
    StoredResult(
      series, status: hasFailed ? "failed" : "ok", reason: result.reason,
      Report.lines.columns.numbers(of: self))
  }
}

extension CandidateRow: StorableResult {
  var stored: StoredResult {
    StoredResult(
      series, by: fit.candidate.name, status: fit.result.status, reason: fit.result.reason,
      Report.models.columns.numbers(of: self))
  }
}

extension Comparison: StorableResult {
  var stored: StoredResult {
    StoredResult(
      series, by: rFactor, status: status.rawValue, reason: result.reason,
      Report.comparisons.columns.numbers(of: self))
  }
}

extension SobrietyScore: StorableResult {
  var stored: StoredResult {
    StoredResult(
      series, by: rFactor, status: status.rawValue, reason: prediction.reason,
      Report.times.columns.numbers(of: self))
  }
}

extension RComparison: StorableResult {
  var stored: StoredResult {
    StoredResult(
      Series(subject: subject, drinks: [], readings: []), by: rFactor, status: status.rawValue,
      reason: failure?.reason, Report.rComparisons.columns.numbers(of: self))
  }
}

extension StoredResult {
  /// A row of a run, with every number that its declared columns tell.
  fileprivate init(
    _ series: Series, by method: String? = nil, status: String, reason: String?,
    _ numbers: [NamedNumber]
  ) {
    self.init(
      subject: series.subject.id, occasion: series.occasion, method: method, status: status,
      reason: reason, metrics: numbers.map { StoredMetric(name: $0.name, value: $0.value) })
  }
}

extension StoredFit {
  /// The parameters of a fit, those that were held included.
  fileprivate static func all(of fit: SeriesFit) -> [StoredFit] {
    FitParameter.allCases.sorted().compactMap { parameter in
      guard let number = fit.values[parameter], number.isFinite else { return nil }
      let estimate = fit.estimates[parameter]
      return StoredFit(
        parameter: parameter.rawValue, unit: parameter.unit, value: number,
        standardError: estimate?.standardError, low: estimate?.low, high: estimate?.high,
        isIdentifiable: estimate?.isIdentifiable, isEstimated: estimate != nil)
    }
  }
}
