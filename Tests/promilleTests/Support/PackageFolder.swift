import Foundation

/// Places in the package, found from where this file is.
enum PackageFolder {
  static let root = URL(filePath: #filePath)
    .deletingLastPathComponent()  // Support
    .deletingLastPathComponent()  // promilleTests
    .deletingLastPathComponent()  // Tests
    .deletingLastPathComponent()

  static let snapshots = root.appending(path: "Tests/promilleTests/Snapshots")

  /// The rows of a file of expected numbers.
  static func expectations(_ name: String) throws -> [[String: String]] {
    let file = root.appending(path: "Tests/ValidationTests/Expectations/\(name).csv")
    return try CSVText.rows(try String(contentsOf: file, encoding: .utf8))
  }
}
