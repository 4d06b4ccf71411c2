import AlcoholKinetics
import GRDB
import StudyData

extension StudyStore {
  /// Keeps a run: how it was made and every row of it, in one transaction.
  ///
  /// - Returns: The run's number.
  /// - Throws: ``StoreError``, with the database as it was.
  @discardableResult
  public func record(_ run: StoredRun) throws(StoreError) -> Int64 {
    try write(["runs"]) { try RunWriter($0).write(run) }
  }

  /// The runs, oldest first.
  ///
  /// - Throws: ``StoreError`` if the database cannot be read.
  public func runs() throws(StoreError) -> [RunSummary] {
    try read(Schema.runTables) { try RunLoader($0).summaries() }
  }

  /// A run with all of its rows.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/notFound`` if there is no such run, or another
  ///   if the database cannot be read.
  public func run(_ id: Int64) throws(StoreError) -> StoredRun {
    let run = try read(Schema.runTables) { try RunLoader($0).run(id) }
    guard let run else {
      throw StoreError(.notFound, path: path, message: "there is no run \(id)")
    }
    return run
  }
}

/// Reads runs.
struct RunLoader {
  private let db: Database

  init(_ db: Database) {
    self.db = db
  }

  func summaries() throws -> [RunSummary] {
    try SafeRow.all(
      db,
      """
      SELECT runs.id, made_utc, command, version,
        (SELECT json_extract(value, '$') FROM run_options
          WHERE run_id = runs.id AND name = 'study' AND json_valid(value)) AS study,
        (SELECT count(*) FROM results WHERE run_id = runs.id) AS results,
        (SELECT count(*) FROM results WHERE run_id = runs.id
          AND status NOT IN ('ok', 'undetermined', 'implausible', 'evaluated')) AS failed
      FROM runs ORDER BY runs.id
      """
    ).map { row in
      RunSummary(
        id: row["id"], madeUTC: row["made_utc"], command: row["command"],
        version: row["version"], study: row["study"], results: row["results"],
        withoutResult: row["failed"])
    }
  }

  /// A run; nil if there is none of that number.
  func run(_ id: Int64) throws -> StoredRun? {
    guard
      let row = try SafeRow.first(
        db, "SELECT * FROM runs WHERE id = ?", [id])
    else { return nil }
    return StoredRun(
      command: row["command"], version: row["version"],
      options: try rows("run_options", of: id).map {
        StoredRun.Option(name: $0["name"], json: $0["value"])
      },
      inputs: try rows("run_inputs", of: id).map {
        InputDigest(file: $0["file"], sha256: $0["sha256"])
      },
      factors: ConversionFactors(
        bloodDensityKgPerL: row["blood_density_kg_per_l"],
        bloodBreathRatio: row["blood_breath_ratio"], serumBloodRatio: row["serum_blood_ratio"]),
      results: try results(of: id))
  }

  private func rows(_ table: String, of id: Int64) throws -> [SafeRow] {
    try SafeRow.all(
      db, "SELECT * FROM \(table) WHERE run_id = ? ORDER BY position", [id])
  }

  private func results(of id: Int64) throws -> [StoredResult] {
    // Positions count from 0; but what was written by hand may have left some out.
    var indices: [Int: Int] = [:]
    var results = try rows("results", of: id).enumerated().map { index, row in
      indices[row["position"]] = index
      return StoredResult(
        subject: row["subject"], occasion: row["occasion"], method: row["method"],
        status: row["status"], reason: row["reason"])
    }
    for row in try rows("fits", of: id) {
      guard let index = indices[row["position"]] else { continue }
      results[index].fits.append(
        StoredFit(
          parameter: row["parameter"], unit: row["unit"], value: row["value"],
          standardError: row["standard_error"], low: row["low"], high: row["high"],
          isIdentifiable: row["is_identifiable"], isEstimated: row["is_estimated"]))
    }
    for row in try rows("metrics", of: id) {
      guard let index = indices[row["position"]] else { continue }
      results[index].metrics.append(
        StoredMetric(name: row["metric"], value: row["value"]))
    }
    return results
  }
}

/// Writes a run, inside a transaction.
struct RunWriter {
  private let db: Database

  init(_ db: Database) {
    self.db = db
  }

  func write(_ run: StoredRun) throws -> Int64 {
    try db.execute(
      sql: """
        INSERT INTO runs (command, version, blood_density_kg_per_l, blood_breath_ratio,
          serum_blood_ratio) VALUES (?, ?, ?, ?, ?)
        """,
      values: [
        run.command, run.version, run.factors.bloodDensityKgPerL, run.factors.bloodBreathRatio,
        run.factors.serumBloodRatio,
      ])
    let id = db.lastInsertedRowID
    for (position, option) in run.options.enumerated() {
      try db.execute(
        sql: "INSERT INTO run_options (run_id, position, name, value) VALUES (?, ?, ?, ?)",
        values: [id, position, option.name, option.json])
    }
    for (position, input) in run.inputs.enumerated() {
      try db.execute(
        sql: "INSERT INTO run_inputs (run_id, position, file, sha256) VALUES (?, ?, ?, ?)",
        values: [id, position, input.file, input.sha256])
    }
    try write(run.results, of: id)
    return id
  }

  private func write(_ results: [StoredResult], of id: Int64) throws {
    let rows = try BulkInsert<ResultRow>(on: db)
    let fits = try BulkInsert<FitRow>(on: db)
    let metrics = try BulkInsert<MetricRow>(on: db)
    for (position, result) in results.enumerated() {
      try rows.add(ResultRow(run: id, position: position, result: result))
    }
    try rows.flush()
    for (position, result) in results.enumerated() {
      for fit in result.fits { try fits.add(FitRow(run: id, position: position, fit: fit)) }
      for metric in result.metrics {
        try metrics.add(MetricRow(run: id, position: position, metric: metric))
      }
    }
    try fits.flush()
    try metrics.flush()
  }
}

private struct ResultRow: StoredRow {
  var run: Int64
  var position: Int
  var result: StoredResult

  static let table = "results"
  static let columns = [
    "run_id", "position", "subject", "occasion", "method", "status", "reason",
  ]

  func append(to fields: inout [Field]) {
    fields += [
      .integer(run), Field(position), .text(result.subject), Field(result.occasion),
      Field(result.method), .text(result.status), Field(result.reason),
    ]
  }
}

private struct FitRow: StoredRow {
  var run: Int64
  var position: Int
  var fit: StoredFit

  static let table = "fits"
  static let columns = [
    "run_id", "position", "parameter", "unit", "value", "standard_error", "low", "high",
    "is_identifiable", "is_estimated",
  ]

  func append(to fields: inout [Field]) {
    fields += [
      .integer(run), Field(position), .text(fit.parameter), .text(fit.unit), Field(fit.value),
      Field(fit.standardError), Field(fit.low), Field(fit.high),
      fit.isIdentifiable.map { Field($0) } ?? .null, Field(fit.isEstimated),
    ]
  }
}

private struct MetricRow: StoredRow {
  var run: Int64
  var position: Int
  var metric: StoredMetric

  static let table = "metrics"
  static let columns = ["run_id", "position", "metric", "value"]

  func append(to fields: inout [Field]) {
    fields += [.integer(run), Field(position), .text(metric.name), .real(metric.value)]
  }
}
