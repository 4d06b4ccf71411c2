import Foundation

/// Folders that are made for files, and go again if the files do not come.
final class MadeFolders {
  private var paths: [String] = []

  /// Makes a folder, and those on the way to it, where there are none.
  ///
  /// - Throws: ``OutputFailure`` if that cannot be done.
  func make(_ path: String) throws {
    var missing: [String] = []
    var rest = URL(filePath: path, directoryHint: .isDirectory).standardizedFileURL
    var status = stat()
    while stat(rest.path(percentEncoded: false), &status) != 0, errno == ENOENT {
      missing.append(rest.path(percentEncoded: false))
      rest.deleteLastPathComponent()
    }
    for path in missing.reversed() {
      // It is known before it is there, so that no signal comes between.
      Drafts.watch(path)
      paths.append(path)
      guard mkdir(path, 0o777) != 0 else { continue }
      let reason = errno
      Drafts.forget(path)
      paths.removeLast()
      // Somebody else may have been faster.
      guard reason == EEXIST else { throw OutputFailure(code: reason) }
    }
  }

  /// Lets the folders stay: what they were made for is there.
  func keep() {
    paths.forEach(Drafts.forget)
    paths = []
  }

  deinit {
    for path in paths.reversed() {
      rmdir(path)
      Drafts.forget(path)
    }
  }
}
