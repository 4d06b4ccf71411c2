import Foundation

/// Puts a new file in the place of an old one in a single step.
///
/// The new one is written beside it and renamed over it, so that nobody ever sees half of it; one that
/// is not finished goes with its object. Links are followed and permissions kept, which Foundation's
/// atomic writing does not do on Linux.
final class Replacement {
  /// The new file.
  let file: FileHandle
  private let target: String
  private let draft: String
  private var isClosed = false
  private var isFinished = false

  /// Begins the new file beside the old one.
  init(of path: String) throws {
    let target = try Self.followingLinks(path)
    guard let last = target.last else { throw OutputFailure(code: ENOENT) }
    var status = stat()
    let isThere = stat(target, &status) == 0
    guard last != "/", !isThere || status.st_mode & S_IFMT != S_IFDIR else {
      throw OutputFailure(code: EISDIR)
    }
    var descriptor: Int32 = -1
    draft = try DraftName.make(beside: target) {
      descriptor = open($0, O_WRONLY | O_CREAT | O_EXCL, 0o666)
      return descriptor >= 0
    }
    self.target = target
    file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    guard !isThere || fchmod(descriptor, status.st_mode & 0o7777) == 0 else {
      throw OutputFailure()
    }
  }

  deinit {
    if !isFinished { unlink(draft) }
    Drafts.forget(draft)
  }

  /// Replaces a file.
  static func write(_ data: Data, to path: String) throws {
    try write([(path, data)])
  }

  /// Replaces several files, one after the other, but none before all new ones are written.
  static func write(_ files: [(path: String, data: Data)]) throws {
    let replacements = try files.map { path, data in
      let replacement = try Replacement(of: path)
      try replacement.write(data)
      return replacement
    }
    for replacement in replacements { try replacement.finish() }
  }

  /// Writes all of the new file, and closes it: of many that wait none holds a descriptor.
  func write(_ data: Data) throws {
    try file.write(contentsOf: data)
    try close()
  }

  private func close() throws {
    guard !isClosed else { return }
    isClosed = true
    try file.close()
  }

  /// Puts the new file, which is complete, in the place of the old one.
  func finish() throws {
    try close()
    guard rename(draft, target) == 0 else { throw OutputFailure() }
    isFinished = true
  }

  /// Where a path leads, also if there is nothing yet at its end.
  static func followingLinks(_ path: String) throws -> String {
    var path = path
    for _ in 0..<40 {
      guard let next = try? FileManager.default.destinationOfSymbolicLink(atPath: path) else {
        return path
      }
      let folder = path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
      path = next.hasPrefix("/") ? next : (folder + [next[...]]).joined(separator: "/")
    }
    throw OutputFailure(code: ELOOP)
  }
}
