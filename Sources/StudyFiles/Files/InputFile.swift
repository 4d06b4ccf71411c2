package import Foundation
package import StudyData
import Synchronization

/// A file that is read block by block from the beginning.
///
/// It is not memory-mapped: truncation of a mapped file by another program would end the process.
package final class InputFile {
  /// The block size in bytes, a multiple of the blocks of disks and of the digest.
  package static let defaultBlockSize = 1 << 18
  /// The path that stands for standard input.
  package static let standardInputPath = "-"

  package let path: String
  let blockSize: Int
  /// The places of its rows in the sheet from which it was converted; nil for other files.
  let origin: SheetOrigin?
  package var columns = ColumnMap.empty
  /// Whether it holds an Arrow stream instead of a text.
  package var isArrow = false
  private let content: Content
  /// The digest of the bytes read so far; nil if it was not requested.
  private var digesting: SHA256?

  private enum Content {
    case memory(Data)
    /// A regular file, with its version when it was opened.
    case open(Int32, Version?)
    case standardInput
  }

  struct ReadFailure: Error, Equatable {
    let reason = String(cString: strerror(errno))
  }

  /// Bytes of standard input that were read ahead.
  private static let ahead = Mutex(Data())

  package init(
    path: String, bytes: Data, blockSize: Int = defaultBlockSize, origin: SheetOrigin? = nil
  ) {
    self.path = path
    self.blockSize = blockSize
    self.origin = origin
    content = .memory(bytes)
  }

  private init(_ content: Content, called path: String) {
    self.content = content
    self.path = path
    blockSize = Self.defaultBlockSize
    origin = nil
  }

  deinit {
    if case .open(let descriptor, _) = content { close(descriptor) }
  }

  package convenience init?(opening path: String) throws(StudyError) {
    var status = stat()
    guard stat(path, &status) == 0 else {
      guard errno == ENOENT else { throw Self.unreadable(path, because: ReadFailure().reason) }
      // A dangling link was meant to be a file.
      if lstat(path, &status) == 0 {
        throw Self.unreadable(path, because: "it is a link to a missing file")
      }
      return nil
    }
    // Anything but a regular file, such as a pipe, might never end.
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw Self.unreadable(path, because: "it is not a regular file")
    }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Self.unreadable(path, because: ReadFailure().reason) }
    self.init(.open(descriptor, Version(of: descriptor)), called: path)
  }

  /// Opens a file; throws if it does not exist.
  package static func existing(
    _ path: String, _ code: DiagnosticCode = .fileMissing, remedy: String = "check the path"
  ) throws(StudyError) -> InputFile {
    guard let file = try InputFile(opening: path) else {
      throw StudyError(.noInput, code, in: path, message: "there is no such file", remedy: remedy)
    }
    return file
  }

  /// Standard input, which can be read once.
  package static var standardInput: InputFile { InputFile(.standardInput, called: "<stdin>") }

  /// Discards the bytes read ahead, for a new standard input.
  package static func forgetStandardInput() { ahead.withLock { $0 = Data() } }

  var isRereadable: Bool { if case .standardInput = content { false } else { true } }

  // MARK: Reading

  /// Reads bytes at an offset, which standard input ignores; returns their number, 0 at the end.
  func read(into memory: UnsafeMutableRawBufferPointer, at offset: Int) throws(ReadFailure) -> Int {
    let count: Int
    switch content {
    case .memory(let bytes):
      count = max(0, min(memory.count, blockSize, bytes.count - offset))
      _ = bytes.dropFirst(offset).prefix(count).copyBytes(to: memory)
    case .open(let descriptor, _):
      count = try Self.repeated {
        pread(descriptor, memory.baseAddress, memory.count, off_t(offset))
      }
    case .standardInput:
      let buffered = Self.ahead.withLock { ahead in
        let first = ahead.prefix(memory.count)
        first.copyBytes(to: memory)
        ahead = Data(ahead.dropFirst(first.count))
        return first.count
      }
      count =
        buffered > 0
        ? buffered
        : try Self.repeated { Foundation.read(STDIN_FILENO, memory.baseAddress, memory.count) }
    }
    if digesting != nil {
      // Reading again from the beginning, for subjects out of order, restarts the digest.
      if offset == 0 { digesting = SHA256() }
      if offset == digesting?.count {
        digesting?.add(UnsafeRawBufferPointer(rebasing: memory[..<count]))
      }
    }
    return count
  }

  /// Retries a read that a signal interrupted.
  private static func repeated(_ read: () -> Int) throws(ReadFailure) -> Int {
    while true {
      let count = read()
      if count >= 0 { return count }
      guard errno == EINTR else { throw ReadFailure() }
    }
  }

  /// Returns the first bytes of standard input, including a line end; they are read again later.
  package func beginning() throws(StudyError) -> Data {
    guard case .standardInput = content else { return Data() }
    let data = try readAll { $0.count >= blockSize || $0.contains(ASCII.lineFeed) }
    Self.ahead.withLock { $0 = data }
    return data
  }

  package func contents() throws(StudyError) -> Data {
    let contents = try readAll { _ in false }
    try requireUnchanged()
    return contents
  }

  /// Returns the table as a file in memory.
  package func inMemory() throws(StudyError) -> InputFile {
    let file = InputFile(path: path, bytes: try contents())
    file.columns = columns
    file.isArrow = isArrow
    return file
  }

  private func readAll(until isEnough: (Data) -> Bool) throws(StudyError) -> Data {
    var contents = Data()
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: blockSize, alignment: 16)
    defer { memory.deallocate() }
    while !isEnough(contents) {
      do throws(ReadFailure) {
        let count = try read(into: memory, at: contents.count)
        if count == 0 { break }
        contents.append(contentsOf: UnsafeRawBufferPointer(rebasing: memory[..<count]))
      } catch {
        throw Self.unreadable(path, because: error.reason)
      }
    }
    return contents
  }

  private static func unreadable(_ path: String, because reason: String) -> StudyError {
    StudyError(
      .noInput, .fileUnreadable, in: path, message: "the file cannot be read: \(reason)",
      remedy: "make it a readable file")
  }

  // MARK: Versions

  /// Enables the digest, which is computed while the file is read.
  package func takeDigest() { digesting = digesting ?? SHA256() }

  /// The file's name and the SHA-256 of the bytes read; nil unless ``takeDigest()`` was called before.
  package var digest: InputDigest? {
    digesting.map { InputDigest(file: path, sha256: $0.hexDigest) }
  }

  /// Throws if the file was changed since it was opened, so that parts of it may be of different versions.
  func requireUnchanged() throws(StudyError) {
    guard case .open(let descriptor, let version?) = content,
      Version(of: descriptor)?.mayDiffer(from: version) ?? true
    else { return }
    throw StudyError(
      .changed, .inputChanged, in: path, message: "the file was written to while it was read",
      remedy: "discard the output, and run the command again when nothing writes to the file")
  }

  private struct Version {
    let size: Int64
    let links: UInt64
    /// The times of the last change of the contents, and of anything: the contents, or the metadata of the file.
    let contents, status: [Int]

    init?(of descriptor: Int32) {
      var status = stat()
      guard fstat(descriptor, &status) == 0 else { return nil }
      size = Int64(status.st_size)
      links = UInt64(status.st_nlink)
      let parts = { (time: timespec) in [time.tv_sec, time.tv_nsec] }
      #if canImport(Darwin)
        contents = parts(status.st_mtimespec)
        self.status = parts(status.st_ctimespec)
      #else
        contents = parts(status.st_mtim)
        self.status = parts(status.st_ctim)
      #endif
    }

    /// Whether the contents may have changed.
    ///
    /// Writers can reset the time of the contents (`rsync --times --inplace`), but not that of the status. The latter also
    /// changes when a link is removed, as when the file is replaced by another; the open file is then unchanged.
    func mayDiffer(from before: Version) -> Bool {
      size != before.size || contents != before.contents
        || links == before.links && status != before.status
    }
  }
}

/// The identity of a regular file, independent of its path.
public struct FileIdentity: Hashable, Sendable {
  private let device: UInt64
  private let number: UInt64

  /// Identifies the file at a path, following links; `-` is standard input.
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

/// The places in a sheet of the lines of a table converted from it.
package final class SheetOrigin {
  private var rows: [Int]
  /// The number of the column in the sheet, from 1, by line; the sheet's own for all but wide tables.
  private var columns: [[Int]] = [[]]
  let titles: [String?]

  package init(headerRow: Int, titles: [String?]) {
    rows = [headerRow]
    self.titles = titles
  }

  package func append(row: Int, columns: [Int]) {
    rows.append(row)
    self.columns.append(columns)
  }

  func row(ofLine line: Int) -> Int { rows.indices.contains(line - 1) ? rows[line - 1] : line }

  func place(ofLine line: Int, field: Int) -> Place {
    let columns = rows.indices.contains(line - 1) ? columns[line - 1] : []
    let column = columns.indices.contains(field) ? columns[field] : 1
    return Place(line: row(ofLine: line), column: max(1, column))
  }
}
