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
    // What `export` writes and what `case` reads has no table; their schemas are written by hand.
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    let byHand: Set = ["study.schema.json", "case-file.schema.json"]
    #expect(Set(files) == Set(schemas.map(\.file)).union(byHand))
  }
}
