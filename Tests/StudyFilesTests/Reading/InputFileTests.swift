import Foundation
import StudySupport
import TestSupport
import Testing

@testable import StudyData
@_spi(StudyDay) @testable import StudyFiles

/// Input is of one version of a file, or refused.
@Suite struct InputFileTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(StudySample())
  }

  private func stream() throws -> StudyStream { try StudyReader(folder.path).stream() }

  /// Writes into a file that is there, as an editor that keeps it does.
  private func overwrite(_ name: String, at offset: UInt64, with text: String) throws {
    let file = try FileHandle(forUpdating: URL(filePath: folder(name)))
    try file.seek(toOffset: offset)
    try file.write(contentsOf: Data(text.utf8))
    try file.close()
  }

  private func end(of stream: StudyStream) -> StudyError? {
    var stream = stream
    do {
      while try stream.next() != nil {}
      return nil
    } catch {
      return error as? StudyError
    }
  }

  @Test(arguments: ["subjects.csv", "drinks.csv", "readings.csv"])
  func changedFileEndsAStream(_ name: String) throws {
    let stream = try stream()
    let size = try folder.read(name).utf8.count
    try overwrite(name, at: UInt64(size - 2), with: "7")
    let error = end(of: stream)
    #expect(error?.kind == .changed)
    #expect(error?.diagnostics.map(\.code) == [.inputChanged])
    #expect(error?.diagnostics.first?.location.file == folder(name))
  }

  /// A reading that is not one any more would be another error.
  @Test func changedInputIsReportedBeforeItsContents() throws {
    let stream = try stream()
    try overwrite("readings.csv", at: 0, with: "\"")
    #expect(end(of: stream)?.diagnostics.map(\.code) == [.inputChanged])
  }

  /// Size and time are as they were, as after `rsync --times --inplace`.
  @Test func changeWithRestoredModificationTimeIsDetected() throws {
    let file = URL(filePath: folder("readings.csv"))
    let time = try #require(
      try file.resourceValues(forKeys: [.contentModificationDateKey]).contentModificationDate)
    // To the second: dates carry no nanoseconds.
    let whole = Date(timeIntervalSince1970: time.timeIntervalSince1970.rounded(.down))
    let keepTime = {
      try FileManager.default.setAttributes([.modificationDate: whole], ofItemAtPath: file.path)
    }
    try keepTime()
    let stream = try stream()
    let text = try folder.read("readings.csv")
    try overwrite("readings.csv", at: 0, with: text.replacing("0.4", with: "0.3"))
    try keepTime()
    #expect(end(of: stream)?.diagnostics.map(\.code) == [.inputChanged])
  }

  /// An open file is read whole in the version that was opened.
  @Test func replacedFileIsNotChanged() throws {
    let stream = try stream()
    let text = try folder.read("readings.csv")
    try folder.write(text.replacing("0.4", with: "0.3"), to: "new.csv")
    try FileManager.default.removeItem(atPath: folder("readings.csv"))
    try FileManager.default.moveItem(atPath: folder("new.csv"), toPath: folder("readings.csv"))
    #expect(end(of: stream) == nil)
  }

  @Test func unchangedFilesAreNotReported() throws {
    #expect(end(of: try stream()) == nil)
    let file = try #require(try InputFile(opening: folder("readings.csv")))
    _ = try file.contents()
    try file.requireUnchanged()
  }

  @Test func changeIsReportedToEveryReader() throws {
    let file = try #require(try InputFile(opening: folder("drinks.csv")))
    try overwrite("drinks.csv", at: 0, with: "S")
    #expect(throws: StudyError.self) { try file.requireUnchanged() }
    #expect(throws: StudyError.self) { try file.contents() }
    let vitals = try #require(try InputFile(opening: folder("subjects.csv")))
    try overwrite("subjects.csv", at: 0, with: "S")
    #expect(throws: StudyError.self) { try VitalFile.read(vitals) }
  }

  // MARK: Digests

  /// The digest does not depend on the size of blocks or on a second reader.
  @Test(arguments: [1, 3, 63, 64, 65, 4096])
  func digestsDoNotDependOnBlocks(blockSize: Int) throws {
    var generator = SeededGenerator(seed: 5)
    for count in [0, 1, 63, 64, 65, 333, 1000] {
      let bytes = Data((0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) })
      let file = InputFile(path: "x", bytes: bytes, blockSize: blockSize)
      _ = try file.contents()
      #expect(file.digest == nil)
      file.takeDigest()
      let expected = bytes.withUnsafeBytes(SHA256.hexDigest)
      for _ in 0..<2 {
        #expect(try file.contents() == bytes)
        #expect(file.digest == InputDigest(file: "x", sha256: expected))
      }
    }
  }
}
