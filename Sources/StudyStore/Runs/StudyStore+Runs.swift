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
    try write(["runs"]) { try RunWriter(db: $0).write(run) }
  }

  /// The runs, oldest first.
  ///
  /// - Throws: ``StoreError`` if the database cannot be read.
  public func runs() throws(StoreError) -> [RunSummary] {
    try read(Schema.runTables) { try RunLoader(db: $0).summaries() }
  }

  /// A run with all of its rows.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/notFound`` if there is no such run, or another
  ///   if the database cannot be read.
  public func run(_ id: Int64) throws(StoreError) -> StoredRun {
    let run = try read(Schema.runTables) { try RunLoader(db: $0).run(id) }
    guard let run else {
      throw StoreError(.notFound, path: path, message: "there is no run \(id)")
    }
    return run
  }
}

struct RunLoader {
  let db: Database

  func summaries() throws -> [RunSummary] {
    try db.rows(
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

  func run(_ id: Int64) throws -> StoredRun? {
    guard
      let row = try db.row("SELECT * FROM runs WHERE id = ?", [id])
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
    try db.rows("SELECT * FROM \(table) WHERE run_id = ? ORDER BY position", [id])
  }

  private func results(of id: Int64) throws -> [StoredResult] {
    func rowsByPosition(_ table: String) throws -> [Int: [SafeRow]] {
      Dictionary(grouping: try rows(table, of: id)) { $0["position"] as Int }
    }
    let (fits, metrics) = (try rowsByPosition("fits"), try rowsByPosition("metrics"))
    return try rows("results", of: id).map { result in
      let position: Int = result["position"]
      return StoredResult(
        subject: result["subject"], occasion: result["occasion"], method: result["method"],
        status: result["status"], reason: result["reason"],
        fits: (fits[position] ?? []).map { row in
          StoredFit(
            parameter: row["parameter"], unit: row["unit"], value: row["value"],
            standardError: row["standard_error"], low: row["low"], high: row["high"],
            isIdentifiable: row["is_identifiable"], isEstimated: row["is_estimated"])
        },
        metrics: (metrics[position] ?? []).map {
          StoredMetric(name: $0["metric"], value: $0["value"])
        })
    }
  }
}

struct RunWriter {
  let db: Database

  func write(_ run: StoredRun) throws -> Int64 {
    try db.insert(
      into: "runs",
      [
        "command": run.command, "version": run.version,
        "blood_density_kg_per_l": run.factors.bloodDensityKgPerL,
        "blood_breath_ratio": run.factors.bloodBreathRatio,
        "serum_blood_ratio": run.factors.serumBloodRatio,
      ])
    let id = db.lastInsertedRowID
    for (position, option) in run.options.enumerated() {
      try db.insert(
        into: "run_options",
        ["run_id": id, "position": position, "name": option.name, "value": option.json])
    }
    for (position, input) in run.inputs.enumerated() {
      try db.insert(
        into: "run_inputs",
        ["run_id": id, "position": position, "file": input.file, "sha256": input.sha256])
    }
    for (position, result) in run.results.enumerated() {
      try db.insert(
        into: "results",
        [
          "run_id": id, "position": position, "subject": result.subject,
          "occasion": result.occasion, "method": result.method, "status": result.status,
          "reason": result.reason,
        ])
      for fit in result.fits {
        try db.insert(
          into: "fits",
          [
            "run_id": id, "position": position, "parameter": fit.parameter, "unit": fit.unit,
            "value": fit.value, "standard_error": fit.standardError, "low": fit.low,
            "high": fit.high, "is_identifiable": fit.isIdentifiable,
            "is_estimated": fit.isEstimated,
          ])
      }
      for metric in result.metrics {
        try db.insert(
          into: "metrics",
          ["run_id": id, "position": position, "metric": metric.name, "value": metric.value])
      }
    }
    return id
  }
}
