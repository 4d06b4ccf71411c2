import Foundation

/// Something that was named in the place of a database, and what was probably meant.
struct StoreMistake {
  private static let tables = ["subjects.csv", "drinks.csv", "readings.csv", "estimates.csv"]

  let path: String

  var error: StoreError {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      return StoreError(.missing, path: path, message: "there is no such database")
    }
    if isFolder.boolValue {
      return StoreError(
        .notADatabase, path: path,
        message: isStudy(path) ? "this is a study folder, not a database" : "this is a folder",
        remedy: isStudy(path) ? remedy(for: path) : nil)
    }
    let folder = URL(filePath: path).deletingLastPathComponent().relativePath
    let isTable = Self.tables.contains(URL(filePath: path).lastPathComponent) && isStudy(folder)
    return StoreError(
      .notADatabase, path: path,
      message: isTable
        ? "this is a table of a study folder, not a database"
        : "the file is not an SQLite database",
      remedy: isTable ? remedy(for: folder) : nil)
  }

  private func isStudy(_ folder: String) -> Bool {
    FileManager.default.fileExists(atPath: "\(folder)/subjects.csv")
  }

  private func remedy(for study: String) -> String {
    "import it first: promille import \(study) --into study.sqlite"
  }
}
