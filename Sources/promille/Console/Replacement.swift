import Foundation

/// Puts a new file in the place of an old one in a single step.
///
/// The new one is written beside it and renamed over it, so that nobody ever sees half of it. Links
/// are followed and permissions kept, which Foundation's atomic writing does not do on Linux.
struct Replacement {
  private let target: String
  private let draft: String

  init(of path: String) throws {
    target = try Self.followingLinks(path)
    let name = target.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
    guard !name.isEmpty else { throw OutputFailure(code: path.isEmpty ? ENOENT : EISDIR) }
    var status = stat()
    guard stat(target, &status) != 0 || status.st_mode & S_IFMT != S_IFDIR else {
      throw OutputFailure(code: EISDIR)
    }
    let folder = target.dropLast(name.count)
    draft = "\(folder).\(name).\(ProcessInfo.processInfo.processIdentifier).part"
  }

  func write(_ data: Data) throws {
    try prepare(data)
    try finish()
  }

  /// Replaces several files: none of them before all new ones are written.
  static func write(_ files: [(path: String, data: Data)]) throws {
    var prepared: [Replacement] = []
    do {
      for (path, data) in files {
        let replacement = try Replacement(of: path)
        try replacement.prepare(data)
        prepared.append(replacement)
      }
    } catch {
      for replacement in prepared { replacement.abandon() }
      throw error
    }
    for replacement in prepared { try replacement.finish() }
  }

  /// Writes the new file beside the old one.
  private func prepare(_ data: Data) throws {
    let file = try begin()
    do {
      try file.write(contentsOf: data)
      try file.close()
    } catch {
      abandon()
      throw error
    }
  }

  /// Begins the new file beside the old one.
  func begin() throws -> FileHandle {
    let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL, 0o666)
    guard descriptor >= 0 else { throw OutputFailure() }
    BrokenPipe.watch(draft)
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    do {
      try keepPermissions(descriptor)
    } catch {
      abandon()
      throw error
    }
    return file
  }

  /// Puts the new file, which is complete and closed, in the place of the old one.
  func finish() throws {
    guard rename(draft, target) == 0 else {
      let failure = OutputFailure()
      abandon()
      throw failure
    }
    BrokenPipe.forget(draft)
  }

  /// Removes what there is of the new file.
  func abandon() {
    unlink(draft)
    BrokenPipe.forget(draft)
  }

  private func keepPermissions(_ descriptor: Int32) throws {
    var old = stat()
    guard stat(target, &old) == 0 else { return }
    guard fchmod(descriptor, old.st_mode & 0o7777) == 0 else { throw OutputFailure() }
  }

  /// Where a path leads, also if there is nothing yet at its end.
  private static func followingLinks(_ path: String) throws -> String {
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
