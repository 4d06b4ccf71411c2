package import DayDatabase
import Foundation
package import GRDB
import Logging
@_spi(StudyDay) public import StudyStore
import Synchronization

/// Writes further rows for an event in its transaction, given the notification channels and the time in ms.
typealias EventHandler = @Sendable (Event, [String], Int64, Database) throws -> Void

/// The database of a study day: many readers, one writer; subscribers receive every change in order.
///
/// Every change goes through `change`: atomic, and on the disk when it returns.
public final class DayStore: Sendable {
  public let path: String
  public let clock: any DayClock
  private let pool: DatabasePool
  /// Files that were opened; somebody may delete, move or replace them while they are served.
  private let files: ServedFiles
  /// Copy that was written when a file was lost; nil while none is.
  private let rescued = Mutex<String?>(nil)
  /// Stream of committed events, one element for each transaction.
  let changes = Broadcast<[Event]>(limit: 1000)
  /// Queue of the single writer.
  private let waiting = Mutex(Waiting())
  /// Time since which changes fail to be stored, in ms since 1970; nil if the last one succeeded.
  private let failing = Mutex<Int64?>(nil)
  private let subscription = Mutex(Subscription())
  let recent = RecentReads()
  /// Hash of the first event, which never changes: cached, since every request with a cookie needs it.
  private let cachedFirstHash = Mutex<Data?>(nil)

  /// Opens a database and brings it to the schema of this version; one that is not there is made.
  ///
  /// - Throws: `StoreError`.
  public init(path: String, clock: any DayClock = SystemClock()) throws(StoreError) {
    self.path = path
    self.clock = clock
    pool = try StudyStore.servingPool(path)
    files = ServedFiles(path)
  }

  /// The hash of the first event; nil while there is none.
  func firstHash() async throws -> Data? {
    if let hash = cachedFirstHash.withLock({ $0 }) { return hash }
    let hash = try await read { try EventLog.event(seq: 1, in: $0)?.hash }
    cachedFirstHash.withLock { $0 = hash }
    return hash
  }

  /// Throws unless all files are still those that were opened: entries in an unlinked file would be lost.
  private func requireFiles() throws(Problem) {
    guard files.lost != nil else { return }
    throw Problem(
      .failed,
      "The database, or its log, was deleted, moved or replaced while it was served. Nothing was stored. Stop the server: beside the database is a copy of all that was."
    )
  }

  /// Writes a copy of everything that was stored, once files of the database are lost, and says so in the log.
  func rescueIfLost(_ logger: Logger) async {
    guard let lost = files.lost else { return rescued.withLock { $0 = nil } }
    failing.withLock { $0 = $0 ?? clock.now }
    guard rescued.withLock({ $0 }) == nil else { return }
    let file = "\(lost.split(separator: "/").last ?? "")"
    do {
      // The connection that writes has the files open that were lost; a new one would open others.
      let copy = try await pool.writeWithoutTransaction { [path, clock] db in
        try ServedFiles.rescue(path, at: clock.now, db)
      }
      rescued.withLock { $0 = copy }
      logger.critical(
        "a file of the database is gone or another one; nothing is stored, a copy was written",
        metadata: ["file": "\(file)", "copy": "\(copy)"])
    } catch {
      logger.critical(
        "a file of the database is gone or another one; nothing is stored, and no copy can be written",
        metadata: ["file": "\(file)", "type": "\(type(of: error))"])
    }
  }

  /// Reads without waiting for the writer; throws ``Problem`` or `StoreError`.
  package func read<Value: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Value
  ) async throws -> Value {
    do {
      try requireFiles()
      let value = try await pool.read(body)
      // A connection that was opened meanwhile may have read other files.
      try requireFiles()
      return value
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
    try Task.checkCancellation()
    let outcome = ChangeResult<Value>()
    do {
      try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
          enqueue(
            Job(owner: outcome) {
              outcome.value = try body($0)
            } end: {
              continuation.resume(with: $0)
            })
        }
      } onCancel: {
        // A cancelled change must not be written later.
        let job = waiting.withLock { waiting in
          waiting.jobs.firstIndex { $0.owner === outcome }.map { waiting.jobs.remove(at: $0) }
        }
        job?.end(.failure(CancellationError()))
      }
      guard let value = outcome.value else { throw DatabaseError(resultCode: .SQLITE_ABORT) }
      failing.withLock { $0 = nil }
      return value
    } catch {
      let failure = failure(error)
      if [.failed, .noRoom, .busy].contains(Problem(failure).code) {
        failing.withLock { $0 = $0 ?? clock.now }
      }
      throw failure
    }
  }

  /// Enqueues a change and starts the writer unless it runs.
  private func enqueue(_ job: Job) {
    let isWriting = waiting.withLock { waiting in
      defer { waiting.isWriting = true }
      waiting.jobs.append(job)
      return waiting.isWriting
    }
    if !isWriting { write() }
  }

  /// Writes batches until the queue is empty; other users of the writer have their turn in between.
  private func write() {
    pool.asyncWriteWithoutTransaction { [self] db in
      commit(waiting.withLock { $0.drain() }, db)
      let isOver = waiting.withLock { waiting in
        waiting.isWriting = !waiting.jobs.isEmpty
        return !waiting.isWriting
      }
      if !isOver { write() }
    }
  }

  /// Commits changes in one transaction, since a disk takes as long for one as for many. Each is a savepoint: one that
  /// is refused leaves no trace, and the others stand.
  private func commit(_ jobs: [Job], _ db: Database) {
    guard !jobs.isEmpty else { return }
    var results: [Result<DayChange, any Error>] = []
    do {
      try requireFiles()
      try db.inTransaction(.immediate) {
        var last = try EventLog.last(in: db)
        for job in jobs {
          let change = DayChange(db, at: clock.now, after: last, notificationChannels, onEvent)
          do {
            try change.atomically { try job.run(change) }
            results.append(.success(change))
            last = change.last
          } catch {
            // A full disk ends the whole transaction.
            guard db.isInsideTransaction else { throw error }
            results.append(.failure(error))
          }
        }
        return .commit
      }
      try requireFiles()
    } catch {
      for job in jobs { job.end(.failure(error)) }
      return
    }
    // Before the answer to a revocation goes out.
    if results.contains(where: { (try? $0.get())?.isOfEntries == false }) { recent.clear() }
    // Still on the writer's queue, so that subscribers receive changes in their order.
    for case .success(let change) in results where !change.events.isEmpty {
      changes.send(change.events)
    }
    for (job, result) in zip(jobs, results) { job.end(result.map { _ in }) }
  }

  /// Writes further rows for every event, in its transaction.
  var onEvent: EventHandler? {
    get { subscription.withLock { $0.onEvent } }
    set { subscription.withLock { $0.onEvent = newValue } }
  }

  /// Ways of sending notifications.
  var notificationChannels: [String] {
    get { subscription.withLock { $0.ways } }
    set { subscription.withLock { $0.ways = newValue } }
  }

  /// Number of changes that wait to be written.
  var waitingCount: Int { waiting.withLock { $0.jobs.count } }

  var failingSince: Int64? { failing.withLock { $0 } }

  /// Checkpoints and truncates SQLite's log, so that erased data are in neither file. A concurrent reader may delay
  /// that until a later checkpoint.
  func emptyLog() async {
    _ = try? await pool.writeWithoutTransaction { try $0.checkpoint(.truncate) }
  }

  private func failure(_ error: any Error) -> any Error {
    guard let error = error as? DatabaseError else { return error }
    return StoreError(error, path: path)
  }
}

/// A change that waits to be written, with the continuation of its caller.
private struct Job: Sendable {
  let owner: any AnyObject & Sendable
  let run: @Sendable (DayChange) throws -> Void
  let end: @Sendable (Result<Void, any Error>) -> Void
}

/// Handler and channels. The structure is needed: a bare closure in a mutex is wrapped once more by every access.
private struct Subscription {
  var onEvent: EventHandler?
  var ways: [String] = []
}

private struct Waiting {
  var jobs: [Job] = []
  var isWriting = false

  mutating func drain() -> [Job] {
    defer { jobs = [] }
    return jobs
  }
}

private final class ChangeResult<Value: Sendable>: Sendable {
  private let stored = Mutex<Value?>(nil)

  var value: Value? {
    get { stored.withLock { $0 } }
    set { stored.withLock { $0 = newValue } }
  }
}

/// A transaction of the study day, with the events that it logs.
package final class DayChange {
  package let db: Database
  /// Time of the change, in ms since 1970.
  let now: Int64
  private(set) var events: [Event] = []
  /// Number and hash of the last event of the log; nil before the first.
  private(set) var last: EventLog.End?

  private let notificationChannels: [String]
  private let onEvent: EventHandler?

  fileprivate init(
    _ db: Database, at now: Int64, after last: EventLog.End?, _ notificationChannels: [String],
    _ onEvent: EventHandler?
  ) {
    self.db = db
    self.now = now
    self.last = last
    self.notificationChannels = notificationChannels
    self.onEvent = onEvent
  }

  /// True if all its events are of entries.
  fileprivate var isOfEntries: Bool {
    !events.isEmpty
      && events.allSatisfy { event in
        EntryKind.allCases.contains { event.action.hasPrefix("\($0.rawValue).") }
      }
  }

  @discardableResult
  package func log(_ event: Event) throws -> Event {
    let event = try EventLog.append(event, at: now, after: last, in: db)
    last = (event.seq, event.hash)
    try onEvent?(event, notificationChannels, now, db)
    events.append(event)
    return event
  }

  /// Runs a part of the change in a savepoint: all of it or nothing.
  func atomically(_ body: () throws -> Void) throws {
    let count = events.count
    let last = last
    do {
      try db.run("SAVEPOINT part")
      try body()
      try db.run("RELEASE part")
    } catch {
      events.removeSubrange(count...)
      self.last = last
      // A full disk has ended the transaction.
      if db.isInsideTransaction {
        try db.run("ROLLBACK TO part")
        try db.run("RELEASE part")
      }
      throw error
    }
  }
}

/// Kinds of entries.
public enum EntryKind: String, CaseIterable, Encodable, Sendable {
  case reading
  case drink
  case vital
  case note
}

/// Cache of frequent reads, such as the holder of a token. Every change except entries clears it; values expire
/// after two seconds, since another program may have changed the database.
final class RecentReads: Sendable {
  private struct State {
    var changes = 0
    var values: [Data: (value: any Sendable, seen: Int64)] = [:]
  }

  private static let lifetime: Int64 = 2000
  private static let capacity = 1000
  private let state = Mutex(State())

  /// Returns the cached value of a key, and the number of times that the cache was cleared before.
  func value(_ key: Data, at now: Int64) -> (changes: Int, value: (any Sendable)?) {
    state.withLock { state in
      let value = state.values[key].flatMap { now - $0.seen < Self.lifetime ? $0.value : nil }
      return (state.changes, value)
    }
  }

  /// Caches a value unless the cache was cleared since it was read.
  func insert(_ value: any Sendable, _ key: Data, unlessAfter changes: Int, at now: Int64) {
    state.withLock { state in
      guard state.changes == changes else { return }
      if state.values.count >= Self.capacity { state.values = [:] }
      state.values[key] = (value, now)
    }
  }

  func clear() {
    state.withLock { state in
      state.changes += 1
      state.values = [:]
    }
  }
}
