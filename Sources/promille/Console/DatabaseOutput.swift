import Foundation
import StudyData
import StudyStore

/// A new database that is made beside the place that it will take, and is there whole or not at all.
final class DatabaseOutput {
  private let target: String
  private let draft: Draft

  /// Begins a database.
  ///
  /// - Throws: ``StoreError`` if no file can be made there.
  private init(_ path: String) throws(StoreError) {
    target = path
    do {
      func beside(_ draft: String) -> [String] { StudyStore.endingsBeside.map { draft + $0 } }
      draft = try Draft(beside: path, parts: beside) { path in
        let file = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o644)
        if file >= 0 { close(file) }
        return file >= 0
      }
    } catch {
      throw StoreError(
        .notWritable, path: path,
        message: "cannot create a database here: \(OutputFailure.reason(of: error))")
    }
  }

  /// Makes a database where there is none.
  ///
  /// - Parameter fill: Fills the file that becomes the database; it is there, and empty.
  /// - Throws: ``StoreError`` if it cannot be made, or what `fill` throws; then nothing is there.
  static func make<Value>(_ path: String, _ fill: (String) throws -> Value) throws -> Value {
    let output = try DatabaseOutput(path)
    do {
      let value = try fill(output.draft.path)
      try output.finish()
      return value
    } catch var error as StoreError where error.path == output.draft.path {
      error.path = path
      throw error
    }
  }

  /// Makes a database, or changes the one that is there.
  @discardableResult
  static func change<Value>(_ path: String, _ body: (StudyStore) throws -> Value) throws -> Value {
    var status = stat()
    guard lstat(path, &status) != 0, errno == ENOENT else {
      return try StudyStore.change(path, body)
    }
    return try make(path) { try StudyStore.change($0, body) }
  }

  /// Puts the database in place, but never in the place of something else.
  private func finish() throws(StoreError) {
    if link(draft.path, target) == 0 {
      unlink(draft.path)
    } else if errno == EEXIST || !canRename {
      throw StoreError(
        .notWritable, path: target, message: "another file has appeared here in the meantime",
        remedy: "check it, and try again")
    } else if rename(draft.path, target) != 0 {
      throw StoreError(
        .notWritable, path: target,
        message: "cannot create a database here: \(String(cString: strerror(errno)))")
    }
    draft.finish()
  }

  /// Where a disk knows no second names of files, as FAT does, nothing must be there.
  private var canRename: Bool {
    var status = stat()
    return lstat(target, &status) != 0
  }
}
