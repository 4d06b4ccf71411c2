import Foundation
import GRDB

/// The schema, as a list of named steps, which are in `steps.sql`.
package enum Schema {
  /// Marks a database as one of studies: the bytes of "Prml".
  static let applicationID: Int32 = 0x5072_6D6C

  static let migrator = {
    var migrator = DatabaseMigrator()
    for step in steps {
      migrator.registerMigration(step.name, foreignKeyChecks: .immediate) { db in
        try db.execute(sql: step.sql)
      }
    }
    return migrator
  }()

  static let steps = String(decoding: PackageResources.steps_sql, as: UTF8.self)
    .replacing("{{dailyMeans}}", with: dailyMeans)
    .split(separator: "\n--## ").dropFirst().map { step in
      let lines = step.split(separator: "\n", omittingEmptySubsequences: false)
      let sql = lines.dropFirst().filter { !$0.hasPrefix("--#") }.joined(separator: "\n")
      return (name: String(lines[0]), sql: sql.trimmingCharacters(in: .newlines))
    }

  /// What the view of daily means holds: views are for people with other tools, and nothing here looks
  /// through one.
  package static let dailyMeans = """
    SELECT subjects.name AS subject, vitals.day, vitals.kind, vital_kinds.unit,
        vital_kinds.importance, count(*) AS n, avg(vitals.value) AS mean,
        min(vitals.value) AS lowest, max(vitals.value) AS highest
      FROM vitals JOIN subjects ON subjects.id = vitals.subject_id
        JOIN vital_kinds ON vital_kinds.kind = vitals.kind
      GROUP BY vitals.subject_id, vitals.day, vitals.kind
    """

  /// The tables that a study is read from.
  package static let studyTables = [
    "instruments", "study", "subjects", "covariates", "series", "drinks", "readings", "findings",
    "imports", "inputs",
  ]
  /// The tables that leave in an export, parents first: all but those of study days, which say who people are
  /// and who did what.
  static let exportedTables =
    [
      "instruments", "study", "subjects", "covariates", "series", "units", "drinks", "readings",
      "findings", "imports", "inputs", "changes",
    ] + tablesOfRuns + ["vital_kinds", "settings", "vitals"]
  /// What versions up to 0.1 kept of runs. Nothing reads or writes them any more; what is there stays.
  private static let tablesOfRuns = [
    "runs", "run_options", "run_inputs", "results", "fits", "metrics",
  ]
  /// The tables that the events of a study day are read from.
  package static let eventTables = ["events"]
  /// The tables that vital signs are read from.
  package static let vitalTables = ["subjects", "vital_kinds", "settings", "imports", "vitals"]
}
