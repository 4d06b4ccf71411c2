import Foundation

/// The article that documents the columns of all results.
package enum ColumnsArticle {
  /// The tables that the command makes by itself, without the library.
  package static let tablesOfTheCommand = [
    "changed_options", "crossings", "days", "differences", "imported", "options", "runs",
    "settings", "simulated", "values",
  ]

  /// The columns that the article has of each table, in order.
  package static func tables() throws -> [String: [String]] {
    let path = "Sources/Reporting/Documentation.docc/Columns.md"
    let article = try String(contentsOf: PackageFolder.root.appending(path: path), encoding: .utf8)
    var tables: [String: [String]] = [:]
    var name = ""
    for line in article.split(separator: "\n") {
      if line.hasPrefix("### ") {
        name = String(line.dropFirst(4))
      } else if let column = line.firstMatch(of: /^\| `(\w+)` \|/)?.output.1 {
        tables[name, default: []].append(String(column))
      }
    }
    return tables
  }
}
