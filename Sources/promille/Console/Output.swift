import Foundation
import StudyData

/// A result that is being written, piece by piece: standard output, or a file that appears whole or not at
/// all. One that was there before stays as it was until the new one is finished.
///
/// A class because whoever writes, and whoever closes it after the last piece, share it.
final class Output {
  private static let bufferSize = 1 << 16

  private let handle: FileHandle
  /// The file that it becomes; nil where it goes at once to where it belongs.
  private let replacement: Replacement?
  private let isFile: Bool
  /// Whether every piece is passed on at once, for a reader who waits for it.
  private let isFlushing: Bool
  private var buffer: [UInt8] = []

  /// Opens what a result is to be written to.
  ///
  /// - Parameter path: The file; nil for standard output.
  init(to path: String?, isFlushing: Bool = false) throws {
    self.isFlushing = isFlushing
    isFile = path != nil
    guard let path, !Self.isStandardOutput(path) else {
      (handle, replacement) = (.standardOutput, nil)
      return
    }
    if Self.isSpecial(path) {
      // A device or a pipe is written to; replacing it would take it away from its users.
      let descriptor = open(path, O_WRONLY | O_CLOEXEC)
      guard descriptor >= 0 else { throw OutputFailure() }
      (handle, replacement) = (FileHandle(fileDescriptor: descriptor, closeOnDealloc: true), nil)
    } else {
      let replacement = try Replacement(of: path)
      (handle, self.replacement) = (replacement.file, replacement)
    }
  }

  func write(_ bytes: some Sequence<UInt8>) throws {
    buffer.append(contentsOf: bytes)
    if isFlushing || buffer.count >= Self.bufferSize { try flush() }
  }

  /// Ends the result, which is complete.
  func finish() throws {
    try flush()
    if let replacement {
      try replacement.finish()
    } else if handle !== FileHandle.standardOutput {
      try handle.close()
    }
  }

  /// Ends a result that will not be complete: standard output gets what there is, a file nothing.
  func breakOff() throws {
    if !isFile { try flush() }
  }

  private func flush() throws {
    guard !buffer.isEmpty else { return }
    try handle.write(contentsOf: buffer)
    buffer.removeAll(keepingCapacity: true)
  }

  /// Requires that a result can be written to a path; nothing is left of the attempt.
  static func requirePossible(at path: String) throws {
    guard isSpecial(path) else {
      _ = try Replacement(of: path)
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
  /// What messages call standard output.
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

  /// Writes files beside the places in a folder that they will take; the folder is made if need be.
  ///
  /// - Parameters:
  ///   - files: Paths in the folder, and what the files hold.
  ///   - option: The option that names the folder.
  /// - Returns: The files, which are in place once they are finished.
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
        "cannot write \(place): \(OutputFailure.reason(of: error)); choose another place with \(option)",
        ExitStatus.cannotCreate)
    }
  }
}

/// Why a file could not be written.
struct OutputFailure: LocalizedError {
  let errorDescription: String?

  /// Why something failed, as the system says it. Foundation's own words would be those of a program.
  static func reason(of error: any Error) -> String {
    if let text = (error as? any LocalizedError)?.errorDescription,
      !text.contains("NSCocoaErrorDomain")
    {
      return text
    }
    let error = error as NSError
    let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError ?? error
    if cause.domain == NSPOSIXErrorDomain { return String(cString: strerror(Int32(cause.code))) }
    guard error.domain == NSCocoaErrorDomain else { return error.localizedDescription }
    let code: Int32 =
      switch CocoaError.Code(rawValue: error.code) {
      case .fileNoSuchFile, .fileReadNoSuchFile: ENOENT
      case .fileReadNoPermission, .fileWriteNoPermission: EACCES
      case .fileWriteOutOfSpace: ENOSPC
      case .fileWriteVolumeReadOnly: EROFS
      case .fileWriteFileExists: EEXIST
      case .fileReadTooLarge: EFBIG
      case .fileReadInvalidFileName, .fileWriteInvalidFileName: EINVAL
      default: EIO
      }
    return String(cString: strerror(code))
  }

  /// What the last system call says.
  init(code: Int32 = errno) {
    errorDescription = String(cString: strerror(code))
  }
}

/// Puts a new file in the place of an old one in a single step.
///
/// The new one is written beside it and renamed over it, so that nobody ever sees half of it; one that
/// is not finished goes with its object. Links are followed and permissions kept, which Foundation's
/// atomic writing does not do on Linux.
final class Replacement {
  let file: FileHandle
  private let target: String
  private let draft: Draft
  private var isClosed = false

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
    draft = try Draft(beside: target) {
      descriptor = open($0, O_WRONLY | O_CREAT | O_EXCL, 0o666)
      return descriptor >= 0
    }
    self.target = target
    file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    guard !isThere || fchmod(descriptor, status.st_mode & 0o7777) == 0 else {
      throw OutputFailure()
    }
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
    guard rename(draft.path, target) == 0 else { throw OutputFailure() }
    draft.finish()
  }

  /// Where a path leads, also if there is nothing yet at its end.
  static func followingLinks(_ path: String) throws -> String {
    var path = path
    for _ in 0..<40 {
      guard let next = FileName.target(ofLink: path) else { return path }
      let folder = path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
      path = next.hasPrefix("/") ? next : (folder + [next[...]]).joined(separator: "/")
    }
    throw OutputFailure(code: ELOOP)
  }
}
