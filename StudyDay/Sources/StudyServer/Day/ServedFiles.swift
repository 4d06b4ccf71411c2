import Foundation
import GRDB
import Logging
import ServiceLifecycle
@_spi(StudyDay) import StudyFiles
@_spi(StudyDay) import StudyStore

/// The files of a database that is served: SQLite goes on writing to those that it opened when somebody deletes, moves or
/// replaces them, and everything since the last checkpoint is in its log.
struct ServedFiles: Sendable {
  private let known: [String: FileIdentity]

  /// - Parameter path: Where the database is; its log and the index of that are beside the file that links lead to.
  init(_ path: String) {
    let place = URL(filePath: path).resolvingSymlinksInPath().path(percentEncoded: false)
    known = Dictionary(
      uniqueKeysWithValues: [path, place + "-wal", place + "-shm"].compactMap { path in
        FileIdentity(path).map { (path, $0) }
      })
  }

  /// The first that is gone, or another file by now; nil if all are what was opened.
  var lost: String? {
    known.keys.sorted().first { FileIdentity($0) != known[$0] }
  }

  /// Writes what a connection sees, log and all, to a new file beside the database.
  ///
  /// - Returns: The file.
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

/// Looks each second whether the files of the database are still there.
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
