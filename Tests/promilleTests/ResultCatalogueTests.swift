import Foundation
import Reporting
import TestSupport
import Testing

@testable import promille

/// The article on columns and the JSON Schemas are what the declarations of columns make.
///
/// PROMILLE_UPDATE_SNAPSHOTS=1 writes them again.
@Suite struct ResultCatalogueTests {
  @Test func articleIsMadeFromTheDeclarations() throws {
    try Snapshot.expect(
      ResultCatalogue.all.article,
      in: PackageFolder.root.appending(path: "Sources/Reporting/Documentation.docc/Columns.md"))
  }

  @Test func schemasAreMadeFromTheDeclarations() throws {
    let folder = PackageFolder.root.appending(path: "schemas")
    let schemas = ResultCatalogue.all.schemas
    for schema in schemas {
      try Snapshot.expect(schema.text, in: folder.appending(path: schema.file))
    }
    // What `export` writes has no table; its schema is written by hand.
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(Set(files) == Set(schemas.map(\.file)).union(["study.schema.json"]))
  }
}
