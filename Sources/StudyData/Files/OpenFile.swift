import Foundation
import Synchronization

/// A file that the system has opened for reading.
final class OpenFile: Sendable {
  /// Why a file cannot be read, in the system's words.
  struct Failure: Error, Equatable {
    let reason: String

    /// What the last system call says.
    init(code: Int32 = errno) {
      reason = String(cString: strerror(code))
    }
  }

  /// Standard input: its bytes come once, in turn.
  static let standardInput = OpenFile(descriptor: STDIN_FILENO, isSeekable: false)

  /// Whether it can be read from any offset, more than once.
  let isSeekable: Bool
  private let descriptor: Int32
  /// What tells one version of the file from another.
  private let version: Version?
  /// What a reader saw who read the file to its end.
  private let seen = Mutex<ContentMark?>(nil)
  /// Whether another reader saw something else.
  private let isInconsistent = Mutex(false)

  /// Size and time of the last change, as the system has them.
  private struct Version: Equatable {
    let size: Int64
    let seconds: Int
    let nanoseconds: Int

    init?(of descriptor: Int32) {
      var status = stat()
      guard fstat(descriptor, &status) == 0 else { return nil }
      #if canImport(Darwin)
        let time = status.st_mtimespec
      #else
        let time = status.st_mtim
      #endif
      (size, seconds, nanoseconds) = (Int64(status.st_size), time.tv_sec, time.tv_nsec)
    }
  }

  private init(descriptor: Int32, isSeekable: Bool) {
    self.descriptor = descriptor
    self.isSeekable = isSeekable
    version = nil
  }

  /// Opens a file.
  init(_ path: String) throws(Failure) {
    descriptor = open(path, O_RDONLY | O_CLOEXEC)
    isSeekable = true
    version = Version(of: descriptor)
    guard descriptor >= 0 else { throw Failure() }
  }

  /// Notes what a reader saw who read from the beginning to the end.
  func note(_ mark: ContentMark) {
    let isSame = seen.withLock { seen in
      guard let first = seen else {
        seen = mark
        return true
      }
      return first == mark
    }
    if !isSame { isInconsistent.withLock { $0 = true } }
  }

  /// Whether the file was written to since it was opened: its size or the time of its last change is
  /// another, or two readers saw different contents. One that was replaced as a whole was not: what is
  /// open is the one that was there before.
  var hasChanged: Bool {
    guard isSeekable else { return false }
    return version != Version(of: descriptor) || isInconsistent.withLock { $0 }
  }

  deinit {
    if isSeekable, descriptor >= 0 { close(descriptor) }
  }

  /// Reads what there is at an offset, which standard input passes over; 0 at the end.
  func read(
    into memory: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(Failure) -> Int {
    while true {
      let count =
        isSeekable
        ? pread(descriptor, memory.baseAddress, memory.count, off_t(offset))
        : Foundation.read(descriptor, memory.baseAddress, memory.count)
      if count >= 0 { return count }
      guard errno == EINTR else { throw Failure() }
    }
  }
}
