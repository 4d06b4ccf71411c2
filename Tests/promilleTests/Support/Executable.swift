import Foundation

/// Finds the command that the tests were built with.
enum Executable {
  /// Thrown if there is no executable beside the tests.
  struct Missing: Error {
    var searched: [String]
  }

  static let promille = Result { try find("promille") }

  /// The products lie in one folder: on Linux that of the test runner, on macOS that of the bundle
  /// which the tests were loaded from, whatever program loaded it.
  private static func find(_ name: String) throws -> URL {
    let starts = [imagePath, CommandLine.arguments.first, Bundle.main.executablePath]
    let folders = starts.compactMap { $0 }.flatMap(foldersAbove)
    let files = folders.map { $0.appending(path: name) }
    guard let found = files.first(where: isProgram) else {
      throw Missing(searched: files.map(\.path))
    }
    return found
  }

  /// The file that holds this very code, where it is not the program that runs.
  private static var imagePath: String? {
    #if canImport(Darwin)
      var info = Dl_info()
      guard dladdr(#dsohandle, &info) != 0, let name = info.dli_fname else { return nil }
      return String(cString: name)
    #else
      return nil
    #endif
  }

  /// From the inside out; a bundle of macOS is three levels deep.
  private static func foldersAbove(_ path: String) -> [URL] {
    var folder = URL(filePath: path).standardizedFileURL
    return (0..<4).map { _ in
      folder.deleteLastPathComponent()
      return folder
    }
  }

  private static func isProgram(_ file: URL) -> Bool {
    let values = try? file.resourceValues(forKeys: [.isRegularFileKey])
    return values?.isRegularFile == true && FileManager.default.isExecutableFile(atPath: file.path)
  }
}
