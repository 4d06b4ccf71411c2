import Foundation
import TestSupport
import Testing

/// The article on columns, from which the schemas are made, has what the reports have and nothing
/// else.
@Suite struct ColumnsArticleTests {
  /// The columns that the article has of each table.
  private let tables: [String: [String]]

  init() throws {
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
    self.tables = tables
  }

  @Test(arguments: ColumnPromiseTests.tables.keys.sorted())
  func hasEveryColumnInOrder(_ name: String) {
    #expect(tables[name] == ColumnPromiseTests.tables[name])
  }

  @Test func hasNoOtherTables() {
    #expect(tables.keys.sorted() == ColumnPromiseTests.tables.keys.sorted())
  }

  @Test func schemasHaveEveryColumn() throws {
    let file = PackageFolder.root.appending(path: "schemas/common.schema.json")
    let json = try JSONSerialization.jsonObject(with: try Data(contentsOf: file))
    let schemas = try #require((json as? [String: Any])?["$defs"] as? [String: [String: Any]])
    for (name, columns) in tables {
      #expect(schemas[name]?["required"] as? [String] == columns, "\(name)")
    }
  }
}
