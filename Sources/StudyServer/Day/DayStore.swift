import Foundation
package import GRDB
import StudyData
import StudyFiles
public import StudyStore
import Synchronization

/// Writes what follows from an event in the transaction that logs it, given how people are written to and the time.
typealias EventFollower = @Sendable (Event, [String], Int64, Database) throws -> Void

/// The database of a study day: many readers, one writer; subscribers receive every change in order.
///
/// Everything that changes anything goes through ``change(_:)``: all of it or nothing, on the disk when it returns.
public final class DayStore: Sendable {
  public let path: String
  public let clock: any DayClock
  private let pool: DatabasePool
  /// What was opened, which somebody may move away or replace meanwhile.
  private let file: FileIdentity?
  /// The changes from now on, in order, as many at a time as a transaction made.
  let changes = Broadcast<[Event]>(limit: 1000)
  /// Changes that wait to be written.
  private let waiting = Mutex<[Job]>([])
  /// Since when no change could be stored, in ms since 1970; nil while changes can, as far as anybody tried.
  private let failing = Mutex<Int64?>(nil)
  /// How people are written to.
  private let ways = Mutex<[String]>([])
  private let follower = Mutex<EventFollower?>(nil)
  /// The hash of the first event, which never changes: read once, as every request with a cookie asks for it.
  private let knownFirstHash = Mutex<Data?>(nil)

  /// Opens a database and brings it to the schema of this version; one that is not there is made.
  ///
  /// - Throws: `StoreError`.
  public init(path: String, clock: any DayClock = SystemClock()) throws(StoreError) {
    self.path = path
    self.clock = clock
    pool = try StudyStore.servingPool(path)
    file = FileIdentity(path)
  }

  /// The hash of the first event; nil while there is none.
  func firstHash() async throws -> Data? {
    if let known = knownFirstHash.withLock({ $0 }) { return known }
    let hash = try await read { try EventLog.event(seq: 1, in: $0)?.hash }
    knownFirstHash.withLock { $0 = hash }
    return hash
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

  /// Changes something, all of it or nothing, and notifies subscribers once it is on the disk.
  ///
  /// - Parameter body: Changes tables and logs the events that say so.
  /// - Throws: ``Problem`` or `StoreError`; then nothing was changed.
  @discardableResult
  package func change<Value: Sendable>(
    _ body: @escaping @Sendable (DayChange) throws -> Value
  ) async throws -> Value {
    let outcome = Outcome<Value>()
    let job = Job {
      outcome.result = .success(try body($0))
    } failed: {
      outcome.result = .failure($0)
    }
    do {
      try requireFile()
      waiting.withLock { $0.append(job) }
      // Whoever comes to write first writes for all who wait.
      try await pool.writeWithoutTransaction { [self] in commitWaiting($0) }
      guard let value = try outcome.result?.get() else {
        throw DatabaseError(resultCode: .SQLITE_ABORT)
      }
      failing.withLock { $0 = nil }
      return value
    } catch {
      // Who no longer waits is not to be surprised later.
      waiting.withLock { $0.removeAll { $0 === job } }
      let failure = failure(error)
      if [.failed, .noRoom, .busy].contains(Problem(failure).code) {
        failing.withLock { $0 = $0 ?? clock.now }
      }
      throw failure
    }
  }

  /// Commits what waits in one transaction, since a disk takes as long for one change as for many. Each is a savepoint:
  /// one that is refused leaves no trace, and the others stand.
  private func commitWaiting(_ db: Database) {
    let jobs = waiting.withLock { waiting in
      defer { waiting = [] }
      return waiting
    }
    guard !jobs.isEmpty else { return }
    var done: [DayChange] = []
    do {
      try db.inTransaction(.immediate) {
        for job in jobs {
          let change = DayChange(db, at: clock.now, letterWays, follow)
          do {
            try change.whole { try job.run(change) }
            done.append(change)
          } catch {
            // A full disk ends the whole transaction.
            guard db.isInsideTransaction else { throw error }
            job.failed(error)
          }
        }
        return .commit
      }
      try requireFile()
    } catch {
      for job in jobs { job.failed(error) }
      return
    }
    // Still on the writer's queue, so that changes are heard of in their order.
    for change in done where !change.events.isEmpty { changes.send(change.events) }
  }

  /// What else is to be written of every event.
  var follow: EventFollower? {
    get { follower.withLock { $0 } }
    set { follower.withLock { $0 = newValue } }
  }

  var letterWays: [String] {
    get { ways.withLock { $0 } }
    set { ways.withLock { $0 = newValue } }
  }

  /// How many changes wait to be written.
  var waitingCount: Int { waiting.withLock { $0.count } }

  var failingSince: Int64? { failing.withLock { $0 } }

  /// Takes what is in SQLite's log over into the database and empties it, so that what was deleted is in neither. Who
  /// reads meanwhile may hinder that; the log is taken over later then.
  func emptyLog() async {
    _ = try? await pool.writeWithoutTransaction { try $0.checkpoint(.truncate) }
  }

  private func failure(_ error: any Error) -> any Error {
    guard let error = error as? DatabaseError else { return error }
    return StoreError(error, path: path)
  }
}

/// A change that waits to be written, for whom it tells how it went.
private final class Job: Sendable {
  let run: @Sendable (DayChange) throws -> Void
  let failed: @Sendable (any Error) -> Void

  init(
    _ run: @escaping @Sendable (DayChange) throws -> Void,
    failed: @escaping @Sendable (any Error) -> Void
  ) {
    self.run = run
    self.failed = failed
  }
}

private final class Outcome<Value: Sendable>: Sendable {
  private let stored = Mutex<Result<Value, any Error>?>(nil)

  var result: Result<Value, any Error>? {
    get { stored.withLock { $0 } }
    set { stored.withLock { $0 = newValue } }
  }
}

/// A change of the study day, with the events that say what it changes.
package final class DayChange {
  package let db: Database
  /// When it is made, in ms since 1970.
  let now: Int64
  private(set) var events: [Event] = []

  private let letterWays: [String]
  private let follow: EventFollower?

  fileprivate init(
    _ db: Database, at now: Int64, _ letterWays: [String], _ follow: EventFollower?
  ) {
    self.db = db
    self.now = now
    self.letterWays = letterWays
    self.follow = follow
  }

  @discardableResult
  package func log(_ event: Event) throws -> Event {
    let event = try EventLog.append(event, at: now, in: db)
    try follow?(event, letterWays, now, db)
    events.append(event)
    return event
  }

  /// Does a part of the change whole, or leaves no trace of it.
  func whole(_ body: () throws -> Void) throws {
    let count = events.count
    do {
      try db.inSavepoint {
        try body()
        return .commit
      }
    } catch {
      events.removeSubrange(count...)
      throw error
    }
  }
}
