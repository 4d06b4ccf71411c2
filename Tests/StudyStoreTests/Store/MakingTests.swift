import Foundation
import GRDB
import StoreSupport
import TestSupport
import Testing

@_spi(StudyDay) @testable import StudyStore

/// A database that a process made and could not fill is removed, and none that another made.
@Suite struct MakingTests {
  private struct Failure: Error {}

  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  @Test func failedCreationLeavesNoFiles() throws {
    #expect(throws: Failure.self) {
      try StudyStore.change(folder("a.sqlite")) { store in
        try store.add(SmallStudy.study())
        try folder.write("left", to: "a.sqlite-journal")
        throw Failure()
      }
    }
    #expect(try folder.contents.isEmpty)
  }

  /// If two processes make a database at one path, one of them makes the file.
  @Test func databaseMadeMeanwhileIsKept() throws {
    let opening = StoreOpening(path: folder("a.sqlite"))
    #expect(try opening.creating { $0 } == true)
    #expect(throws: Failure.self) {
      try opening.creating { isMade in
        #expect(!isMade)
        throw Failure()
      }
    }
    #expect(try folder.contents == ["a.sqlite"])
  }

  @Test func copyDoesNotOverwrite() throws {
    let store = try StudyStore(path: folder("a.sqlite"), for: .writing)
    try store.add(SmallStudy.study())
    try folder.write("mine", to: "b.sqlite")
    let error = #expect(throws: StoreError.self) { try store.copy(to: folder("b.sqlite")) }
    #expect(error?.code == .notWritable)
    #expect(try folder.read("b.sqlite") == "mine")
    try store.copy(to: folder("c.sqlite"))
    #expect(try StudyStore(path: folder("c.sqlite"), for: .reading).study() == store.study())
  }

  @Test func everyTableIsExported() throws {
    let tables = try StoreConnection.openEmpty()
    try Schema.ofStudies.migrator.migrate(tables)
    let all = try tables.read {
      try String.fetchAll(
        $0, sql: "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'grdb%'")
    }
    #expect(Set(all) == Set(Schema.exportedTables))
  }
}
