import Foundation
import TestSupport
import Testing

/// The article on columns, from which the schemas are made, has what the reports have and nothing
/// else. What only the command has is held to it by `CommandColumnTests`.
@Suite struct ColumnsArticleTests {
  private static let article = Result { try ColumnsArticle.tables() }

  private let tables: [String: [String]]

  init() throws {
    tables = try Self.article.get()
  }

  @Test(arguments: ColumnPromiseTests.tables.keys.sorted())
  func hasEveryColumnInOrder(_ name: String) {
    #expect(tables[name] == ColumnPromiseTests.tables[name])
  }

  @Test func hasNoOtherTables() {
    #expect(
      tables.keys.sorted()
        == (ColumnPromiseTests.tables.keys + ColumnsArticle.tablesOfTheCommand).sorted())
  }

  @Test func schemasHaveEveryColumn() throws {
    let file = PackageFolder.root.appending(path: "schemas/common.schema.json")
    let json = try JSONSerialization.jsonObject(with: try Data(contentsOf: file))
    let schemas = try #require((json as? [String: Any])?["$defs"] as? [String: [String: Any]])
    #expect(Set(schemas.keys) == Set(tables.keys).union(["provenance"]))
    for (name, columns) in tables {
      #expect(schemas[name]?["required"] as? [String] == columns, "\(name)")
    }
  }
}
