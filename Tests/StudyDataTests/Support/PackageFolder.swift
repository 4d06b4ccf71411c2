import Foundation

/// Places in and beside the package, found from where this file is.
enum PackageFolder {
  static var root: URL {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
  }

  /// The studies that cannot ship with the package; PROMILLE_TEST_DATA may name another folder.
  static func study(_ name: String) -> String {
    let override = ProcessInfo.processInfo.environment["PROMILLE_TEST_DATA"]
    let data =
      override.map { URL(fileURLWithPath: $0) } ?? root.appendingPathComponent("../shared/data")
    return data.appendingPathComponent(name).path
  }

  static func hasStudy(_ name: String) -> Bool {
    FileManager.default.fileExists(atPath: study(name) + "/subjects.csv")
  }
}
