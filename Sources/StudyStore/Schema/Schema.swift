import GRDB

/// The schema, as a list of named steps. Steps are only ever added: a database that somebody has
/// holds the names of those it went through.
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

  static let steps = [
    (name: "1-study", sql: study),
    (name: "2-synchronising", sql: synchronising),
    (name: "3-runs", sql: runs),
    (name: "4-vitals", sql: vitals),
    (name: "5-vital-uuids", sql: vitalUUIDs),
    (name: "6-routes", sql: routes),
    (name: "7-search-limits", sql: searchLimits),
    (name: "8-study-day", sql: studyDay),
    (name: "9-serum-units", sql: serumUnits),
    (name: "10-entries", sql: entriesOfTheLog),
    (name: "11-choices", sql: choices),
    (name: "12-thresholds", sql: thresholds),
    (name: "13-calls", sql: calls),
    (name: "14-letters", sql: letters),
    (name: "15-changed", sql: indexesOfChanges),
    (name: "16-push", sql: push),
  ]

  /// The tables that a study is read from.
  package static let studyTables = [
    "instruments", "study", "subjects", "covariates", "series", "drinks", "readings", "findings",
    "imports", "inputs",
  ]
  static let runTables = ["runs", "run_options", "run_inputs", "results", "fits", "metrics"]
  /// The tables that leave in an export, parents first: all but those of study days, which say who people are
  /// and who did what.
  static let exportedTables =
    [
      "instruments", "study", "subjects", "covariates", "series", "units", "drinks", "readings",
      "findings", "imports", "inputs", "changes",
    ] + runTables + ["vital_kinds", "settings", "vitals"]
  /// The tables that the events of a study day are read from.
  package static let eventTables = ["events"]
  /// The tables that vital signs are read from.
  package static let vitalTables = ["subjects", "vital_kinds", "settings", "imports", "vitals"]
}
