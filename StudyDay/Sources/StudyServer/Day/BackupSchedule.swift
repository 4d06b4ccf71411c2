import DayDatabase
import Dispatch
import Foundation
import HealthData
import Logging
import ServiceLifecycle
@_spi(StudyDay) import StudyStore
import Synchronization

/// Folder, interval and number of automatic copies.
public struct BackupPlan: Sendable {
  public var folder: String
  /// Time between two copies, in ms.
  public var interval: Int64
  public var kept: Int

  public init(folder: String, everyMinutes minutes: Int, keeping kept: Int) {
    self.folder = folder
    interval = Int64(minutes) * 60_000
    self.kept = kept
  }
}

/// Copies the database while the day goes on, and verifies each copy before it counts.
final class BackupSchedule: Service {
  /// Last attempt since the server was started.
  struct State: Sendable {
    /// Time of the attempt, in ms since 1970, and the reason of its failure, if it failed.
    var tried: Int64?
    var failure: String?
  }

  private let plan: BackupPlan
  private let store: DayStore
  private let logger: Logger
  private let started: Int64
  private let known = Mutex(State())
  /// Queue of its own, so that no connection waits for a check.
  private let thread = DispatchQueue(label: "promille.backup", qos: .utility)
  /// Time until a failed copy is tried again, in ms.
  private static let again: Int64 = 600_000

  init(_ plan: BackupPlan, _ store: DayStore, _ logger: Logger) {
    (self.plan, self.store, self.logger) = (plan, store, logger)
    started = store.clock.now
  }

  var state: State { known.withLock { $0 } }

  func run() async throws {
    await cancelWhenGracefulShutdown {
      repeat {
        let last = (try? await self.store.read { try StudyStore.lastBackup(in: $0)?.at }) ?? nil
        if self.isDue(after: last, at: self.store.clock.now) { await self.make() }
      } while (try? await Task.sleep(for: .seconds(5))) != nil
    }
  }

  func isDue(after last: Int64?, at now: Int64) -> Bool {
    let state = state
    if state.failure != nil, let tried = state.tried, now - tried < min(plan.interval, Self.again) {
      return false
    }
    return last.map { now - $0 >= plan.interval } ?? true
  }

  /// True if the last attempt failed or no copy was made for two intervals.
  func isLate(after last: Int64?, at now: Int64) -> Bool {
    now - max(last ?? started, started) > 2 * plan.interval || state.failure != nil
  }

  /// Makes, verifies and records a copy, and removes the oldest ones. A failure is logged and does not stop the day.
  func make() async {
    let now = store.clock.now
    do {
      let end = try await copied(at: now)
      try await store.change { try StudyStore.noteBackup(upTo: end, at: now, in: $0.db) }
      known.withLock { $0 = State(tried: now) }
      logger.info("a backup was made and tried", metadata: ["changes": "\(end)"])
    } catch {
      guard !(error is CancellationError) else { return }
      let reason = (error as? StoreError)?.description ?? "\(error)"
      known.withLock { $0 = State(tried: now, failure: reason) }
      logger.error("no backup could be made", metadata: ["because": "\(reason)"])
    }
  }

  /// Copies on the queue. A stopping server does not wait for it.
  private func copied(at now: Int64) async throws -> Int64 {
    let (copies, ready) = AsyncThrowingStream.makeStream(of: Int64.self)
    thread.async { [plan, path = store.path] in
      ready.yield(with: Result { try Self.copy(path, to: plan, at: now) })
      ready.finish()
    }
    for try await end in copies { return end }
    throw CancellationError()
  }

  // MARK: One copy

  /// Reason for rejecting a copy.
  private struct Unsound: Error, CustomStringConvertible {
    var description: String
  }

  /// - Returns: The number of the last change in the copy.
  private static func copy(_ path: String, to plan: BackupPlan, at now: Int64) throws -> Int64 {
    let files = FileManager.default
    try files.createDirectory(
      atPath: plan.folder, withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700])
    let start = try StudyStore.lastChange(of: path) ?? 0
    let stem = stem(of: path)
    let stamp = ISOTime.text(now).prefix(19).filter { $0 != ":" && $0 != "-" }
    let folder = URL(filePath: plan.folder)
    let place = folder.appending(path: "\(stem)\(stamp)Z.sqlite").path(percentEncoded: false)
    // Under this name until it was tried: nobody takes it for a backup.
    let part = place + ".part"
    func clear() {
      let parts = (try? files.contentsOfDirectory(atPath: plan.folder)) ?? []
      for file in parts where file.hasPrefix(stem) && file.contains(".sqlite.part") {
        try? files.removeItem(at: folder.appending(path: file))
      }
    }
    clear()
    defer { clear() }
    try StudyStore(path: path, for: .reading).copy(to: part)
    try? files.setAttributes([.posixPermissions: 0o600], ofItemAtPath: part)
    let end = try attempt(part, from: start)
    try files.moveItem(atPath: part, toPath: place)
    let copies = try files.contentsOfDirectory(atPath: plan.folder)
      .filter { $0.hasPrefix(stem) && $0.wholeMatch(of: /.*[0-9]{8}T[0-9]{6}Z\.sqlite/) != nil }
      .sorted()
    for old in copies.dropLast(plan.kept) {
      try? files.removeItem(at: folder.appending(path: old))
    }
    return end
  }

  private static func stem(of path: String) -> String {
    let name = URL(filePath: path).lastPathComponent
    return "\(name.hasSuffix(".sqlite") ? String(name.dropLast(7)) : name)-backup-"
  }

  /// Opens a copy as a server would after a restore, verifies file, log and tables, and counts the changes.
  private static func attempt(_ copy: String, from start: Int64) throws -> Int64 {
    let opened = try StudyStore.day(copy, for: .changing)
    let chain = try opened.verifyChanges()
    if let broken = chain.broken { throw Unsound(description: "change \(broken) is not sound") }
    if let different = chain.different {
      throw Unsound(
        description: "\(different.what) \(different.name) is not what the changes say: "
          + different.message)
    }
    guard chain.sound >= start else {
      throw Unsound(description: "the copy has \(chain.sound) changes, and the database \(start)")
    }
    return chain.sound
  }
}
