import AlcoholKinetics
import Estimation
import Foundation
import Population
import Reporting
import StudyData
import StudyFiles
import StudyStore
import Validation

extension Report {
  static func runs(_ runs: [RunSummary], provenance: Provenance) -> Report {
    return Report(
      sections: [Section(Self.runs, rows: runs)],
      notes: runs.isEmpty
        ? ["There are no runs yet; fit, population, compare and sober keep them with --store."]
        : [],
      provenance: provenance)
  }

  static func run(_ run: StoredRun, provenance: Provenance) -> Report {
    return Report(
      introduction: ["promille \(run.command), version \(run.version)"],
      sections: [
        Section(values, rows: run.results.flatMap(StoredNumber.all)),
        Section(options, rows: run.options),
      ], provenance: provenance)
  }

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
      Column("made_utc", heading: "made (UTC)", "when it was made, in UTC", \.madeUTC),
      Column("command", heading: "command", "command", \.command),
      Column("version", heading: "version", "version of Promille", \.version),
      Column("study", heading: "study", "study", \.study),
      Column("results", heading: "rows", "number of results", \.results),
      Column(
        "without_result", heading: "no result", "results that are missing or failed",
        \.withoutResult),
    ])

  static let values = TableLayout<StoredNumber>(
    "values", "`--show`: a row per value of a run.",
    columns: [
      Column("subject", heading: "subject", "subject", \.result.subject),
      .occasion { $0.result.occasion },
      Column("method", heading: "method", "method, if there are several", \.result.method),
      Column("status", heading: "status", "outcome", \.result.status),
      .reason { $0.result.reason },
      Column("quantity", heading: "quantity", "name of the quantity", \.name),
      Column("value", in: "`unit`", heading: "value", style: .significant(4), "value", \.value),
      Column(
        "low", in: "`unit`", heading: "low", style: .significant(4), "lower end of its interval",
        \.low),
      Column(
        "high", in: "`unit`", heading: "high", style: .significant(4), "upper end of its interval",
        \.high),
      Column("unit", heading: "unit", "unit, for estimates", \.unit),
      Column("identifiable", "whether the readings determine it", \.isIdentifiable),
    ])

  static let options = TableLayout<StoredRun.Option>(
    "options", "In JSON, with `--show`: a row per option.",
    columns: [
      Column("option", heading: "option", "name of the option", \.name),
      Column("value", heading: "value", "value, as JSON", \.json),
    ])

  static let differences = TableLayout<RunDifference>(
    "differences", "`--compare`: a row per value that differs between the runs.",
    columns: [
      Column("subject", heading: "subject", "subject", \.subject),
      .occasion { $0.occasion },
      Column("method", heading: "method", "method, if there are several", \.method),
      Column("quantity", heading: "quantity", "name of the quantity", \.quantity),
      Column("first", heading: "first", "value in the first run", \.first),
      Column("second", heading: "second", "value in the second run", \.second),
      Column(
        "difference", in: "as the numbers", heading: "difference", "second minus first",
        \.difference),
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
      Column("option", heading: "option", "name of the option, or a file", \.name),
      Column("first", heading: "first", "value in the first run", \.first),
      Column("second", heading: "second", "value in the second run", \.second),
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

/// A result that a database can keep.
protocol StorableResult {
  var stored: StoredResult { get }
}

extension StoredRun {
  /// Makes a run of its results, a row for each, and of how they were made.
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
      series, status: result.status.rawValue, reason: result.reason,
      (Report.fitNumbers + Report.furtherColumns(DerivedQuantity.allCases, hasPrior: true)).numbers(
        of: self))
    stored.fits = (try? result.get()).map(StoredFit.all) ?? []
    return stored
  }
}

extension EliminationLineFit: StorableResult {
  var stored: StoredResult {
    StoredResult(
      series, status: status.rawValue, reason: result.reason,
      Report.lines.columns.numbers(of: self))
  }
}

extension CandidateRow: StorableResult {
  var stored: StoredResult {
    StoredResult(
      series, by: fit.candidate.name, status: fit.result.status.rawValue,
      reason: fit.result.reason,
      Report.models.columns.numbers(of: self))
  }
}

extension Comparison: StorableResult {
  var stored: StoredResult {
    StoredResult(
      series, by: method, status: status.rawValue, reason: result.reason,
      Report.comparisons.columns.numbers(of: ComparisonRow(self)))
  }
}

extension SobrietyScore: StorableResult {
  var stored: StoredResult {
    StoredResult(
      series, by: method, status: status.rawValue, reason: prediction.reason,
      Report.times.columns.numbers(of: TimeRow(self)))
  }
}

extension RComparison: StorableResult {
  var stored: StoredResult {
    StoredResult(
      Series(subject: subject, drinks: [], readings: []), by: rFactor, status: status.rawValue,
      reason: failure?.reason, Report.rComparisons.columns.numbers(of: self))
  }
}

extension StoredResult: StorableResult {
  var stored: StoredResult { self }

  /// What a run keeps of population fits: for each a row without a subject for the whole population, and a row for
  /// each person.
  static func all(_ fits: [(rFactor: String, fit: PopulationFit)]) -> [StoredResult] {
    PopulationRow.all(fits).flatMap { row in
      let (name, fit) = (row.rFactor, row.fit)
      let people = fit.individuals.map { person in
        StoredResult(
          subject: person.subject, method: name, status: "ok",
          fits: parameters(fit, person.values, person.standardErrors),
          metrics: named(fit.model.random.map { "eta_\($0.rawValue)" }, person.effects)
            + [StoredMetric(name: "ofv", value: person.contribution)])
      }
      let leftOut = fit.leftOut.map { one in
        StoredResult(
          subject: one.subject, occasion: one.occasion, method: name, status: "failed",
          reason: "\(one.code): \(one.reason)")
      }
      return [together(row)] + people + leftOut
    }
  }

  private static func together(_ row: PopulationRow) -> StoredResult {
    let (fit, values, random) = (row.fit, row.fit.values, row.fit.model.random.map(\.rawValue))
    let pairs = random.indices.flatMap { one in (0...one).map { (one, $0) } }
      .filter { $0 == $1 || fit.model.isFull }
    let omega = pairs.map { one, other in
      StoredMetric(
        name: one == other ? "omega2_\(random[one])" : "omega_\(random[one])_\(random[other])",
        value: values.between[one * random.count + other])
    }
    let occasional = fit.model.occasional.map(\.rawValue)
    let pi = occasional.indices.flatMap { one in
      (0...one).filter { $0 == one || fit.model.isFull }.map { other in
        StoredMetric(
          name: one == other
            ? "pi2_\(occasional[one])" : "pi_\(occasional[other])_\(occasional[one])",
          value: values.within[one * occasional.count + other])
      }
    }
    let coefficients = fit.model.covariates.map { "theta_\($0.parameter.rawValue)_\($0.name)" }
    var typical = parameters(fit, values.typical.map { exp($0) }, nil)
    // Where a method predicts it, r has no typical value.
    if fit.model.rFactor != nil { typical.removeAll { $0.parameter == "r" } }
    return StoredResult(
      subject: "", method: row.rFactor, status: row.status, fits: typical,
      metrics: Report.populations.columns.numbers(of: row).map {
        StoredMetric(name: $0.name, value: $0.value)
      } + omega
        + pi
        + named(coefficients, values.coefficients)
        + named(["error_sd_g_per_kg", "error_cv"], [values.sd, values.cv]).filter { $0.value > 0 })
  }

  private static func named(_ names: [String], _ numbers: [Double]) -> [StoredMetric] {
    zip(names, numbers).map { StoredMetric(name: $0, value: $1) }
  }

  /// Parameters with their standard errors: those of a person come from the effects, those of all from the
  /// curvature of the likelihood, with 95 % intervals.
  private static func parameters(
    _ fit: PopulationFit, _ values: [Double], _ effectErrors: [Double]?
  ) -> [StoredFit] {
    zip(fit.model.parameters, values).enumerated().map { place, one in
      let (parameter, value) = one
      var error = effectErrors == nil ? fit.uncertainty?.typical[place] : nil
      if let effectErrors, let effect = fit.model.random.firstIndex(of: parameter),
        effectErrors.indices.contains(effect)
      {
        error = effectErrors[effect]
      }
      let own = error.map { exp(1.959964 * $0) }.map { Interval(low: value / $0, high: value * $0) }
      let interval = effectErrors == nil ? fit.typicalInterval(place) : own
      return StoredFit(
        parameter: parameter.rawValue, unit: parameter.unit, value: value,
        standardError: error.map { $0 * value }, low: interval?.low, high: interval?.high,
        isEstimated: fit.estimatedCount > 0)
    }
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
        parameter: parameter.rawValue, unit: parameter.unit, value: fit.stated(parameter),
        standardError: estimate?.standardError, low: estimate?.low, high: estimate?.high,
        isIdentifiable: estimate?.isIdentifiable, isEstimated: estimate != nil)
    }
  }
}
