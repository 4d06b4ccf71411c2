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
