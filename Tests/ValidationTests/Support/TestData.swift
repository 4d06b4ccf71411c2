import Foundation

/// Where tests find their data.
enum TestData {
  /// The checkout.
  static let root = URL(filePath: #filePath)
    .deletingLastPathComponent()  // Support
    .deletingLastPathComponent()  // ValidationTests
    .deletingLastPathComponent()  // Tests
    .deletingLastPathComponent()

  /// A study that ships with the project.
  static func dataset(_ name: String) -> String {
    root.appending(path: "datasets/\(name)").path
  }

  /// A study that may be read but not shipped; it lies beside the checkout, or where
  /// PROMILLE_TEST_DATA says.
  static func shared(_ name: String) -> String {
    let folder =
      ProcessInfo.processInfo.environment["PROMILLE_TEST_DATA"].map { URL(filePath: $0) }
      ?? root.appending(path: "../shared/data")
    return folder.standardizedFileURL.appending(path: name).path
  }

  static func hasShared(_ name: String) -> Bool {
    FileManager.default.fileExists(atPath: shared(name))
  }

  /// The rows of a file of expected numbers, by column name.
  ///
  /// The files are made by the scripts in Tests/Tools and hold no quoted fields.
  static func expectations(_ name: String) throws -> [[String: String]] {
    let file = root.appending(path: "Tests/ValidationTests/Expectations/\(name).csv")
    let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
    let header = lines[0].split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    return lines.dropFirst().map { line in
      let fields = line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      return Dictionary(uniqueKeysWithValues: zip(header, fields))
    }
  }
}

extension [String: String] {
  /// A number of a row, or nil if the field is empty.
  func number(_ column: String) throws -> Double? {
    guard let text = self[column] else { throw MissingColumn(name: column) }
    guard !text.isEmpty else { return nil }
    guard let number = Double(text) else { throw MissingColumn(name: column) }
    return number
  }
}

struct MissingColumn: Error {
  let name: String
}
