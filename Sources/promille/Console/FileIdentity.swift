import Foundation
import StudyData

/// Which file a path leads to, by whatever name.
struct FileIdentity: Hashable {
  private let device: UInt64
  private let number: UInt64

  /// The regular file at a path, links followed; `-` is standard input.
  init?(_ path: String) {
    var status = stat()
    guard (path == "-" ? fstat(STDIN_FILENO, &status) : stat(path, &status)) == 0 else {
      return nil
    }
    self.init(status)
  }

  /// The regular file that standard output goes to.
  static var ofStandardOutput: FileIdentity? {
    var status = stat()
    return fstat(STDOUT_FILENO, &status) == 0 ? FileIdentity(status) : nil
  }

  private init?(_ status: stat) {
    guard status.st_mode & S_IFMT == S_IFREG else { return nil }
    device = UInt64(truncatingIfNeeded: status.st_dev)
    number = UInt64(truncatingIfNeeded: status.st_ino)
  }

  /// The file at a path, or the files that are read of a folder there.
  static func ofFilesOfStudy(_ path: String) -> [FileIdentity] {
    let names = StudyFile.allCases.map(\.rawValue) + [VitalFile.name, "export.xml"]
    return ([path] + names.map { "\(path)/\($0)" }).compactMap(FileIdentity.init)
  }
}

/// Where a path leads, links followed, also if nothing is there yet.
///
/// Names that differ in nothing but case or the way their accents are written are the same: on many a
/// disk they lead to one file.
struct OutputPlace: Hashable {
  private let folder: String
  private let name: String

  init(_ path: String) {
    let end = (try? Replacement.followingLinks(path)) ?? path
    if let folder = Self.folder(end) {
      self.folder = folder
      name = ""
      return
    }
    let parts = end.split(separator: "/", omittingEmptySubsequences: false)
    let parent = parts.count < 2 ? "." : parts.dropLast().joined(separator: "/") + "/"
    folder = Self.folder(parent) ?? URL(filePath: parent).standardizedFileURL.path
    name = (parts.last ?? "").lowercased().precomposedStringWithCanonicalMapping
  }

  /// A folder by whatever name; nil if none is there.
  private static func folder(_ path: String) -> String? {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return nil }
    return "\(status.st_dev) \(status.st_ino)"
  }
}
