import Foundation
import StudyStore
import TestSupport
import Testing

/// A database that a process made and could not fill is removed, and none that another made.
@Suite struct MakingTests {
  private struct Failure: Error {}

  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private var files: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: folder("")).sorted() }
  }

  @Test func whatFailedLeavesNothing() throws {
    #expect(throws: Failure.self) {
      try StudyStore.change(folder("a.sqlite")) { store in
        try store.add(SmallStudy.study())
        try folder.write("left", to: "a.sqlite-journal")
        throw Failure()
      }
    }
    #expect(try files.isEmpty)
  }

  /// As where another process made it a moment before.
  @Test func aDatabaseThatIsThereIsKept() throws {
    try folder.write("", to: "a.sqlite")
    #expect(throws: Failure.self) {
      try StudyStore.change(folder("a.sqlite")) { _ in throw Failure() }
    }
    #expect(try files == ["a.sqlite"])
  }

  @Test func aCopyReplacesNothing() throws {
    let store = try StudyStore(path: folder("a.sqlite"), for: .writing)
    try store.add(SmallStudy.study())
    try folder.write("mine", to: "b.sqlite")
    let error = #expect(throws: StoreError.self) { try store.copy(to: folder("b.sqlite")) }
    #expect(error?.code == .notMade)
    #expect(try String(contentsOf: URL(filePath: folder("b.sqlite")), encoding: .utf8) == "mine")
    try store.copy(to: folder("c.sqlite"))
    #expect(try StudyStore(path: folder("c.sqlite"), for: .reading).study() == store.study())
  }
}
