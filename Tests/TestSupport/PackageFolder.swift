public import Foundation

/// Places in and beside the package, found from where this file is.
public enum PackageFolder {
  /// The checkout.
  public static let root = URL(filePath: #filePath)
    .deletingLastPathComponent()  // TestSupport
    .deletingLastPathComponent()  // Tests
    .deletingLastPathComponent()

  /// The path of a study that ships with the package.
  public static func dataset(_ name: String) -> String {
    root.appending(path: "datasets/\(name)").path
  }

  /// The path of a study that may be read but not shipped; it lies beside the checkout, or where
  /// PROMILLE_TEST_DATA says.
  public static func shared(_ name: String) -> String {
    let folder =
      ProcessInfo.processInfo.environment["PROMILLE_TEST_DATA"].map { URL(filePath: $0) }
      ?? root.appending(path: "../shared/data")
    return folder.standardizedFileURL.appending(path: name).path
  }

  /// The path of a sheet as laboratories and people write them, which lies beside those studies.
  public static func sheet(_ name: String) -> String { shared("../sheets/\(name)") }

  /// Whether a study that may not be shipped is there.
  public static func hasShared(_ name: String) -> Bool {
    FileManager.default.fileExists(atPath: shared(name))
  }

  /// The rows of a file of expected numbers, which a script in `Tests/Tools` made, by column name.
  public static func expectations(_ name: String) throws -> [[String: String]] {
    let file = root.appending(path: "Tests/Expectations/\(name).csv")
    return try CSVText.rows(try String(contentsOf: file, encoding: .utf8))
  }
}
