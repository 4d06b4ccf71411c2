import Foundation
import StudyData
import StudyStore

/// A new database that is made beside the place that it will take, and is there whole or not at all. SQLite needs a
/// name for it.
enum DatabaseOutput {
  /// Makes a database where there is none, of the empty file that `fill` fills; if it fails, or if it is not to be kept,
  /// nothing is there.
  static func make<Value>(
    _ path: String, isKept: Bool = true, _ fill: (String) throws -> Value
  ) throws -> Value {
    _ = listening
    let draft: String
    do throws(OutputFailure) {
      draft = try path.hiddenName { name in
        // Before the file is there, so that a signal always finds its name.
        unfinished = ([""] + StudyStore.endingsBeside).compactMap {
          (name + $0).withFileName { strdup($0) }
        }
        let file = open(name, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o644)
        guard file >= 0 else {
          let reason = errno
          forget()
          errno = reason
          return false
        }
        close(file)
        return true
      }
    } catch {
      throw StoreError(
        .notWritable, path: path,
        message: "cannot create a database here: \(error.localizedDescription)")
    }
    defer {
      for name in unfinished { unlink(name) }
      forget()
    }
    do {
      let value = try fill(draft)
      if isKept { try put(draft, at: path) }
      return value
    } catch var error as StoreError where error.path == draft {
      error.path = path
      throw error
    }
  }

  /// Makes a database, or changes an existing one.
  @discardableResult
  static func change<Value>(_ path: String, _ body: (StudyStore) throws -> Value) throws -> Value {
    var status = stat()
    guard lstat(path, &status) != 0, errno == ENOENT else {
      return try StudyStore.change(path, body)
    }
    return try make(path) { try StudyStore.change($0, body) }
  }

  /// Runs what a change would do, on a database that stays as it is.
  static func rehearse<Value>(_ path: String, _ body: (StudyStore) throws -> Value) throws -> Value
  {
    var status = stat()
    let isThere = stat(path, &status) == 0
    guard isThere, status.st_mode & S_IFMT != S_IFREG || status.st_size > 0 else {
      return try make(path, isKept: false) { try StudyStore.change($0, body) }
    }
    // One of an older version would be brought up to date where it is opened to be changed: it is refused here.
    _ = try StudyStore(path: path, for: .reading)
    return try body(try StudyStore(path: path, for: .changing))
  }

  /// Moves the database into place; never replaces another file.
  private static func put(_ draft: String, at target: String) throws(StoreError) {
    if link(draft, target) == 0 { return }
    var status = stat()
    // Where a disk knows no second names of files, as FAT does, nothing must be there.
    guard errno != EEXIST, lstat(target, &status) != 0 else {
      throw StoreError(
        .notWritable, path: target, message: "another file has appeared here in the meantime",
        remedy: "check it, and try again")
    }
    guard rename(draft, target) == 0 else {
      throw StoreError(
        .notWritable, path: target,
        message: "cannot create a database here: \(OutputFailure().localizedDescription)")
    }
  }

  /// The names of a database that is being made, and of what SQLite keeps beside it; C strings, for a signal handler may
  /// not ask for memory.
  nonisolated(unsafe) private static var unfinished: [UnsafeMutablePointer<CChar>] = []

  private static func forget() {
    let names = unfinished
    unfinished = []
    for name in names { free(name) }
  }

  /// Removes it when a signal comes, which then ends the command as it would have.
  private static let listening: Void = {
    for number in [SIGINT, SIGTERM, SIGHUP] {
      let earlier = signal(number) { number in
        for name in unfinished { unlink(name) }
        signal(number, SIG_DFL)
        raise(number)
      }
      // As nohup has it.
      if unsafeBitCast(earlier, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) {
        signal(number, SIG_IGN)
      }
    }
  }()
}
