import Foundation

/// Where a result is written: a file, whole or not at all, or standard output.
enum OutputFile {
  case standardOutput
  case file(String)

  func write(_ text: String) throws {
    let data = Data(text.utf8)
    switch self {
    case .standardOutput:
      try FileHandle.standardOutput.write(contentsOf: data)
    case .file(let path):
      if Self.isSpecial(path) {
        // A device or a pipe is written to; replacing it would take it away from its users.
        let handle = try FileHandle(forWritingTo: URL(filePath: path))
        try handle.write(contentsOf: data)
        try handle.close()
      } else {
        // A link stays one: what it leads to is replaced.
        let target = URL(filePath: path).resolvingSymlinksInPath()
        try data.write(to: target, options: .atomic)
      }
    }
  }

  /// Whether the path leads, links followed, to something that is neither file nor folder.
  private static func isSpecial(_ path: String) -> Bool {
    var status = stat()
    guard stat(path, &status) == 0 else { return false }
    let type = status.st_mode & S_IFMT
    return type != S_IFREG && type != S_IFDIR
  }
}
