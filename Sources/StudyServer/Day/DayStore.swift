import Foundation
package import GRDB
import StudyData
import StudyFiles
public import StudyStore

/// The database of a study day: many readers, one writer; subscribers receive every change in order.
///
/// Everything that changes anything goes through `change`: one transaction, on the disk when it returns.
public final class DayStore: Sendable {
  public let path: String
  public let clock: any DayClock
  private let pool: DatabasePool
  /// What was opened, which somebody may move away or replace meanwhile.
  private let file: FileIdentity?
  /// The changes from now on, in order, as many at a time as a transaction made.
  let changes = Broadcast<[Event]>(limit: 1000)

  /// Opens a database and brings it to the schema of this version; one that is not there is made.
  ///
  /// - Throws: `StoreError`.
  public init(path: String, clock: any DayClock = SystemClock()) throws(StoreError) {
    self.path = path
    self.clock = clock
    pool = try StudyStore.servingPool(path)
    file = FileIdentity(path)
  }

  /// Makes sure that the path still leads to what was opened: entries in a file without a name are lost.
  private func requireFile() throws(Problem) {
    guard FileIdentity(path) == file else {
      throw Problem(
        .failed,
        "The database was moved or replaced while it was served. Nothing was stored. Stop the server, and start it on the right file."
      )
    }
  }

  /// Reads, without waiting for who writes.
  ///
  /// - Throws: ``Problem``, or `StoreError`.
  package func read<Value: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Value
  ) async throws -> Value {
    do {
      try requireFile()
      return try await pool.read(body)
    } catch {
      throw failure(error)
    }
  }

  /// Changes something in one transaction, and notifies subscribers once it is on the disk.
  ///
  /// - Parameter body: Changes tables and adds the events that say so; it returns them, in order.
  /// - Throws: ``Problem`` or `StoreError`; then nothing was changed.
  @discardableResult
  package func change(
    _ body: @escaping @Sendable (Database) throws -> [Event]
  ) async throws -> [Event] {
    try await changing { db in
      let events = try body(db)
      return (events, events)
    }
  }

  /// Changes something in one transaction, as ``change(_:)``, and has something to say of it.
  package func changing<Value: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> (Value, [Event])
  ) async throws -> Value {
    do {
      try requireFile()
      return try await pool.writeWithoutTransaction { [self] db in
        var result: (Value, [Event])?
        try db.inTransaction(.immediate) {
          result = try body(db)
          return .commit
        }
        guard let result else { throw DatabaseError(resultCode: .SQLITE_ABORT) }
        try requireFile()
        // Still on the writer's queue, so that changes are heard of in their order.
        if !result.1.isEmpty { changes.send(result.1) }
        return result.0
      }
    } catch {
      throw failure(error)
    }
  }

  @discardableResult
  package func log(_ event: Event, in db: Database) throws -> Event {
    try EventLog.append(event, at: clock.now, in: db)
  }

  private func failure(_ error: any Error) -> any Error {
    guard let error = error as? DatabaseError else { return error }
    return StoreError(error, path: path)
  }
}
