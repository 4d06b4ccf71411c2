import Foundation

/// A folder that is made with all of its files, or not at all.
struct OutputFolder {
  private let path: String

  init(_ path: String) {
    self.path = path
  }

  /// Writes the files beside the place of the folder first, and moves them there when they are whole.
  func write(_ files: [(name: String, text: String)]) throws {
    try requireNothing()
    let target = URL(filePath: path, directoryHint: .isDirectory)
    let draft = target.deletingLastPathComponent().appending(
      path: ".\(target.lastPathComponent).\(ProcessInfo.processInfo.processIdentifier).part")
    try FileManager.default.createDirectory(at: draft, withIntermediateDirectories: false)
    do {
      for file in files {
        try Data(file.text.utf8).write(to: draft.appending(path: file.name))
      }
      guard rename(draft.path, target.path) == 0 else { throw OutputFailure() }
    } catch {
      try? FileManager.default.removeItem(at: draft)
      throw error
    }
  }

  /// Nothing that is there is ever written over: it may hold what no study has.
  func requireNothing() throws {
    var status = stat()
    guard lstat(path, &status) != 0 else { throw OutputFailure(code: EEXIST) }
  }
}
