import Foundation

/// The UUIDs that a study has given so far, and where.
///
/// It grows with them, some 60 bytes for each: that one is there twice cannot be told otherwise.
struct UUIDRegister {
  /// Where a UUID stands.
  private struct Entry {
    var file: Int32
    var line: Int32
  }

  private var files: [String] = []
  private var entries: [UUID: Entry] = [:]

  /// Enters a UUID; if it is there already, says where.
  mutating func enter(_ uuid: UUID, at location: SourceLocation) -> (name: String, line: Int)? {
    if let first = entries[uuid] {
      let path = files[Int(first.file)]
      return (path.split(separator: "/").last.map(String.init) ?? path, Int(first.line))
    }
    if files.last != location.file { files.append(location.file) }
    entries[uuid] = Entry(
      file: Int32(files.count - 1), line: Int32(clamping: location.line ?? 0))
    return nil
  }
}
