package import Foundation
package import StudyData
import Synchronization

/// A file that is read block by block, from its beginning.
///
/// Read rather than mapped: a mapped file that somebody truncates meanwhile ends the process.
package struct InputFile {
  /// A multiple of what a disk reads at once and of the blocks of a digest.
  package static let defaultBlockSize = 1 << 18
  /// The path that stands for standard input.
  package static let standardInputPath = "-"

  package let path: String
  let blockSize: Int
  /// Where its lines come from, if it was made of a sheet.
  let origin: SheetOrigin?
  package var columns = ColumnMap.empty
  /// Whether it holds an Arrow stream instead of a text.
  package var isArrow = false
  private let content: Content
  private let digesting = FileDigest()

  private enum Content {
    case memory(Data)
    case open(OpenFile)
  }

  package init(
    path: String, bytes: Data, blockSize: Int = defaultBlockSize, origin: SheetOrigin? = nil
  ) {
    self.path = path
    self.origin = origin
    self.blockSize = blockSize
    content = .memory(bytes)
  }

  package init?(opening path: String) throws(StudyError) {
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
  package static var standardInput: InputFile { InputFile(.standardInput, called: "<stdin>") }

  /// Forgets what was read ahead of standard input, which is another from now on.
  package static func forgetStandardInput() { OpenFile.standardInput.forget() }

  private init(_ file: OpenFile, called path: String) {
    self.path = path
    blockSize = Self.defaultBlockSize
    origin = nil
    content = .open(file)
  }

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
  package func takeDigest() {
    digesting.begin()
  }

  /// The file's name and the SHA-256 of what was read of it, if that was to be taken.
  var digest: InputDigest? {
    digesting.sha256.map { InputDigest(file: path, sha256: $0) }
  }

  /// Refuses what was read if the file was written to meanwhile: half of it may be of another version.
  func requireUnchanged() throws(StudyError) {
    guard case .open(let file) = content, file.hasChanged else { return }
    throw StudyError(
      .changed, .inputChanged, in: path, message: "the file was written to while it was read",
      remedy: "discard the output, and run the command again when nothing writes to the file")
  }

  /// What comes first: of standard input what there is up to a line end, which its reader reads again.
  package func beginning() throws(StudyError) -> Data {
    guard case .open(let file) = content else { return Data() }
    do throws(OpenFile.Failure) {
      return try file.beginning(blockSize)
    } catch {
      throw Self.unreadable(path, because: error.reason)
    }
  }

  package func contents() throws(StudyError) -> Data {
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

  static func unreadable(_ path: String, because reason: String) -> StudyError {
    StudyError(
      .noInput, .fileUnreadable, in: path, message: "the file cannot be read: \(reason)",
      remedy: "make it a readable file")
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
