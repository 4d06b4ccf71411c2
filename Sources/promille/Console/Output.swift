import Foundation
import StudyData

/// A result that is being written, piece by piece: standard output, or a file that appears whole or not at
/// all. One that was there before stays as it was until the new one is finished.
///
/// A class because whoever writes, and whoever closes it after the last piece, share it.
final class Output {
  private static let bufferSize = 1 << 16

  /// Standard output, or a device or a pipe: replacing that would take it away from its users.
  private let stream: Int32
  /// The file that it becomes; nil where it goes at once to where it belongs.
  private let file: AtomicFile?
  private let isNamed: Bool
  /// Whether every piece is passed on at once, for a reader who waits for it.
  private let isFlushing: Bool
  private var buffer: [UInt8] = []

  /// Opens a file, or standard output for nil.
  init(to path: String?, isFlushing: Bool = false) throws(OutputFailure) {
    self.isFlushing = isFlushing
    isNamed = path != nil
    if let path, !Self.isStandardOutput(path) {
      let isSpecial = Self.isSpecial(path)
      file = isSpecial ? nil : try AtomicFile(of: path)
      stream = isSpecial ? open(path, O_WRONLY | O_CLOEXEC) : -1
      guard !isSpecial || stream >= 0 else { throw OutputFailure() }
    } else {
      file = nil
      stream = STDOUT_FILENO
    }
  }

  deinit {
    if stream > STDOUT_FILENO { close(stream) }
  }

  func write(_ bytes: some Sequence<UInt8>) throws(OutputFailure) {
    buffer.append(contentsOf: bytes)
    if isFlushing || buffer.count >= Self.bufferSize { try flush() }
  }

  /// Completes the result.
  func finish() throws(OutputFailure) {
    try flush()
    try file?.finish()
  }

  /// Abandons the result: standard output gets what has been written so far, a file nothing.
  func breakOff() throws(OutputFailure) {
    if !isNamed { try flush() }
  }

  private func flush() throws(OutputFailure) {
    if let file {
      try file.write(buffer)
    } else if !writeAll(buffer, to: stream) {
      throw OutputFailure()
    }
    buffer.removeAll(keepingCapacity: true)
  }

  /// Requires that a result can be written to a path; nothing is left of the attempt.
  static func requirePossible(at path: String) throws {
    guard isSpecial(path) else {
      _ = try AtomicFile(of: path)
      return
    }
    guard access(path, W_OK) == 0 else { throw OutputFailure() }
  }

  /// Whether the path leads, as `/dev/stdout` does, to where standard output goes anyway; what else
  /// is written there must stay.
  static func isStandardOutput(_ path: String) -> Bool {
    var named = stat()
    var standard = stat()
    guard stat(path, &named) == 0, fstat(STDOUT_FILENO, &standard) == 0 else { return false }
    return named.st_dev == standard.st_dev && named.st_ino == standard.st_ino
  }

  /// Whether the path leads, links followed, to something that is neither file nor folder, or to an open file without
  /// a name, whose place none can take.
  static func isSpecial(_ path: String) -> Bool {
    var status = stat()
    guard stat(path, &status) == 0 else { return false }
    let type = status.st_mode & S_IFMT
    return type != S_IFREG && type != S_IFDIR || status.st_nlink == 0
  }
}

/// Writes results where options say, and says so where that cannot be done.
extension Console {
  /// The name of standard output in messages.
  static let standardOutput = "standard output"

  /// Writes a file, whole or not at all, or to standard output.
  func write(_ bytes: some Sequence<UInt8>, to file: String?, option: String) throws {
    try attempt(file ?? Self.standardOutput, option) {
      let output = try Output(to: file)
      try output.write(bytes)
      try output.finish()
    }
  }

  /// Opens what a result is written to, piece by piece.
  func open(_ file: String?, option: String) throws -> Output {
    try attempt(file ?? Self.standardOutput, option) { try Output(to: file) }
  }

  /// Writes files beside the places in a folder that they take once they are finished; it is made if need be.
  func prepare(
    _ files: [(name: String, data: Data)], in folder: String, option: String
  ) throws -> FileSet {
    try attempt(folder, option) {
      let target = URL(filePath: folder, directoryHint: .isDirectory)
      return try FileSet(
        files.map { (target.appending(path: $0.name).path(percentEncoded: false), $0.data) })
    }
  }

  /// Does something to a place, and ends the command with a message if that fails.
  func attempt<Value>(
    _ place: String, _ option: String, _ body: () throws -> Value
  ) throws -> Value {
    do {
      return try body()
    } catch {
      BrokenPipe.endIfCause(of: error)
      throw Refusal(
        "E_OUTPUT",
        "cannot write \(place): \(error.localizedDescription); choose another place with \(option)",
        ExitStatus.cannotCreate)
    }
  }
}

/// The error that a file could not be written.
struct OutputFailure: LocalizedError {
  let code: Int32

  var errorDescription: String? { String(cString: strerror(code)) }

  /// The error of the last system call.
  init(code: Int32 = errno) { self.code = code }
}

/// A new file that takes its place in a single step, once it is complete, so that nobody ever sees half of it.
///
/// Until then it has no name, so that nothing stays of it whatever ends the command. Where a file system has no such
/// files, it has a hidden name beside its place, which goes with its object. Links are followed and permissions kept.
final class AtomicFile {
  private let target: String
  /// Negative once it is closed.
  private var descriptor: Int32
  /// The hidden name; nil while it has none.
  private var name: String?

  /// Begins the new file beside the old one.
  convenience init(of path: String) throws(OutputFailure) {
    let target = try Self.followingLinks(path)
    guard let last = target.last else { throw OutputFailure(code: ENOENT) }
    var status = stat()
    let isThere = stat(target, &status) == 0
    guard last != "/", !isThere || status.st_mode & S_IFMT != S_IFDIR else {
      throw OutputFailure(code: EISDIR)
    }
    try self.init(beside: target)
    guard !isThere || fchmod(descriptor, status.st_mode & 0o7777) == 0 else {
      throw OutputFailure()
    }
  }

  /// Begins a new file in the folder of a path.
  init(beside target: String) throws(OutputFailure) {
    self.target = target
    var descriptor = Self.openNameless(in: target.folder)
    if descriptor < 0 {
      name = try target.hiddenName {
        descriptor = open($0, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        return descriptor >= 0
      }
    }
    self.descriptor = descriptor
  }

  deinit {
    if descriptor >= 0 { Foundation.close(descriptor) }
    if let name { unlink(name) }
  }

  /// Opens a file without a name; a negative number where there are none.
  private static func openNameless(in folder: String) -> Int32 {
    #if os(Linux)
      // The name that linkat takes for the open file.
      guard access("/proc/self/fd", X_OK) == 0 else { return -1 }
      // O_TMPFILE, which Swift does not import.
      return open(folder, O_WRONLY | 0o20_000_000 | O_DIRECTORY | O_CLOEXEC, 0o666)
    #else
      return -1
    #endif
  }

  func write(_ bytes: some ContiguousBytes) throws(OutputFailure) {
    guard writeAll(bytes, to: descriptor) else { throw OutputFailure() }
  }

  /// Closes the file, which is complete: of many that wait none holds a descriptor.
  func close() throws(OutputFailure) {
    guard descriptor >= 0 else { return }
    if name == nil {
      let open = "/proc/self/fd/\(descriptor)"
      name = try target.hiddenName { hidden in
        hidden.withFileName { linkat(AT_FDCWD, open, AT_FDCWD, $0, AT_SYMLINK_FOLLOW) } == 0
      }
    }
    defer { descriptor = -1 }
    guard Foundation.close(descriptor) == 0 else { throw OutputFailure() }
  }

  /// Moves the completed file into place, or to another path of the same file system.
  func finish(at path: String? = nil) throws(OutputFailure) {
    try close()
    guard let name, rename(name, path ?? target) == 0 else { throw OutputFailure() }
    self.name = nil
  }

  /// The target of a path, also if it does not exist yet.
  static func followingLinks(_ path: String) throws(OutputFailure) -> String {
    var path = path
    for _ in 0..<40 {
      guard let next = FileName.target(ofLink: path) else { return path }
      let folder = path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
      path = next.hasPrefix("/") ? next : (folder + [next[...]]).joined(separator: "/")
    }
    throw OutputFailure(code: ELOOP)
  }
}

extension String {
  fileprivate var lastName: Substring {
    split(separator: "/", omittingEmptySubsequences: false).last ?? ""
  }

  /// The folder that a path is in.
  fileprivate var folder: String {
    let folder = String(dropLast(lastName.count))
    return folder.isEmpty ? "." : folder
  }

  /// The hidden name beside a path under which something could be made that was not there: what an earlier run that was
  /// killed left behind stands in nobody's way.
  func hiddenName(_ make: (String) -> Bool) throws(OutputFailure) -> String {
    let name = lastName
    // With what comes before and behind, a long name would be too long; of one that is not UTF-8 SQLite makes no file.
    let stem = name.utf8.count <= 200 && !String(name).isOddFileName ? name : "promille"
    for _ in 0..<100 {
      let mark = String(UInt32.random(in: 0...(.max)), radix: 36)
      let hidden = "\(dropLast(name.count)).\(stem).\(mark).part"
      if make(hidden) { return hidden }
      guard errno == EEXIST else { throw OutputFailure() }
    }
    throw OutputFailure(code: EEXIST)
  }
}
