import DayDatabase
import Foundation
import HTTPTypes
import HealthData
@_spi(StudyDay) import StudyStore
import TestSupport
import Testing

@testable import StudyServer

/// A server whose files are deleted or replaced while it runs.
@Suite struct ServedFilesTests {
  let day: TestDay

  init() throws { day = try TestDay() }

  @Test(arguments: ["-wal", "-shm", ""], [false, true])
  func acknowledgedEntriesSurviveLostFiles(_ suffix: String, isReplaced: Bool) async throws {
    let token = try await day.token(.operator)
    try await day.serve { client in
      for index in 0..<5 {
        _ = try await client.enter(token, entry("note", of: "ann", ["text": .text("\(index)")]))
      }
      try FileManager.default.removeItem(atPath: day.path + suffix)
      if isReplaced { try Data().write(to: URL(filePath: day.path + suffix)) }
      // Nobody asked anything: the watch notices.
      let watch = FileWatch(store: day.day.store, logger: silent, interval: .milliseconds(10))
      let watching = Task { try await watch.run() }
      defer { watching.cancel() }
      while ServedFiles.rescued(beside: day.path).isEmpty {
        try await Task.sleep(for: .milliseconds(10))
      }
      #expect(day.day.store.failingSince != nil)
      let note = entry("note", of: "ann", ["text": "after"])
      let answer = try await client.send(.post, "/entries", token, ["entries": .array([note])])
      #expect(answer.status == 500 && answer.json["code"] == "E_DAY_FAILED", "\(answer.json)")
      #expect(try await client.send(.get, "/health").status == 500)
      #expect(try await client.send(.get, "/people/ann", token).status == 500)
    }
    let copies = ServedFiles.rescued(beside: day.path)
    let copy = try #require(copies.first)
    #expect(copies.count == 1)
    let attributes = try FileManager.default.attributesOfItem(atPath: copy)
    #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
    let chain = try StudyStore.day(copy, for: .reading).verifyChanges()
    #expect(chain.sound == 6 && chain.broken == nil && chain.different == nil)
  }

  @Test func aDatabaseThatLostChangesIsNotServed() async throws {
    let token = try await day.token(.operator)
    let old = day.folder("old.sqlite")
    try StudyStore.day(day.path, for: .reading).copy(to: old)
    try await day.serve { client in
      _ = try await client.enter(token, entry("note", of: "ann", ["text": "x"]))
    }
    try StudyStore.day(day.path, for: .reading).copy(to: old + "-rescued-1.sqlite")
    let failed = try ServeProgram(old).failure()
    #expect(failed.code == 65 && failed.text.contains("E_SERVE_RESCUED"), "\(failed.text)")
    // With the copy in its place, it goes on.
    try FileManager.default.removeItem(atPath: old)
    try FileManager.default.moveItem(atPath: old + "-rescued-1.sqlite", toPath: old)
    let server = try ServeProgram(old)
    _ = try server.port()
    // Nobody else on the machine reads what is in it.
    for file in [old, old + "-wal", old + "-shm"] {
      let attributes = try FileManager.default.attributesOfItem(atPath: file)
      #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600, "\(file)")
    }
    #expect(server.stop() == 0)
  }

  @Test func aDatabaseWithTwoNamesIsNotServed() throws {
    let replacement = day.folder("other.sqlite")
    try FileManager.default.linkItem(atPath: day.path, toPath: replacement)
    let failed = try ServeProgram(replacement).failure()
    #expect(failed.code == 75 && failed.text.contains("hard link"), "\(failed.text)")
  }
}
