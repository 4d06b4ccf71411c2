import Foundation

/// A file that is read block by block, from the beginning as often as need be.
///
/// Read rather than mapped: a mapped file that somebody truncates meanwhile ends the process.
struct InputFile {
  /// A multiple of what a disk reads at once and of the blocks of a digest.
  static let defaultBlockSize = 1 << 18

  let path: String
  /// How many bytes are read at once.
  let blockSize: Int
  private let content: Content
  /// What takes the digest of a file that can be read once, if it is wanted.
  private let tap: DigestTap?

  private enum Content {
    case memory(Data)
    case open(OpenFile)
  }

  init(path: String, bytes: Data, blockSize: Int = defaultBlockSize) {
    self.path = path
    self.blockSize = blockSize
    content = .memory(bytes)
    tap = nil
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
    tap = nil
  }

  private init(_ file: OpenFile, called path: String, tap: DigestTap?) {
    self.path = path
    blockSize = Self.defaultBlockSize
    content = .open(file)
    self.tap = tap
  }

  /// Standard input, which can be read once.
  ///
  /// - Parameter isDigested: Whether its digest is wanted once it has been read.
  static func standardInput(isDigested: Bool = false) -> InputFile {
    InputFile(.standardInput, called: "<stdin>", tap: isDigested ? DigestTap() : nil)
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
    switch content {
    case .memory(let bytes):
      let count = min(memory.count, blockSize, bytes.count - offset)
      guard count > 0 else { return 0 }
      return bytes.dropFirst(offset).prefix(count).copyBytes(to: memory)
    case .open(let file):
      let count = try file.read(into: memory, at: offset)
      tap?.pass(UnsafeRawBufferPointer(rebasing: memory[..<count]))
      return count
    }
  }

  /// Notes what a reader saw who read the file from its beginning to its end.
  func note(_ mark: ContentMark) {
    if case .open(let file) = content { file.note(mark) }
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

  /// All of the file, for what is small.
  func contents() throws(StudyError) -> Data {
    var contents = Data()
    try forEachBlock { contents.append(contentsOf: $0) }
    return contents
  }

  /// Lends out all of the file, for what is small.
  func withBytes<Result>(
    _ body: (UnsafeRawBufferPointer) -> Result
  ) throws(StudyError) -> Result {
    try contents().withUnsafeBytes(body)
  }

  /// The file's name and SHA-256; of what can be read once, what has been read of it.
  func digest() throws(StudyError) -> InputDigest {
    if let tap { return InputDigest(file: path, sha256: tap.sha256) }
    var digest = SHA256()
    var last = Data()
    try forEachBlock { block in
      last.withUnsafeBytes { digest.update(with: $0) }
      last = Data(block)
    }
    let sum = last.withUnsafeBytes { digest.finish(with: $0) }
    return InputDigest(file: path, sha256: SHA256.hexadecimal(sum))
  }

  /// Lends the file out in blocks, all of them full but the last.
  private func forEachBlock(
    _ body: (UnsafeRawBufferPointer) -> Void
  ) throws(StudyError) {
    let memory = UnsafeMutableRawBufferPointer.allocate(
      byteCount: Self.defaultBlockSize, alignment: 16)
    defer { memory.deallocate() }
    var mark = ContentMark()
    var offset = 0
    var filled = 0
    do throws(OpenFile.Failure) {
      while true {
        let room = UnsafeMutableRawBufferPointer(rebasing: memory[filled...])
        let count = try read(into: room, at: offset)
        mark.update(with: UnsafeRawBufferPointer(rebasing: room[..<count]))
        offset += count
        filled += count
        if count > 0, filled < memory.count { continue }
        body(UnsafeRawBufferPointer(rebasing: memory[..<filled]))
        if count == 0 { break }
        filled = 0
      }
    } catch {
      throw Self.unreadable(path, because: error.reason)
    }
    note(mark)
    try requireUnchanged()
  }

  private static func unreadable(_ path: String, because reason: String) -> StudyError {
    let finding = Diagnostic(
      .fileUnreadable, at: SourceLocation(file: path),
      message: "the file cannot be read: \(reason)",
      remedy: "make it a readable file")
    return StudyError(kind: .noInput, diagnostics: [finding])
  }
}
