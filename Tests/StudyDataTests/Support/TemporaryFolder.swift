import Foundation

/// A folder that is gone when the test is.
final class TemporaryFolder: Sendable {
  let path: String

  init() throws {
    let folder = FileManager.default.temporaryDirectory
    path = folder.appendingPathComponent("promille-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  func write(_ text: String, to name: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: "\(path)/\(name)"))
  }

  /// Writes a whole study.
  func write(_ sample: StudySample) throws {
    try write(sample.subjects, to: "subjects.csv")
    try write(sample.drinks, to: "drinks.csv")
    if let readings = sample.readings { try write(readings, to: "readings.csv") }
    if let descriptor = sample.descriptor { try write(descriptor, to: "datapackage.json") }
  }
}
