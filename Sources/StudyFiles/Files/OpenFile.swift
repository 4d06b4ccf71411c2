import Foundation
import StudyData
import Synchronization

final class OpenFile: Sendable {
  struct Failure: Error, Equatable {
    let reason: String

    init(code: Int32 = errno) {
      reason = String(cString: strerror(code))
    }
  }

  /// Standard input: its bytes come once, in turn.
  static let standardInput = OpenFile(descriptor: STDIN_FILENO, isSeekable: false)

  let isSeekable: Bool
  private let descriptor: Int32
  /// What was read of standard input and not passed on yet.
  private let ahead = Mutex(Data())
  /// What tells one version of the file from another.
  private let version: Version?

  private struct Version {
    let size: Int64
    let links: UInt64
    /// When the contents were changed last, and when anything was: the contents, or the metadata of
    /// the file.
    let contents, status: [Int]

    init?(of descriptor: Int32) {
      var status = stat()
      guard fstat(descriptor, &status) == 0 else { return nil }
      (size, links) = (Int64(status.st_size), UInt64(status.st_nlink))
      let parts = { (time: timespec) in [time.tv_sec, time.tv_nsec] }
      #if canImport(Darwin)
        (contents, self.status) = (parts(status.st_mtimespec), parts(status.st_ctimespec))
      #else
        (contents, self.status) = (parts(status.st_mtim), parts(status.st_ctim))
      #endif
    }

    /// Whether the contents may be others than before.
    ///
    /// Who writes can set the time of the contents back (`rsync --times --inplace`), but not that of
    /// the status. The latter changes as well where a name is removed, as of a file that another takes
    /// the place of: then what is open is still the one that was there before.
    func mayDiffer(from before: Version) -> Bool {
      size != before.size || contents != before.contents
        || links == before.links && status != before.status
    }
  }

  private init(descriptor: Int32, isSeekable: Bool) {
    self.descriptor = descriptor
    self.isSeekable = isSeekable
    version = nil
  }

  init(_ path: String) throws(Failure) {
    descriptor = open(path, O_RDONLY | O_CLOEXEC)
    // Before anything else fails and says something else.
    let failure = Failure()
    isSeekable = true
    version = Version(of: descriptor)
    guard descriptor >= 0 else { throw failure }
  }

  /// Begins anew, for another standard input in the place of this one.
  func forget() { ahead.withLock { $0 = Data() } }

  deinit {
    if isSeekable, descriptor >= 0 { close(descriptor) }
  }

  var hasChanged: Bool {
    guard isSeekable, let version else { return false }
    return Version(of: descriptor)?.mayDiffer(from: version) ?? true
  }

  /// What comes first, up to a line end or so many bytes.
  func beginning(_ limit: Int) throws(Failure) -> Data {
    var data = Data()
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: limit, alignment: 16)
    defer { memory.deallocate() }
    while data.count < limit, !data.contains(ASCII.lineFeed) {
      let rest = UnsafeMutableRawBufferPointer(rebasing: memory[data.count...])
      let count = try read(into: rest, at: data.count)
      if count == 0 { break }
      data.append(contentsOf: rest[..<count])
    }
    if !isSeekable { ahead.withLock { $0 = data } }
    return data
  }

  /// Reads what there is at an offset, which standard input passes over; 0 at the end.
  func read(
    into memory: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(Failure) -> Int {
    let known = ahead.withLock { ahead in
      let first = ahead.prefix(memory.count)
      first.copyBytes(to: memory)
      ahead = Data(ahead.dropFirst(first.count))
      return first.count
    }
    if known > 0 { return known }
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

/// Which regular file a path leads to, by whatever name.
public struct FileIdentity: Hashable, Sendable {
  private let device: UInt64
  private let number: UInt64

  /// The file at a path, links followed; `-` is standard input.
  public init?(_ path: String) {
    var status = stat()
    let isStandardInput = path == InputFile.standardInputPath
    guard (isStandardInput ? fstat(STDIN_FILENO, &status) : stat(path, &status)) == 0 else {
      return nil
    }
    self.init(status)
  }

  package static var ofStandardOutput: FileIdentity? {
    var status = stat()
    return fstat(STDOUT_FILENO, &status) == 0 ? FileIdentity(status) : nil
  }

  private init?(_ status: stat) {
    guard status.st_mode & S_IFMT == S_IFREG else { return nil }
    device = UInt64(truncatingIfNeeded: status.st_dev)
    number = UInt64(truncatingIfNeeded: status.st_ino)
  }
}
