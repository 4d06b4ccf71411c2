import Foundation
import GRDB

/// A step of the schema, with the name by which a database notes that it went through it.
public struct SchemaStep: Sendable {
  /// The name, which no other step has.
  public let name: String
  /// The SQL of the step.
  public let sql: String

  /// Reads steps: `--## ` begins one and is followed by its name; lines that begin with `--#` are remarks.
  public static func steps(in text: String) -> [SchemaStep] {
    text.split(separator: "\n--## ").dropFirst().map { step in
      let lines = step.split(separator: "\n", omittingEmptySubsequences: false)
      let sql = lines.dropFirst().filter { !$0.hasPrefix("--#") }.joined(separator: "\n")
      return SchemaStep(name: String(lines[0]), sql: sql.trimmingCharacters(in: .newlines))
    }
  }
}

/// The schema of a database: the steps in `steps.sql`, and those that another package adds after them.
@_spi(StudyDay) public struct Schema: Sendable {
  /// Marks a database as one of studies: the bytes of "Prml".
  static let applicationID: Int32 = 0x5072_6D6C

  /// The schema of studies alone.
  static let ofStudies = Schema(adding: [])

  /// The steps of studies.
  public static let studySteps = SchemaStep.steps(
    in: String(decoding: PackageResources.steps_sql, as: UTF8.self))

  /// The steps of another package.
  let added: [SchemaStep]

  init(adding steps: [SchemaStep]) { added = steps }

  var migrator: DatabaseMigrator { Self.migrator(of: Self.studySteps + added) }

  static func migrator(of steps: [SchemaStep]) -> DatabaseMigrator {
    var migrator = DatabaseMigrator()
    for step in steps {
      migrator.registerMigration(step.name, foreignKeyChecks: .immediate) { db in
        try db.execute(sql: step.sql)
      }
    }
    return migrator
  }

  /// True if a step belongs to this version: one of ours, one that was added, or, if none was
  /// added, one of the package `StudyDay`, whose tables are left alone.
  func knows(_ step: String) -> Bool {
    (Self.studySteps + added).contains { $0.name == step }
      || added.isEmpty && Self.isOfStudyDay(step)
  }

  private static func isOfStudyDay(_ step: String) -> Bool {
    step.hasPrefix("day-") || stepsOfOneSchema.contains(step)
  }

  /// True if no step of a study day lacks one before it, as far as they are known here.
  static func isUnbroken(_ steps: Set<String>) -> Bool {
    let made = stepsOfOneSchema.prefix { steps.contains($0) }
    let isWhole = made.count == stepsOfOneSchema.count
    return isWhole || !steps.contains { isOfStudyDay($0) && !made.contains($0) }
  }

  /// The steps of study days from the time when all steps were in one list.
  private static let stepsOfOneSchema = [
    "4-vitals", "5-vital-uuids", "8-study-day", "10-entries", "11-choices", "12-thresholds",
    "13-calls", "14-letters", "15-changed", "16-push",
  ]

  /// The tables that a study is read from.
  public static let studyTables = [
    "instruments", "study", "subjects", "covariates", "series", "drinks", "readings", "findings",
    "imports", "inputs",
  ]
  /// The tables that leave in an export, parents first.
  static let exportedTables =
    [
      "instruments", "study", "subjects", "covariates", "series", "units", "drinks", "readings",
      "findings", "imports", "inputs", "changes",
    ] + tablesOfRuns
  /// Tables of runs by versions up to 0.1. Nothing reads or writes them any more; their rows stay.
  private static let tablesOfRuns = [
    "runs", "run_options", "run_inputs", "results", "fits", "metrics",
  ]
}
