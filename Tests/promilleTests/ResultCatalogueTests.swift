import Foundation
import Reporting
import TestSupport
import Testing

@testable import promille

/// The list of columns is what is declared; the article of columns is made from it.
@Suite struct ResultCatalogueTests {
  /// PROMILLE_UPDATE_SNAPSHOTS=1 writes it again.
  @Test func listHasWhatIsDeclared() throws {
    try Snapshot.expect(ResultCatalogue.all.list, in: ColumnList.file)
  }

  /// `make docs` runs the script.
  @Test func articleHasAllColumns() async throws {
    let run = try await Command.shell("Documentation/columns.sh")
    #expect(run.status == 0 && run.errors.isEmpty)
    let lines = run.output.split(separator: "\n")
    #expect(lines.first == "# Columns")
    #expect(lines.contains("## promille fit") && lines.contains("### fits"))
    #expect(
      lines.contains(
        "| `beta_se` | g/kg/h | number or empty | its standard error |"))
    #expect(
      lines.contains(
        "| `iterations` |  | count or empty | iterations to the minimum (with `--details`) |"))
    let columns = ResultCatalogue.all.commands.flatMap(\.tables).flatMap(\.columns)
    #expect(lines.count { $0.hasPrefix("| `") } == columns.count)
  }
}

extension ResultCatalogue {
  /// A line for each table with what a row is, and one for each of its columns, with tabs between the fields.
  fileprivate var list: String {
    let lines = commands.flatMap { command in
      command.tables.flatMap { table in
        [[command.name, table.name, "", "", "", "", table.about]]
          + table.columns.map { column in
            [
              command.name, table.name, column.name, column.unit ?? "", column.typeName,
              column.isDetail ? "--details" : "", column.meaning,
            ]
          }
      }
    }
    return ([ColumnList.fields] + lines).map { fields in
      fields.joined(separator: "\t").replacing("\n", with: " ") + "\n"
    }.joined()
  }
}
