import AlcoholKinetics
public import Foundation
import GRDB

extension StudyStore {
  /// Adds an export of Apple Health, in the way of ``add(_:from:selection:)``.
  ///
  /// The stream is read as it comes, so that an export of gigabytes needs no more memory than a
  /// small one; <doc:AppleHealth> says what is taken from it.
  ///
  /// - Parameters:
  ///   - stream: The export, as XML.
  ///   - file: What findings call it.
  ///   - options: Whose export it is.
  ///   - selection: Which of its records to take; times on the clock of a series are not looked at.
  /// - Returns: How many records of each type were added, changed, left alone and refused, and why
  ///   the first hundred were refused.
  /// - Throws: ``HealthFinding`` if it is no export, or ``StoreError``; the database is then as it
  ///   was.
  public func add(
    health stream: InputStream, file: String, _ options: HealthOptions,
    selection: ImportSelection = ImportSelection()
  ) throws -> (counts: ImportCounts, findings: [HealthFinding]) {
    // A typed throw of the store's own; what is wrong with the export travels beside it.
    var finding: HealthFinding?
    do {
      return try write(Schema.studyTables + Schema.vitalTables) { db in
        do {
          return try add(stream, file, options, selection, to: db)
        } catch let error as HealthFinding {
          finding = error
          throw error
        }
      }
    } catch {
      if let finding { throw finding }
      throw error
    }
  }

  private func add(
    _ stream: InputStream, _ file: String, _ options: HealthOptions, _ selection: ImportSelection,
    to db: Database
  ) throws -> (ImportCounts, [HealthFinding]) {
    let log = try ImportLog(source: file, inputs: [], on: db)
    let synchronisation = try HealthSynchronisation(
      options, selection: selection, log: log, file: file, on: db)
    try HealthParser(
      stream, file: file, person: synchronisation.take, record: synchronisation.take
    ).parse()
    try synchronisation.finish()
    try db.execute(
      sql: "INSERT INTO study (id, name) VALUES (1, 'Apple Health') ON CONFLICT DO NOTHING")
    try log.close()
    return (log.counts, synchronisation.findings)
  }
}
