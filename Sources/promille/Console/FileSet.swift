import Foundation
import Reporting
import StudyData
import StudyFiles

/// Files that are written together, and the folders that are made for them: none is in place before
/// all are written, and nothing stays of them if they are not finished.
final class FileSet {
  private var replacements: [AtomicFile] = []
  /// The folders that were not there before, the outermost first.
  private var folders: [String] = []

  /// Writes the files beside the places that they will take.
  init(_ files: [(path: String, data: Data)]) throws(OutputFailure) {
    for (path, data) in files {
      try makeFolder(URL(filePath: path).deletingLastPathComponent().path(percentEncoded: false))
      let replacement = try AtomicFile(of: path)
      try replacement.write(data)
      try replacement.close()
      replacements.append(replacement)
    }
  }

  deinit {
    // What is in the folders goes before them.
    replacements = []
    for folder in folders.reversed() { rmdir(folder) }
  }

  /// Moves the completed files into place.
  func finish() throws(OutputFailure) {
    for replacement in replacements { try replacement.finish() }
    folders = []
  }

  /// Makes a folder and its parents.
  private func makeFolder(_ path: String) throws(OutputFailure) {
    var status = stat()
    if stat(path, &status) == 0 {
      guard status.st_mode & S_IFMT == S_IFDIR else { throw OutputFailure(code: ENOTDIR) }
      return
    }
    let outer = URL(filePath: path, directoryHint: .isDirectory).deletingLastPathComponent()
      .path(percentEncoded: false)
    guard errno == ENOENT, outer != path else { throw OutputFailure() }
    try makeFolder(outer)
    guard mkdir(path, 0o777) == 0 else {
      let failure = OutputFailure()
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
  private let names: [String]
  private let files: [AtomicFile]

  /// Begins the files of a folder beside it, unless there is something at its path already.
  init(_ path: String, files names: [String]) throws(OutputFailure) {
    let target = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    let name = target.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
    guard !name.isEmpty, name != ".", name != ".." else { throw OutputFailure(code: EEXIST) }
    try Self.requireNothing(at: target)
    self.target = target
    self.names = names
    var files: [AtomicFile] = []
    for _ in names { files.append(try AtomicFile(beside: target)) }
    self.files = files
  }

  /// Fails if there is something at the path: it may hold what no study has.
  static func requireNothing(at path: String) throws(OutputFailure) {
    var status = stat()
    guard lstat(path, &status) != 0 else { throw OutputFailure(code: EEXIST) }
  }

  /// Writes a folder of files whose texts are there.
  static func write(
    _ files: [(name: String, text: String)], to path: String
  ) throws(OutputFailure) {
    let output = try FolderOutput(path, files: files.map(\.name))
    for (file, new) in zip(output.files, files) { try file.write(Array(new.text.utf8)) }
    try output.finish()
  }

  /// Writes what comes next, for each file.
  func write(_ texts: [CSVText]) throws(OutputFailure) {
    for (file, text) in zip(files, texts) { try file.write(Array(text.bytes)) }
  }

  /// Moves the completed folder into place.
  func finish() throws(OutputFailure) {
    let folder = try target.hiddenName { mkdir($0, 0o777) == 0 }
    do throws(OutputFailure) {
      for (file, name) in zip(files, names) { try file.finish(at: "\(folder)/\(name)") }
      guard rename(folder, target) == 0 else { throw OutputFailure() }
    } catch {
      for name in names { unlink("\(folder)/\(name)") }
      rmdir(folder)
      throw error
    }
  }
}

extension Console {
  /// Writes a page, to standard output if no file is named; in Markdown with its pictures in a folder beside it.
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
