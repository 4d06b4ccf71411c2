import Foundation
import GRDB
import Logging
import ServiceLifecycle
@_spi(StudyDay) import StudyFiles
@_spi(StudyDay) import StudyStore

/// Identities of a served database's files. SQLite goes on writing to the files that it opened when somebody deletes,
/// moves or replaces them, and everything since the last checkpoint is in its log.
struct ServedFiles: Sendable {
  private let opened: [String: FileIdentity]

  /// - Parameter path: Path of the database; links are resolved, since its -wal and -shm files lie beside the target.
  init(_ path: String) {
    let target = URL(filePath: path).resolvingSymlinksInPath().path(percentEncoded: false)
    opened = Dictionary(
      uniqueKeysWithValues: [path, target + "-wal", target + "-shm"].compactMap { path in
        FileIdentity(path).map { (path, $0) }
      })
  }

  /// Path of the first file that is gone or was replaced; nil if all are unchanged.
  var lost: String? {
    opened.keys.sorted().first { FileIdentity($0) != opened[$0] }
  }

  /// Copies the database as a connection sees it, including its log, to a new file beside it.
  ///
  /// - Returns: Path of the copy.
  static func rescue(_ path: String, at now: Int64, _ db: Database) throws -> String {
    // Nobody else may read it; SQLite takes an empty file as a new one.
    let names = (0..<1000).lazy.map { "\(rescued(path))\(now / 1000 + Int64($0)).sqlite" }
    let copy = names.first { copy in
      let file = open(copy, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
      if file >= 0 { close(file) }
      return file >= 0 || errno != EEXIST
    }
    guard let copy else { throw DatabaseError(resultCode: .SQLITE_CANTOPEN) }
    try db.run("VACUUM INTO ?", [copy])
    return copy
  }

  /// Copies that were written beside a database when its files were lost, the latest first.
  static func rescued(beside path: String) -> [String] {
    let folder = URL(filePath: path).deletingLastPathComponent()
    let start = URL(filePath: rescued(path)).lastPathComponent
    let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return files.filter { $0.hasPrefix(start) && $0.hasSuffix(".sqlite") }.sorted(by: >)
      .map { folder.appending(path: $0).path(percentEncoded: false) }
  }

  private static func rescued(_ path: String) -> String { "\(path)-rescued-" }
}

/// Checks the database's files each second.
struct FileWatch: Service {
  let store: DayStore
  let logger: Logger
  var interval = Duration.seconds(1)

  func run() async throws {
    await cancelWhenGracefulShutdown {
      while (try? await Task.sleep(for: interval)) != nil { await store.rescueIfLost(logger) }
    }
  }
}
