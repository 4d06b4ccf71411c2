import AlcoholKinetics
import GRDB
import StudyData

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
        (SELECT count(*) FROM results WHERE run_id = runs.id AND status <> 'ok') AS failed
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
