import Foundation
import TestSupport
import Testing

@testable import promille

/// Golden tables are written all or none, in their own folders and nowhere else.
@Suite struct GoldenUpdateTests {
  private let folder: TemporaryFolder
  /// Where the folder is, without links.
  private let root: String

  init() throws {
    folder = try TemporaryFolder()
    let place = try #require(realpath(folder.path, nil))
    root = String(cString: place)
    free(place)
    for name in ["one", "two"] {
      try folder.makeFolder(name)
      for table in ["a.csv", "b.csv"] { try folder.write("old\n", to: "\(name)/\(table)") }
    }
  }

  private static let tables = ["one/a.csv", "one/b.csv", "two/a.csv", "two/b.csv"]

  private func read() throws -> [String] { try Self.tables.map(folder.read) }

  private var isClean: Bool {
    get throws {
      let files = FileManager.default
      return try ["one", "two"].allSatisfy { name in
        try files.contentsOfDirectory(atPath: folder(name)).allSatisfy { !$0.hasPrefix(".") }
      }
    }
  }

  // MARK: Interrupted

  /// What a command leaves behind that is killed when all is written, and so many tables are renamed.
  private func interrupt(afterMark: Bool, renamed: Int = 0) throws {
    let mark = "\(root)/one/\(GoldenUpdate.markName)"
    for name in ["one", "two"] {
      let journal = GoldenUpdate.Journal(mark: mark, tables: ["a.csv", "b.csv"])
      try folder.write(
        try JSONEncoder().encode(journal), to: "\(name)/\(GoldenUpdate.journalName)")
    }
    for (index, table) in Self.tables.enumerated() {
      if index < renamed {
        try folder.write("new\n", to: table)
      } else {
        try folder.write("new\n", to: table.replacing("/", with: "/.") + ".update")
      }
    }
    guard afterMark else { return }
    let folders = GoldenUpdate.Mark(folders: ["\(root)/one", "\(root)/two"])
    try folder.write(try JSONEncoder().encode(folders), to: "one/\(GoldenUpdate.markName)")
  }

  @Test(arguments: ["one", "two"], 0...4)
  func whatIsWrittenIsFinished(_ name: String, renamed: Int) throws {
    try interrupt(afterMark: true, renamed: renamed)
    #expect(try GoldenUpdate.recover(folder(name)) == .finished)
    #expect(try read() == Array(repeating: "new\n", count: 4))
    #expect(try isClean)
    #expect(try GoldenUpdate.recover(folder("one")) == nil)
    #expect(try GoldenUpdate.recover(folder("two")) == nil)
  }

  /// Killed between the last journal and the mark, or with one folder done and not the other.
  @Test func whatIsLeftOfAFinishedUpdateIsRemoved() throws {
    try interrupt(afterMark: true, renamed: 2)
    try FileManager.default.removeItem(atPath: folder("one/\(GoldenUpdate.journalName)"))
    #expect(try GoldenUpdate.recover(folder("one")) == nil)
    #expect(try read() == Array(repeating: "new\n", count: 4))
    #expect(try isClean)
  }

  @Test func whatIsNotAllWrittenIsUndone() throws {
    try interrupt(afterMark: false)
    #expect(try GoldenUpdate.recover(folder("two")) == .undone)
    #expect(try GoldenUpdate.recover(folder("one")) == .undone)
    #expect(try read() == Array(repeating: "old\n", count: 4))
    #expect(try isClean)
    // Neither does half of a journal or of a mark say anything.
    try interrupt(afterMark: false)
    try folder.write("{\"fold", to: "one/\(GoldenUpdate.markName)")
    try folder.write("{\"mark", to: "two/\(GoldenUpdate.journalName)")
    try FileManager.default.removeItem(atPath: folder("two/.a.csv.update"))
    try FileManager.default.removeItem(atPath: folder("two/.b.csv.update"))
    #expect(try GoldenUpdate.recover(folder("one")) == .undone)
    #expect(try GoldenUpdate.recover(folder("two")) == .undone)
    #expect(try read() == Array(repeating: "old\n", count: 4))
    #expect(try isClean)
  }

  @Test func anotherUpdateThatIsUnderWayIsLeftAlone() throws {
    try interrupt(afterMark: true)
    let journal = open(folder("two/\(GoldenUpdate.journalName)"), O_RDONLY)
    defer { close(journal) }
    #expect(flock(journal, LOCK_EX | LOCK_NB) == 0)
    #expect(throws: GoldenUpdate.Failure.self) { try GoldenUpdate.recover(folder("two")) }
    #expect(throws: GoldenUpdate.Failure.self) {
      try GoldenUpdate.write([(path: folder("two/a.csv"), text: "newer\n")])
    }
    #expect(try read() == Array(repeating: "old\n", count: 4))
  }

  // MARK: Written

  @Test func allTablesAreWrittenAndNothingStays() throws {
    try GoldenUpdate.write(Self.tables.map { (path: folder($0), text: "new\n") })
    #expect(try read() == Array(repeating: "new\n", count: 4))
    #expect(try isClean)
  }

  /// The second folder cannot be written to.
  @Test func noneIsWrittenIfOneCannotBe() throws {
    try folder.makeFolder("two/.a.csv.update/x")
    #expect(throws: GoldenUpdate.Failure.self) {
      try GoldenUpdate.write(Self.tables.map { (path: folder($0), text: "new\n") })
    }
    #expect(try read() == Array(repeating: "old\n", count: 4))
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder("one")).sorted()
        == ["a.csv", "b.csv"])
  }

  /// Drafts, journals and marks that somebody has put there lead nowhere.
  @Test func linksAreNotFollowed() throws {
    try folder.write("mine\n", to: "other")
    try folder.link("one/.a.csv.update", to: "../other")
    try GoldenUpdate.write([(path: folder("one/a.csv"), text: "new\n")])
    #expect(try folder.read("other") == "mine\n")
    #expect(try folder.read("one/a.csv") == "new\n")
    try folder.link("one/\(GoldenUpdate.journalName)", to: "../other")
    #expect(throws: GoldenUpdate.Failure.self) { try GoldenUpdate.recover(folder("one")) }
    #expect(try folder.read("other") == "mine\n")
  }

  /// A journal comes with a dataset from anywhere.
  @Test func journalsNameTablesOfTheirFolder() throws {
    try folder.write("mine\n", to: "other.csv")
    try folder.write("theirs\n", to: "one/.x.update")
    let mark = "\(root)/one/\(GoldenUpdate.markName)"
    let journal = GoldenUpdate.Journal(mark: mark, tables: ["../other.csv", "/other.csv", ".csv"])
    try folder.write(try JSONEncoder().encode(journal), to: "one/\(GoldenUpdate.journalName)")
    try folder.write(
      try JSONEncoder().encode(GoldenUpdate.Mark(folders: ["\(root)/one"])),
      to: "one/\(GoldenUpdate.markName)")
    _ = try GoldenUpdate.recover(folder("one"))
    #expect(try folder.read("other.csv") == "mine\n")
    #expect(try folder.read("one/a.csv") == "old\n")
  }
}
