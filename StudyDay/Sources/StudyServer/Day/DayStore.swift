package import DayDatabase
import Foundation
package import GRDB
import Logging
@_spi(StudyDay) public import StudyStore
import Synchronization

/// Writes what follows from an event in the transaction that logs it, given how people are written to and the time.
typealias EventFollower = @Sendable (Event, [String], Int64, Database) throws -> Void

/// The database of a study day: many readers, one writer; subscribers receive every change in order.
///
/// Everything that changes anything goes through `change`: all of it or nothing, on the disk when it returns.
public final class DayStore: Sendable {
  public let path: String
  public let clock: any DayClock
  private let pool: DatabasePool
  /// What was opened, which somebody may delete, move away or replace meanwhile.
  private let files: ServedFiles
  /// The copy that was written when a file was lost; nil while none is.
  private let rescued = Mutex<String?>(nil)
  /// The changes from now on, in order, as many at a time as a transaction made.
  let changes = Broadcast<[Event]>(limit: 1000)
  /// Changes that wait to be written, and whether somebody writes.
  private let waiting = Mutex(Waiting())
  /// Since when no change could be stored, in ms since 1970; nil while changes can, as far as anybody tried.
  private let failing = Mutex<Int64?>(nil)
  private let following = Mutex(Subscription())
  let recent = RecentReads()
  /// The hash of the first event, which never changes: read once, as every request with a cookie asks for it.
  private let knownFirstHash = Mutex<Data?>(nil)

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
    if let known = knownFirstHash.withLock({ $0 }) { return known }
    let hash = try await read { try EventLog.event(seq: 1, in: $0)?.hash }
    knownFirstHash.withLock { $0 = hash }
    return hash
  }

  /// Makes sure that all files are still those that were opened: entries in a file without a name are lost.
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

  /// Reads, without waiting for who writes; throws ``Problem`` or `StoreError`.
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
        // Who no longer waits is not to be surprised later.
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

  /// Lets a change wait, and has somebody write unless somebody does.
  private func enqueue(_ job: Job) {
    let isWriting = waiting.withLock { waiting in
      defer { waiting.isWriting = true }
      waiting.jobs.append(job)
      return waiting.isWriting
    }
    if !isWriting { write() }
  }

  /// Writes what waits, until nothing does. Others who want the writer have their turn in between.
  private func write() {
    pool.asyncWriteWithoutTransaction { [self] db in
      commit(waiting.withLock { $0.takeAll() }, db)
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
          let change = DayChange(db, at: clock.now, after: last, letterWays, follow)
          do {
            try change.whole { try job.run(change) }
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
    // Before who ended a token is answered.
    if results.contains(where: { (try? $0.get())?.isOfEntries == false }) { recent.forget() }
    // Still on the writer's queue, so that changes are heard of in their order.
    for case .success(let change) in results where !change.events.isEmpty {
      changes.send(change.events)
    }
    for (job, result) in zip(jobs, results) { job.end(result.map { _ in }) }
  }

  /// What else is to be written of every event.
  var follow: EventFollower? {
    get { following.withLock { $0.follow } }
    set { following.withLock { $0.follow = newValue } }
  }

  /// How people are written to.
  var letterWays: [String] {
    get { following.withLock { $0.ways } }
    set { following.withLock { $0.ways = newValue } }
  }

  /// How many changes wait to be written.
  var waitingCount: Int { waiting.withLock { $0.jobs.count } }

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

/// A change that waits to be written, and who waits for it to be on the disk.
private struct Job: Sendable {
  let owner: any AnyObject & Sendable
  let run: @Sendable (DayChange) throws -> Void
  let end: @Sendable (Result<Void, any Error>) -> Void
}

/// A closure that is itself in a mutex is wrapped once more by every look at it, in a structure it is not.
private struct Subscription {
  var follow: EventFollower?
  var ways: [String] = []
}

private struct Waiting {
  var jobs: [Job] = []
  var isWriting = false

  mutating func takeAll() -> [Job] {
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

/// A change of the study day, with the events that say what it changes.
package final class DayChange {
  package let db: Database
  /// When it is made, in ms since 1970.
  let now: Int64
  private(set) var events: [Event] = []
  /// Number and hash of the last event of the log; nil before the first.
  private(set) var last: EventLog.End?

  private let letterWays: [String]
  private let follow: EventFollower?

  fileprivate init(
    _ db: Database, at now: Int64, after last: EventLog.End?, _ letterWays: [String],
    _ follow: EventFollower?
  ) {
    self.db = db
    self.now = now
    self.last = last
    self.letterWays = letterWays
    self.follow = follow
  }

  /// Whether it is of entries and nothing else.
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
    try follow?(event, letterWays, now, db)
    events.append(event)
    return event
  }

  /// Does a part of the change whole, or leaves no trace of it.
  func whole(_ body: () throws -> Void) throws {
    let (count, last) = (events.count, last)
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

/// What can be entered.
public enum EntryKind: String, CaseIterable, Encodable, Sendable {
  case reading
  case drink
  case vital
  case note
}

/// What requests ask for again and again, such as the holder of a token, while little changes. It is forgotten with
/// every change but those of entries, and after two seconds, as another program may have changed something.
final class RecentReads: Sendable {
  private struct State {
    var changes = 0
    var known: [Data: (value: any Sendable, seen: Int64)] = [:]
  }

  private static let memory: Int64 = 2000
  private static let most = 1000
  private let state = Mutex(State())

  /// What was read of a key, if that is known, and how often all was forgotten before.
  func known(_ key: Data, at now: Int64) -> (changes: Int, value: (any Sendable)?) {
    state.withLock { state in
      let known = state.known[key].flatMap { now - $0.seen < Self.memory ? $0.value : nil }
      return (state.changes, known)
    }
  }

  /// Remembers what was read, unless it may have changed since.
  func note(_ value: any Sendable, _ key: Data, unlessAfter changes: Int, at now: Int64) {
    state.withLock { state in
      guard state.changes == changes else { return }
      if state.known.count >= Self.most { state.known = [:] }
      state.known[key] = (value, now)
    }
  }

  func forget() {
    state.withLock { state in
      state.changes += 1
      state.known = [:]
    }
  }
}
