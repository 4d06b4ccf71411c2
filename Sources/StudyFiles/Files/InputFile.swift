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
  private(set) var blockSize = defaultBlockSize
  /// Where its lines come from, if it was made of a sheet.
  private(set) var origin: SheetOrigin?
  package var columns = ColumnMap.empty
  /// Whether it holds an Arrow stream instead of a text.
  package var isArrow = false
  private var content: Content
  private let digesting = FileDigest()

  private enum Content {
    case memory(Data)
    case open(OpenFile)
  }

  package init(
    path: String, bytes: Data, blockSize: Int = defaultBlockSize, origin: SheetOrigin? = nil
  ) {
    self.init(.memory(bytes), called: path)
    self.origin = origin
    self.blockSize = blockSize
  }

  private init(_ content: Content, called path: String) {
    self.content = content
    self.path = path
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
    self.init(
      .open(try Self.readable(path) { () throws(OpenFile.Failure) in try OpenFile(path) }),
      called: path)
  }

  /// Opens a file that has to be there.
  package static func existing(
    _ path: String, _ code: DiagnosticCode = .fileMissing, remedy: String = "check the path"
  ) throws(StudyError) -> InputFile {
    guard let file = try InputFile(opening: path) else {
      throw StudyError(
        .noInput, code, in: path, message: "there is no such file", remedy: remedy)
    }
    return file
  }

  /// Standard input, which can be read once.
  package static var standardInput: InputFile {
    InputFile(.open(.standardInput), called: "<stdin>")
  }

  /// Forgets what was read ahead of standard input, which is another from now on.
  package static func forgetStandardInput() { OpenFile.standardInput.forget() }

  var isRereadable: Bool {
    switch content {
    case .memory: true
    case .open(let file): file.isSeekable
    }
  }

  /// The same file, read whole into memory.
  func inMemory() throws(StudyError) -> InputFile {
    var file = self
    file.content = .memory(try contents())
    return file
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
  package func takeDigest() { digesting.begin() }

  /// The file's name and the SHA-256 of what was read of it, if that was to be taken.
  package var digest: InputDigest? { digesting.sha256.map { InputDigest(file: path, sha256: $0) } }

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
    return try Self.readable(path) { () throws(OpenFile.Failure) in
      try file.beginning(blockSize)
    }
  }

  package func contents() throws(StudyError) -> Data {
    var contents = Data()
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: blockSize, alignment: 16)
    defer { memory.deallocate() }
    while true {
      let count = try Self.readable(path) { () throws(OpenFile.Failure) in
        try read(into: memory, at: contents.count)
      }
      if count == 0 { break }
      contents.append(contentsOf: UnsafeRawBufferPointer(rebasing: memory[..<count]))
    }
    try requireUnchanged()
    return contents
  }

  /// What is read of a file, with the reason as a finding if that fails.
  static func readable<Value>(
    _ path: String, _ read: () throws(OpenFile.Failure) -> Value
  ) throws(StudyError) -> Value {
    do throws(OpenFile.Failure) {
      return try read()
    } catch {
      throw unreadable(path, because: error.reason)
    }
  }

  private static func unreadable(_ path: String, because reason: String) -> StudyError {
    StudyError(
      .noInput, .fileUnreadable, in: path, message: "the file cannot be read: \(reason)",
      remedy: "make it a readable file")
  }
}

/// Takes the digest of a file, if it is wanted, while somebody reads it from its beginning: what is
/// read is what is digested, and read once.
private final class FileDigest: Sendable {
  /// Nil as long as it is not wanted.
  private let digest = Mutex(RunningDigest?.none)

  func begin() { digest.withLock { $0 = $0 ?? RunningDigest() } }

  /// Takes in what has been read at an offset.
  func pass(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
    digest.withLock { digest in
      guard digest != nil else { return }
      // Whoever begins again, for the rows are in no order, begins a new digest.
      if offset == 0 { digest = RunningDigest() }
      if offset == digest?.count { digest?.add(bytes) }
    }
  }

  /// The SHA-256 of all that has been read, in hexadecimal digits; nil if it was not wanted.
  var sha256: String? { digest.withLock { $0?.sha256 } }
}
