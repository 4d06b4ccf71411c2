import Foundation
import Synchronization

/// A file that is read block by block, from its beginning.
///
/// Read rather than mapped: a mapped file that somebody truncates meanwhile ends the process.
struct InputFile {
  /// A multiple of what a disk reads at once and of the blocks of a digest.
  static let defaultBlockSize = 1 << 18

  let path: String
  /// How many bytes are read at once.
  let blockSize: Int
  /// Where its lines come from, if it was made of a sheet.
  let origin: SheetOrigin?
  /// What is said of its columns.
  var columns = ColumnMap.empty
  /// Whether it holds an Arrow stream instead of a text.
  var isArrow = false
  private let content: Content
  private let digesting = FileDigest()

  private enum Content {
    case memory(Data)
    case open(OpenFile)
  }

  init(
    path: String, bytes: Data, blockSize: Int = defaultBlockSize, origin: SheetOrigin? = nil
  ) {
    self.path = path
    self.origin = origin
    self.blockSize = blockSize
    content = .memory(bytes)
  }

  /// Opens a file; nil if there is none.
  init?(opening path: String) throws(StudyError) {
    var status = stat()
    guard stat(path, &status) == 0 else {
      guard errno == ENOENT else {
        throw Self.unreadable(path, because: String(cString: strerror(errno)))
      }
      // A link that leads nowhere was meant to be a file.
      if lstat(path, &status) == 0 {
        throw Self.unreadable(path, because: "it is a link to a missing file")
      }
      return nil
    }
    // Anything else than a regular file (a pipe, say) might never end.
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw Self.unreadable(path, because: "it is not a regular file")
    }
    do throws(OpenFile.Failure) {
      content = .open(try OpenFile(path))
    } catch {
      throw Self.unreadable(path, because: error.reason)
    }
    self.path = path
    blockSize = Self.defaultBlockSize
    origin = nil
  }

  /// Standard input, which can be read once.
  static var standardInput: InputFile { InputFile(.standardInput, called: "<stdin>") }

  private init(_ file: OpenFile, called path: String) {
    self.path = path
    blockSize = Self.defaultBlockSize
    origin = nil
    content = .open(file)
  }

  /// Whether it can be read more than once.
  var isRereadable: Bool {
    switch content {
    case .memory: true
    case .open(let file): file.isSeekable
    }
  }

  /// Reads what there is at an offset into memory; 0 at the end.
  func read(
    into memory: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(OpenFile.Failure) -> Int {
    let count: Int
    switch content {
    case .memory(let bytes):
      count = max(0, min(memory.count, blockSize, bytes.count - offset))
      _ = bytes.dropFirst(offset).prefix(count).copyBytes(to: memory)
    case .open(let file):
      count = try file.read(into: memory, at: offset)
    }
    digesting.pass(UnsafeRawBufferPointer(rebasing: memory[..<count]), at: offset)
    return count
  }

  /// Takes the file's digest while somebody reads it.
  func takeDigest() {
    digesting.begin()
  }

  /// The file's name and the SHA-256 of what was read of it, if that was to be taken.
  var digest: InputDigest? {
    digesting.sha256.map { InputDigest(file: path, sha256: $0) }
  }

  /// Refuses what was read if the file was written to meanwhile: half of it may be of another version.
  ///
  /// - Throws: ``StudyError`` with the code `E_INPUT_CHANGED`.
  func requireUnchanged() throws(StudyError) {
    guard case .open(let file) = content, file.hasChanged else { return }
    let finding = Diagnostic(
      .inputChanged, at: SourceLocation(file: path),
      message: "the file was written to while it was read",
      remedy: "discard the output, and run the command again when nothing writes to the file")
    throw StudyError(kind: .changed, diagnostics: [finding])
  }

  /// What comes first: of standard input what there is up to a line end, which is read again by whoever reads it.
  func beginning() throws(StudyError) -> Data {
    guard case .open(let file) = content else { return Data() }
    do throws(OpenFile.Failure) {
      return try file.beginning(blockSize)
    } catch {
      throw Self.unreadable(path, because: error.reason)
    }
  }

  /// All of the file, for what is small.
  func contents() throws(StudyError) -> Data {
    var contents = Data()
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: blockSize, alignment: 16)
    defer { memory.deallocate() }
    do throws(OpenFile.Failure) {
      while true {
        let count = try read(into: memory, at: contents.count)
        if count == 0 { break }
        contents.append(contentsOf: UnsafeRawBufferPointer(rebasing: memory[..<count]))
      }
    } catch {
      throw Self.unreadable(path, because: error.reason)
    }
    try requireUnchanged()
    return contents
  }

  /// Lends out all of the file, for what is small.
  func withBytes<Result>(
    _ body: (UnsafeRawBufferPointer) -> Result
  ) throws(StudyError) -> Result {
    try contents().withUnsafeBytes(body)
  }

  static func unreadable(_ path: String, because reason: String) -> StudyError {
    let finding = Diagnostic(
      .fileUnreadable, at: SourceLocation(file: path),
      message: "the file cannot be read: \(reason)",
      remedy: "make it a readable file")
    return StudyError(kind: .noInput, diagnostics: [finding])
  }
}

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
  /// What was read of standard input and given to nobody.
  private let ahead = Mutex(Data())
  /// What tells one version of the file from another.
  private let version: Version?

  private struct Version {
    let size: Int64
    /// How many names the file has.
    let links: UInt64
    /// When the contents were changed last, and when anything was: the contents, or what is known of
    /// the file.
    let (contents, status): (Time, Time)

    struct Time: Equatable {
      let seconds: Int
      let nanoseconds: Int

      init(_ time: timespec) {
        (seconds, nanoseconds) = (time.tv_sec, time.tv_nsec)
      }
    }

    init?(of descriptor: Int32) {
      var status = stat()
      guard fstat(descriptor, &status) == 0 else { return nil }
      (size, links) = (Int64(status.st_size), UInt64(status.st_nlink))
      #if canImport(Darwin)
        (contents, self.status) = (Time(status.st_mtimespec), Time(status.st_ctimespec))
      #else
        (contents, self.status) = (Time(status.st_mtim), Time(status.st_ctim))
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

  /// Opens a file.
  init(_ path: String) throws(Failure) {
    descriptor = open(path, O_RDONLY | O_CLOEXEC)
    // Before anything else fails and says something else.
    let failure = Failure()
    isSeekable = true
    version = Version(of: descriptor)
    guard descriptor >= 0 else { throw failure }
  }

  deinit {
    if isSeekable, descriptor >= 0 { close(descriptor) }
  }

  /// Whether the file was written to since it was opened.
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

/// Takes the digest of a file, if it is wanted, while somebody reads it from its beginning: what is
/// read is what is digested, and read once.
private final class FileDigest: Sendable {
  private struct State {
    var isWanted = false
    var digest = RunningDigest()
  }

  private let state = Mutex(State())

  func begin() {
    state.withLock { $0.isWanted = true }
  }

  /// Takes in what has been read at an offset.
  func pass(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
    state.withLock { state in
      guard state.isWanted else { return }
      // Whoever begins again, for the rows are in no order, begins a new digest.
      if offset == 0 { state.digest = RunningDigest() }
      if offset == state.digest.count { state.digest.add(bytes) }
    }
  }

  /// The SHA-256 of all that has been read, in hexadecimal digits; nil if it was not wanted.
  var sha256: String? {
    state.withLock { $0.isWanted ? $0.digest.sha256 : nil }
  }
}

/// The digest of bytes that come in pieces of any length.
package struct RunningDigest: Sendable {
  private var digest = SHA256()
  /// What does not fill a block yet.
  private var rest: [UInt8] = []
  /// How many bytes there were.
  package private(set) var count = 0

  package init() {}

  /// Takes in the next bytes.
  package mutating func add(_ bytes: UnsafeRawBufferPointer) {
    count += bytes.count
    var bytes = bytes
    if !rest.isEmpty {
      let missing = min(bytes.count, SHA256.blockSize - rest.count)
      rest.append(contentsOf: bytes[..<missing])
      bytes = UnsafeRawBufferPointer(rebasing: bytes[missing...])
      guard rest.count == SHA256.blockSize else { return }
      rest.withUnsafeBytes { digest.update(with: $0) }
      rest.removeAll(keepingCapacity: true)
    }
    let whole = bytes.count / SHA256.blockSize * SHA256.blockSize
    digest.update(with: UnsafeRawBufferPointer(rebasing: bytes[..<whole]))
    rest.append(contentsOf: bytes[whole...])
  }

  /// The SHA-256 of all of them, in hexadecimal digits.
  package var sha256: String {
    var digest = digest
    return rest.withUnsafeBytes { SHA256.hexadecimal(digest.finish(with: $0)) }
  }
}
