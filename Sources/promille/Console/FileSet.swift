import Foundation
import Reporting
import StudyData
import StudyFiles

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

/// A folder of files that are written side by side, and is there whole or not at all.
final class FolderOutput {
  private let target: String
  private let draft: Draft
  private let handles: [FileHandle]

  /// Begins the files in a folder beside the one that they will be in.
  ///
  /// - Throws: ``OutputFailure`` if there is something at its path already.
  init(_ path: String, files: [String]) throws {
    target = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    let name = target.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
    guard !name.isEmpty, name != ".", name != ".." else { throw OutputFailure(code: EEXIST) }
    try Self.requireNothing(at: target)
    func paths(in folder: String) -> [String] { files.map { "\(folder)/\($0)" } }
    let draft = try Draft(beside: target, parts: paths) { mkdir($0, 0o777) == 0 }
    self.draft = draft
    handles = try paths(in: draft.path).map { path in
      let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL, 0o666)
      guard descriptor >= 0 else { throw OutputFailure() }
      return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }
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
    for (handle, file) in zip(output.handles, files) {
      try handle.write(contentsOf: Data(file.text.utf8))
    }
    try output.finish()
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
    guard rename(draft.path, target) == 0 else { throw OutputFailure() }
    draft.finish()
  }
}

extension Console {
  /// Writes a page; in Markdown with its pictures in a folder that is beside it and named after it.
  ///
  /// - Parameter path: The file; nil for standard output, which takes no Markdown.
  func write(_ page: Page, isMarkdown: Bool, to path: String?, option: String) throws {
    guard isMarkdown, let path else {
      return try write(page.html.utf8, to: path, option: option)
    }
    let url = URL(filePath: path)
    let name = url.deletingPathExtension().lastPathComponent + "-figures"
    let folder = url.deletingLastPathComponent().appending(path: name).path(percentEncoded: false)
    let pictures = try prepare(Figure.files(of: page.figures), in: folder, option: option)
    try write(page.markdown(picturesIn: name).utf8, to: path, option: option)
    try attempt(folder, option) { try pictures.finish() }
  }
}
