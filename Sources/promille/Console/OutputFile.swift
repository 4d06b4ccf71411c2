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
      let url = URL(filePath: path)
      if Self.isSpecial(path) {
        // A device or a pipe is written to; replacing it would take it away from its users.
        let handle = try FileHandle(forWritingTo: url)
        try handle.write(contentsOf: data)
        try handle.close()
      } else {
        try data.write(to: url, options: .atomic)
      }
    }
  }

  private static func isSpecial(_ path: String) -> Bool {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    guard let type = attributes?[.type] as? FileAttributeType else { return false }
    return type != .typeRegular && type != .typeDirectory && type != .typeSymbolicLink
  }
}
