import ArgumentParser
import Foundation

/// Puts new golden tables in the place of old ones: all of them or none, whatever ends the command.
///
/// As a database does with its journal: the new tables are written beside the old ones, each folder
/// with a journal that names them; then a single file, the mark, says that all are there; then they are
/// renamed. Whoever comes next (``recover(_:)``) finishes what has its mark, and removes what has none.
/// No link is followed on the way, and nothing is touched outside of the folders of the tables.
struct GoldenUpdate {
  /// Why tables could not be updated, or an update before not be finished.
  enum Failure: CodedFailure {
    /// Another process is at it.
    case busy(folder: String)
    /// The system refused.
    case failed(path: String, OutputFailure)

    var code: String { if case .busy = self { "E_UPDATE_BUSY" } else { "E_OUTPUT" } }

    var exitCode: ExitCode {
      if case .busy = self { ExitStatus.tryLater } else { ExitStatus.cannotCreate }
    }

    var description: String {
      switch self {
      case .busy(let folder):
        "\(folder): another regress --update is running; try again when it has finished"
      case .failed(let path, let failure):
        "cannot write \(path): \(OutputFailure.reason(of: failure)); either no golden table was written, or the next run of "
          + "regress completes the update"
      }
    }
  }

  /// What became of an update that was interrupted.
  enum Recovery: Equatable {
    case finished, undone
  }

  static let journalName = ".promille-update.json"
  static let markName = ".promille-update.done"

  struct Journal: Codable {
    /// Where the mark is, or will be, that decides for all folders.
    var mark: String
    var tables: [String]
  }

  struct Mark: Codable {
    var folders: [String]
  }

  private struct Table {
    let name: String
    let data: Data
  }

  /// The tables of each folder, in the order of their folders.
  private let folders: [(path: String, tables: [Table])]
  private let mark: String

  /// Writes tables, each in a folder that is there.
  static func write(_ files: [(path: String, text: String)]) throws(Failure) {
    guard !files.isEmpty else { return }
    let update = try GoldenUpdate(files)
    var locks: [Int32] = []
    defer { for lock in locks { close(lock) } }
    do throws(Failure) {
      try update.prepare(&locks)
    } catch {
      // A journal that was there already is somebody else's.
      update.undo(upTo: locks.count)
      throw error
    }
    try update.commit()
    try finish(markedBy: update.mark)
  }

  private init(_ files: [(path: String, text: String)]) throws(Failure) {
    var tables: [String: [Table]] = [:]
    for (path, text) in files {
      let (folder, name) = Self.parts(of: path)
      tables[try Self.place(of: folder), default: []].append(
        Table(name: name, data: Data(text.utf8)))
    }
    folders = tables.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    mark = "\(folders[0].path)/\(Self.markName)"
  }

  private static func parts(of path: String) -> (folder: String, name: String) {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    let folder = parts.dropLast().joined(separator: "/")
    return (parts.count < 2 ? "." : folder.isEmpty ? "/" : folder, String(parts.last ?? ""))
  }

  /// A folder by the one path that it has.
  private static func place(of folder: String) throws(Failure) -> String {
    guard let place = realpath(folder, nil) else { throw .failed(path: folder, OutputFailure()) }
    defer { free(place) }
    return String(cString: place)
  }

  private static func draft(of table: String) -> String { ".\(table).update" }

  // MARK: Writing

  /// - Parameter locks: The journals, which are held while the process lives.
  private func prepare(_ locks: inout [Int32]) throws(Failure) {
    for (folder, tables) in folders {
      let journal = "\(folder)/\(Self.journalName)"
      let text = Journal(mark: mark, tables: tables.map(\.name))
      do throws(Failure) {
        try Self.write(try Self.encoded(text, journal), to: journal)
      } catch .failed(_, let failure) where failure.isBecauseThere {
        throw .busy(folder: folder)
      }
      Drafts.watch(journal)
      guard let lock = Self.lock(journal) else { throw .busy(folder: folder) }
      locks.append(lock)
      for table in tables {
        let draft = "\(folder)/\(Self.draft(of: table.name))"
        unlink(draft)
        Drafts.watch(draft)
        try Self.write(table.data, to: draft, like: "\(folder)/\(table.name)")
      }
      try Self.synchronise(folder)
    }
  }

  /// From here on the update will be finished, by this process or a later one.
  private func commit() throws(Failure) {
    // A signal must not remove what is about to be renamed.
    forgetDrafts()
    do throws(Failure) {
      try Self.write(try Self.encoded(Mark(folders: folders.map(\.path)), mark), to: mark)
    } catch {
      undo(upTo: folders.count)
      throw error
    }
    try Self.synchronise(folders[0].path)
  }

  private func undo(upTo count: Int) {
    forgetDrafts()
    for (folder, tables) in folders.prefix(count) {
      for table in tables { unlink("\(folder)/\(Self.draft(of: table.name))") }
      unlink("\(folder)/\(Self.journalName)")
    }
  }

  private func forgetDrafts() {
    for (folder, tables) in folders {
      for table in tables { Drafts.forget("\(folder)/\(Self.draft(of: table.name))") }
      Drafts.forget("\(folder)/\(Self.journalName)")
    }
  }

  private static func encoded(_ value: some Encodable, _ path: String) throws(Failure) -> Data {
    do {
      let encoder = JSONEncoder()
      encoder.outputFormatting = .sortedKeys
      return try encoder.encode(value)
    } catch {
      throw .failed(path: path, OutputFailure(code: EILSEQ))
    }
  }

  /// Makes a file that is not there, with the permissions of another, and has it on the disk.
  private static func write(
    _ data: Data, to path: String, like model: String? = nil
  ) throws(Failure) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw .failed(path: path, OutputFailure()) }
    defer { close(descriptor) }
    var status = stat()
    if let model, lstat(model, &status) == 0, fchmod(descriptor, status.st_mode & 0o7777) != 0 {
      throw .failed(path: path, OutputFailure())
    }
    do {
      let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: false)
      try file.write(contentsOf: data)
    } catch {
      throw .failed(path: path, OutputFailure(code: EIO))
    }
    guard fsync(descriptor) == 0 else { throw .failed(path: path, OutputFailure()) }
  }

  private static func synchronise(_ folder: String) throws(Failure) {
    let descriptor = open(folder, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .failed(path: folder, OutputFailure()) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw .failed(path: folder, OutputFailure()) }
  }

  // MARK: After an interruption

  /// Finishes an update that was interrupted after all of it had been written, or removes the rest
  /// of it; nil if there is none in a folder.
  static func recover(_ folder: String) throws(Failure) -> Recovery? {
    let place = try place(of: folder)
    let path = "\(place)/\(journalName)"
    var status = stat()
    guard lstat(path, &status) == 0 else {
      // Other folders may still need the mark, or have been done with it just before the end.
      try finish(markedBy: "\(place)/\(markName)")
      return nil
    }
    guard let lock = lock(path) else { throw .busy(folder: folder) }
    defer { close(lock) }
    let journal: Journal? = decoded(path)
    if let journal, let mark: Mark = decoded(journal.mark), mark.folders.contains(place) {
      try finish(markedBy: journal.mark)
      return .finished
    }
    // One that is not whole has no tables yet: they come after it.
    for table in journal?.tables ?? [] where isTable(table) {
      unlink("\(place)/\(draft(of: table))")
    }
    unlink("\(place)/\(markName)")
    guard unlink(path) == 0 else { throw .failed(path: path, OutputFailure()) }
    return .undone
  }

  /// Renames the new tables of all folders that a mark is about; those that have been are left.
  private static func finish(markedBy path: String) throws(Failure) {
    guard let mark: Mark = decoded(path) else { return }
    for folder in mark.folders {
      let journalPath = "\(folder)/\(journalName)"
      guard let journal: Journal = decoded(journalPath), journal.mark == path else { continue }
      for table in journal.tables where isTable(table) {
        var status = stat()
        let draft = "\(folder)/\(draft(of: table))"
        guard lstat(draft, &status) == 0 else { continue }
        guard rename(draft, "\(folder)/\(table)") == 0 else {
          throw .failed(path: "\(folder)/\(table)", OutputFailure())
        }
      }
      try synchronise(folder)
      unlink(journalPath)
    }
    unlink(path)
  }

  /// Whether a journal, which may come from anywhere, names a table of its own folder.
  private static func isTable(_ name: String) -> Bool {
    name.hasSuffix(".csv") && !name.hasPrefix(".") && !name.contains("/") && !name.contains("\0")
  }

  /// Holds a journal; nil if somebody else does.
  private static func lock(_ path: String) -> Int32? {
    let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      close(descriptor)
      return nil
    }
    return descriptor
  }

  /// What a file of an update says; nil if there is none that can be understood.
  private static func decoded<Value: Decodable>(_ path: String) -> Value? {
    let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      let data = try? file.read(upToCount: 1 << 20)
    else { return nil }
    return try? JSONDecoder().decode(Value.self, from: data)
  }
}
