import Foundation

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

  private init(descriptor: Int32, isSeekable: Bool) {
    self.descriptor = descriptor
    self.isSeekable = isSeekable
  }

  /// Opens a file.
  init(_ path: String) throws(Failure) {
    descriptor = open(path, O_RDONLY | O_CLOEXEC)
    isSeekable = true
    guard descriptor >= 0 else { throw Failure() }
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
