import AlcoholKinetics
import GRDB
import StudyData

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

private struct ResultRow: BulkRow {
  var run: Int64
  var position: Int
  var result: StoredResult

  static let table = "results"
  static let columns = [
    "run_id", "position", "subject", "occasion", "method", "status", "reason",
  ]

  func bind(to statement: RawStatement, from first: Int32) {
    statement.bind(run, at: first)
    statement.bind(Int64(position), at: first + 1)
    statement.bind(result.subject, at: first + 2)
    statement.bind(result.occasion, at: first + 3)
    statement.bind(result.method, at: first + 4)
    statement.bind(result.status, at: first + 5)
    statement.bind(result.reason, at: first + 6)
  }
}

private struct FitRow: BulkRow {
  var run: Int64
  var position: Int
  var fit: StoredFit

  static let table = "fits"
  static let columns = [
    "run_id", "position", "parameter", "unit", "value", "standard_error", "low", "high",
    "is_identifiable", "is_estimated",
  ]

  func bind(to statement: RawStatement, from first: Int32) {
    statement.bind(run, at: first)
    statement.bind(Int64(position), at: first + 1)
    statement.bind(fit.parameter, at: first + 2)
    statement.bind(fit.unit, at: first + 3)
    statement.bind(fit.value, at: first + 4)
    statement.bind(fit.standardError, at: first + 5)
    statement.bind(fit.low, at: first + 6)
    statement.bind(fit.high, at: first + 7)
    statement.bind(fit.isIdentifiable.map { $0 ? 1 : 0 } as Int64?, at: first + 8)
    statement.bind(fit.isEstimated, at: first + 9)
  }
}

private struct MetricRow: BulkRow {
  var run: Int64
  var position: Int
  var metric: StoredMetric

  static let table = "metrics"
  static let columns = ["run_id", "position", "metric", "value"]

  func bind(to statement: RawStatement, from first: Int32) {
    statement.bind(run, at: first)
    statement.bind(Int64(position), at: first + 1)
    statement.bind(metric.name, at: first + 2)
    statement.bind(metric.value, at: first + 3)
  }
}
