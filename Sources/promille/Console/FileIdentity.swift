import Foundation
import StudyData

/// Which file a path leads to, by whatever name.
struct FileIdentity: Hashable {
  private let device: UInt64
  private let number: UInt64

  /// The regular file at a path, links followed; `-` is standard input.
  init?(_ path: String) {
    var status = stat()
    guard (path == "-" ? fstat(STDIN_FILENO, &status) : stat(path, &status)) == 0,
      status.st_mode & S_IFMT == S_IFREG
    else { return nil }
    device = UInt64(truncatingIfNeeded: status.st_dev)
    number = UInt64(truncatingIfNeeded: status.st_ino)
  }

  /// The file at a path, or the files that are read of a folder there.
  static func ofFilesOfStudy(_ path: String) -> [FileIdentity] {
    let names = StudyFile.allCases.map(\.rawValue) + [VitalFile.name, "export.xml"]
    return ([path] + names.map { "\(path)/\($0)" }).compactMap(FileIdentity.init)
  }
}
