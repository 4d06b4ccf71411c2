import Foundation

/// Files that are written together, and the folders that are made for them: none is in place before
/// all are written, and nothing stays of them if they are not finished.
final class FileSet {
  private var replacements: [Replacement] = []
  /// The folders that were not there before, the outermost first.
  private var folders: [String] = []
  private var isFinished = false

  /// Writes the files beside the places that they will take.
  init(_ files: [(path: String, data: Data)]) throws {
    for (path, data) in files {
      try makeFolder(URL(filePath: path).deletingLastPathComponent().path(percentEncoded: false))
      let replacement = try Replacement(of: path)
      replacements.append(replacement)
      try replacement.write(data)
    }
  }

  deinit {
    // What is in the folders goes before them.
    replacements = []
    for folder in folders.reversed() {
      if !isFinished { rmdir(folder) }
      Drafts.forget(folder)
    }
  }

  /// Puts the files, which are complete, in place.
  func finish() throws {
    for replacement in replacements { try replacement.finish() }
    isFinished = true
  }

  /// Makes a folder, and those that it lies in.
  private func makeFolder(_ path: String) throws {
    var status = stat()
    if stat(path, &status) == 0 {
      guard status.st_mode & S_IFMT == S_IFDIR else { throw OutputFailure(code: ENOTDIR) }
      return
    }
    let outer = URL(filePath: path, directoryHint: .isDirectory).deletingLastPathComponent()
      .path(percentEncoded: false)
    guard errno == ENOENT, outer != path else { throw OutputFailure() }
    try makeFolder(outer)
    // It is known before it is there, so that no signal comes between.
    Drafts.watch(path)
    guard mkdir(path, 0o777) == 0 else {
      let failure = OutputFailure()
      Drafts.forget(path)
      // Somebody else may have made it meanwhile.
      guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { throw failure }
      return
    }
    folders.append(path)
  }
}
