import Foundation
import StudyData

/// A folder of files that are written side by side, and is there whole or not at all.
struct FolderOutput {
  private let target: String
  private let draft: String
  private let handles: [FileHandle]

  /// Begins the files in a folder beside the one that they will be in.
  ///
  /// - Throws: ``OutputFailure`` if there is something at its path already.
  init(_ path: String, files: [String]) throws {
    target = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    let name = target.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
    guard !name.isEmpty, name != ".", name != ".." else { throw OutputFailure(code: EEXIST) }
    draft = "\(target.dropLast(name.count)).\(name).\(getpid()).part"
    try Self.requireNothing(at: target)
    guard mkdir(draft, 0o777) == 0 else { throw OutputFailure() }
    var handles: [FileHandle] = []
    do {
      for file in files {
        let descriptor = open("\(draft)/\(file)", O_WRONLY | O_CREAT | O_EXCL, 0o666)
        guard descriptor >= 0 else { throw OutputFailure() }
        handles.append(FileHandle(fileDescriptor: descriptor, closeOnDealloc: true))
      }
    } catch {
      try? FileManager.default.removeItem(atPath: draft)
      throw error
    }
    self.handles = handles
  }

  /// Nothing that is there is ever written over: it may hold what no study has.
  ///
  /// - Throws: ``OutputFailure`` if there is something at the path.
  static func requireNothing(at path: String) throws {
    var status = stat()
    guard lstat(path, &status) != 0 else { throw OutputFailure(code: EEXIST) }
  }

  /// Writes a folder of files whose texts are there.
  static func write(_ files: [(name: String, text: String)], to path: String) throws {
    let output = try FolderOutput(path, files: files.map(\.name))
    do {
      for (handle, file) in zip(output.handles, files) {
        try handle.write(contentsOf: Data(file.text.utf8))
      }
      try output.finish()
    } catch {
      output.abandon()
      throw error
    }
  }

  /// Writes what comes next, for each file.
  func write(_ texts: [CSVText]) throws {
    for (handle, text) in zip(handles, texts) {
      try handle.write(contentsOf: Data(text.bytes))
    }
  }

  /// Puts the folder, which is complete, in place.
  func finish() throws {
    for handle in handles { try handle.close() }
    guard rename(draft, target) == 0 else { throw OutputFailure() }
  }

  /// Removes what there is of the folder.
  func abandon() {
    try? FileManager.default.removeItem(atPath: draft)
  }
}
